// What the reference programs share: a clock, percentiles, and sockets on 127.0.0.1.
//
// Each program is started twice: "PROGRAM server" prints "ready PORT" and serves until it is ended;
// "PROGRAM WHAT PORT COUNT" measures and prints one line of name=value pairs, times in microseconds.
#pragma once
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 64, WARM_UP = 500 };

static inline void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static inline uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline int compare_times(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/// Prints median, 99th percentile and mean rate of so many measured times.
static inline void report(uint64_t *times, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += times[i];
    qsort(times, (size_t)count, sizeof *times, compare_times);
    printf("p50=%.2f p99=%.2f rate=%.0f count=%d\n", (double)times[count / 2] / 1e3,
        (double)times[count * 99 / 100] / 1e3, (double)count * 1e9 / (double)sum, count);
}

static inline struct sockaddr_in loopback(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// A bound socket; says on standard output which port it has.
static inline int open_server(int type)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int server = socket(AF_INET, type, 0);
    check(server >= 0, "socket");
    check(bind(server, (struct sockaddr *)&address, size) == 0, "bind");
    if (type == SOCK_STREAM)
        check(listen(server, 128) == 0, "listen");
    check(getsockname(server, (struct sockaddr *)&address, &size) == 0, "getsockname");
    printf("ready %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return server;
}

static inline void no_delay(int descriptor)
{
    int on = 1;
    check(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
}

static inline int usage(const char *text)
{
    fprintf(stderr, "usage: %s\n", text);
    return 2;
}
