// Measures round trips of 64-byte messages through ZeroMQ: REQ and REP sockets over TCP, not encrypted.
// SPDX-License-Identifier: MIT
#include "bench.h"
#include <zmq.h>

static void serve(void *context)
{
    void *socket = zmq_socket(context, ZMQ_REP);
    char endpoint[64];
    size_t size = sizeof endpoint;
    uint8_t message[MESSAGE_BYTES];
    check(zmq_bind(socket, "tcp://127.0.0.1:*") == 0, "bind");
    check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0, "endpoint");
    printf("ready %s\n", strrchr(endpoint, ':') + 1);
    fflush(stdout);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (;;) {
        int got = zmq_recv(socket, message, sizeof message, 0);
        check(got >= 0 && zmq_send(socket, message, (size_t)got, 0) == got, "echo");
    }
}

static void measure(void *context, int port, uint64_t *times, int count)
{
    void *socket = zmq_socket(context, ZMQ_REQ);
    char endpoint[64];
    uint8_t message[MESSAGE_BYTES] = {0};
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", port);
    check(zmq_connect(socket, endpoint) == 0, "connect");
    for (int i = -WARM_UP; i < count; i++) {
        uint64_t begun = now_ns();
        check(zmq_send(socket, message, sizeof message, 0) == MESSAGE_BYTES
                && zmq_recv(socket, message, sizeof message, 0) == MESSAGE_BYTES,
            "echo");
        if (i >= 0)
            times[i] = now_ns() - begun;
    }
    zmq_close(socket);
}

int main(int count, char **words)
{
    void *context = zmq_ctx_new();
    if (count == 2 && strcmp(words[1], "server") == 0) {
        serve(context);
    } else if (count == 4) {
        int times_count = atoi(words[3]);
        uint64_t *times = calloc((size_t)times_count, sizeof *times);
        measure(context, atoi(words[2]), times, times_count);
        report(times, times_count);
        free(times);
    } else {
        return usage("zmq_echo server | zmq_echo echo PORT COUNT");
    }
    zmq_ctx_term(context);
    return 0;
}
