// Measures ENet's reliable channel on loopback with 64-byte messages, not encrypted.
//   echo  round trips
//   rate  messages a second one way: sent in batches, until the server says that it has all of them; now and then
//         one comes back, so that the sender knows how far behind the server is
// SPDX-License-Identifier: MIT
#include "bench.h"
#include <enet/enet.h>

enum { BATCH = 64, MARK_EVERY = 1024, BEHIND_MAX = 4 * MARK_EVERY, KIND_ECHO = 0, KIND_COUNT = 1 };

static void send_message(ENetPeer *peer, const uint8_t *message, size_t count)
{
    ENetPacket *packet = enet_packet_create(message, count, ENET_PACKET_FLAG_RELIABLE);
    check(packet != NULL && enet_peer_send(peer, 0, packet) == 0, "enet_peer_send");
}

static void serve(void)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = 0};
    ENetHost *host = enet_host_create(&address, 16, 1, 0, 0);
    check(host != NULL && enet_socket_get_address(host->socket, &address) == 0, "enet_host_create");
    printf("ready %d\n", address.port);
    fflush(stdout);
    for (;;) {
        ENetEvent event;
        if (enet_host_service(host, &event, 1000) <= 0 || event.type != ENET_EVENT_TYPE_RECEIVE)
            continue;
        if (event.packet->data[0] != KIND_COUNT) {
            send_message(event.peer, event.packet->data, event.packet->dataLength);
            enet_host_flush(host);
        }
        enet_packet_destroy(event.packet);
    }
}

/// Waits for one message and forgets it.
static void await_message(ENetHost *host)
{
    ENetEvent event;
    do
        check(enet_host_service(host, &event, 5000) > 0, "no answer");
    while (event.type != ENET_EVENT_TYPE_RECEIVE);
    enet_packet_destroy(event.packet);
}

static void measure_echo(ENetHost *host, ENetPeer *peer, int count)
{
    uint64_t *times = calloc((size_t)count, sizeof *times);
    uint8_t message[MESSAGE_BYTES] = {KIND_ECHO};
    for (int i = -WARM_UP; i < count; i++) {
        uint64_t begun = now_ns();
        send_message(peer, message, sizeof message);
        enet_host_flush(host);
        await_message(host);
        if (i >= 0)
            times[i] = now_ns() - begun;
    }
    report(times, count);
    free(times);
}

static void measure_rate(ENetHost *host, ENetPeer *peer, int count)
{
    uint8_t message[MESSAGE_BYTES] = {KIND_COUNT};
    ENetEvent event;
    int sent = 0, arrived = 0;
    uint64_t begun = now_ns();
    while (arrived < count) {
        for (int i = 0; i < BATCH && sent < count && sent - arrived < BEHIND_MAX; i++) {
            sent++;
            message[0] = sent % MARK_EVERY == 0 || sent == count ? KIND_ECHO : KIND_COUNT;
            send_message(peer, message, sizeof message);
        }
        int may_send = sent < count && sent - arrived < BEHIND_MAX;
        while (enet_host_service(host, &event, may_send ? 0 : 1) > 0) {
            if (event.type != ENET_EVENT_TYPE_RECEIVE)
                continue;
            arrived = arrived + MARK_EVERY < count ? arrived + MARK_EVERY : count;
            enet_packet_destroy(event.packet);
        }
    }
    printf("rate=%.0f count=%d\n", (double)count * 1e9 / (double)(now_ns() - begun), count);
}

int main(int count, char **words)
{
    check(enet_initialize() == 0, "enet");
    if (count == 2 && strcmp(words[1], "server") == 0) {
        serve();
    } else if (count == 4) {
        ENetHost *host = enet_host_create(NULL, 1, 1, 0, 0);
        ENetAddress address = {.host = htonl(INADDR_LOOPBACK), .port = (enet_uint16)atoi(words[2])};
        ENetPeer *peer = host == NULL ? NULL : enet_host_connect(host, &address, 1, 0);
        ENetEvent event;
        check(peer != NULL && enet_host_service(host, &event, 5000) > 0 && event.type == ENET_EVENT_TYPE_CONNECT,
            "connect");
        if (strcmp(words[1], "echo") == 0)
            measure_echo(host, peer, atoi(words[3]));
        else
            measure_rate(host, peer, atoi(words[3]));
        enet_peer_disconnect_now(peer, 0);
        enet_host_destroy(host);
    } else {
        return usage("enet_echo server | enet_echo echo|rate PORT COUNT");
    }
    return 0;
}
