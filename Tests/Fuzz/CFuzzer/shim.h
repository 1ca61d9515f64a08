// What libFuzzer offers to a program with a main of its own; it has no header for it.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Reads libFuzzer's options and corpus folders from the command line, and calls back with one input after another.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
