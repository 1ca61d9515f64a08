// Measures round trips of 64-byte datagrams over blocking UDP sockets.
//   plain  as they are
//   aead   sealed with ChaCha20-Poly1305-IETF of libsodium under a fixed key for each direction, with the header
//          that Parlor's datagrams have: version u8, link ID u32, counter u64. Link ID and counter are the nonce,
//          the header is the additional data. A counter that is not above the last is thrown away.
// SPDX-License-Identifier: MIT
#include "bench.h"
#include <sodium.h>

enum {
    HEADER_BYTES = 13,
    TAG_BYTES = crypto_aead_chacha20poly1305_ietf_ABYTES,
    SEALED_BYTES = HEADER_BYTES + MESSAGE_BYTES + TAG_BYTES,
};

struct direction {
    uint8_t key[crypto_aead_chacha20poly1305_ietf_KEYBYTES];
    uint64_t counter;
};

static struct direction to_server = {.key = {1}}, to_client = {.key = {2}};

static size_t seal(struct direction *out, const uint8_t *message, size_t count, uint8_t *datagram)
{
    uint32_t link = htonl(7);
    uint64_t counter = ++out->counter;
    datagram[0] = 1;
    memcpy(datagram + 1, &link, 4);
    for (int i = 0; i < 8; i++)
        datagram[5 + i] = (uint8_t)(counter >> (56 - 8 * i));
    unsigned long long sealed;
    crypto_aead_chacha20poly1305_ietf_encrypt(datagram + HEADER_BYTES, &sealed, message, count, datagram,
        HEADER_BYTES, NULL, datagram + 1, out->key);
    return HEADER_BYTES + (size_t)sealed;
}

/// Returns the length of what was sealed, or 0.
static size_t open_sealed(struct direction *in, const uint8_t *datagram, size_t count, uint8_t *message)
{
    uint64_t counter = 0;
    if (count < HEADER_BYTES + TAG_BYTES || datagram[0] != 1)
        return 0;
    for (int i = 0; i < 8; i++)
        counter = counter << 8 | datagram[5 + i];
    unsigned long long opened;
    if (counter <= in->counter
        || crypto_aead_chacha20poly1305_ietf_decrypt(message, &opened, NULL, datagram + HEADER_BYTES,
               count - HEADER_BYTES, datagram, HEADER_BYTES, datagram + 1, in->key)
            != 0)
        return 0;
    in->counter = counter;
    return (size_t)opened;
}

/// A datagram of one byte before all others says that counters begin anew.
static void serve(int server)
{
    uint8_t datagram[2048], message[2048];
    for (;;) {
        struct sockaddr_in peer;
        socklen_t size = sizeof peer;
        ssize_t got = recvfrom(server, datagram, sizeof datagram, 0, (struct sockaddr *)&peer, &size);
        check(got >= 0, "recvfrom");
        size_t count = (size_t)got;
        if (count == 1) {
            to_server.counter = 0;
        } else if (count == SEALED_BYTES) {
            count = open_sealed(&to_server, datagram, count, message);
            if (count == 0)
                continue;
            count = seal(&to_client, message, count, datagram);
        }
        check(sendto(server, datagram, count, 0, (struct sockaddr *)&peer, size) == (ssize_t)count, "sendto");
    }
}

static void exchange(int client, struct sockaddr_in *peer, int is_sealed, uint8_t *message)
{
    uint8_t datagram[2048];
    size_t count = MESSAGE_BYTES;
    if (is_sealed)
        count = seal(&to_server, message, MESSAGE_BYTES, datagram);
    else
        memcpy(datagram, message, count);
    check(sendto(client, datagram, count, 0, (struct sockaddr *)peer, sizeof *peer) == (ssize_t)count, "sendto");
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t got = recvfrom(client, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &size);
    check(got == (ssize_t)count, "recvfrom (a lost datagram on loopback?)");
    if (is_sealed)
        check(open_sealed(&to_client, datagram, count, message) == MESSAGE_BYTES, "open");
    else
        memcpy(message, datagram, count);
}

static void measure(int port, int is_sealed, uint64_t *times, int count)
{
    struct sockaddr_in peer = loopback(port);
    int client = socket(AF_INET, SOCK_DGRAM, 0);
    struct timeval patience = {.tv_sec = 2};
    uint8_t message[MESSAGE_BYTES] = {0}, first = 0;
    check(client >= 0, "socket");
    check(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0, "SO_RCVTIMEO");
    check(sendto(client, &first, 1, 0, (struct sockaddr *)&peer, sizeof peer) == 1
            && recv(client, &first, 1, 0) == 1,
        "hello");
    for (int i = -WARM_UP; i < count; i++) {
        uint64_t begun = now_ns();
        exchange(client, &peer, is_sealed, message);
        if (i >= 0)
            times[i] = now_ns() - begun;
    }
    close(client);
}

int main(int count, char **words)
{
    check(sodium_init() >= 0, "sodium");
    if (count == 2 && strcmp(words[1], "server") == 0) {
        serve(open_server(SOCK_DGRAM));
    } else if (count == 4) {
        int times_count = atoi(words[3]);
        uint64_t *times = calloc((size_t)times_count, sizeof *times);
        measure(atoi(words[2]), strcmp(words[1], "aead") == 0, times, times_count);
        report(times, times_count);
        free(times);
    } else {
        return usage("udp_echo server | udp_echo plain|aead PORT COUNT");
    }
    return 0;
}
