// A library to preload: counts how often a program asks for memory, and says so at its end on standard error.
// What a message costs is the difference of two runs, divided by how many messages one had more.
// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

// The GNU C library's own names for what is replaced here.
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong asked;

static void count_one(void) { atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed); }

void *malloc(size_t bytes)
{
    count_one();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    count_one();
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    count_one();
    return __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    count_one();
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    count_one();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    count_one();
    *block = __libc_memalign(alignment, bytes);
    return *block == NULL ? ENOMEM : 0;
}

__attribute__((destructor)) static void tell(void)
{
    char line[64];
    int count = snprintf(line, sizeof line, "allocations=%lu\n", atomic_load(&asked));
    if (write(STDERR_FILENO, line, (size_t)count) < 0)
        return;
}
