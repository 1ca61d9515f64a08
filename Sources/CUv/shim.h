#pragma once
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <uv.h>

/// Builds a socket address from 4 or 16 address bytes in network order.
static inline void parlor_sockaddr_make(
    const uint8_t *bytes, size_t count, uint16_t port, uint32_t scope, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (count == 4) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)out;
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        memcpy(&v4->sin_addr, bytes, 4);
    } else {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        v6->sin6_scope_id = scope;
        memcpy(&v6->sin6_addr, bytes, 16);
    }
}

/// Takes a socket address apart. Returns how many address bytes were written: 4, 16, or 0 for another family.
static inline size_t parlor_sockaddr_take(
    const struct sockaddr *in, uint8_t *bytes, uint16_t *port, uint32_t *scope)
{
    *scope = 0;
    if (in->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)in;
        *port = ntohs(v4->sin_port);
        memcpy(bytes, &v4->sin_addr, 4);
        return 4;
    }
    if (in->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)in;
        *port = ntohs(v6->sin6_port);
        *scope = v6->sin6_scope_id;
        memcpy(bytes, &v6->sin6_addr, 16);
        return 16;
    }
    return 0;
}

/// How many bytes of a socket address are in use: 16, 28, or 0 for a family other than IPv4 and IPv6.
static inline size_t parlor_sockaddr_size(const struct sockaddr *in)
{
    if (in->sa_family == AF_INET)
        return sizeof(struct sockaddr_in);
    return in->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 0;
}

/// A small number that differs between neighbours: the last byte of the address, mixed with that of the port.
static inline uint8_t parlor_sockaddr_mix(const struct sockaddr *in)
{
    const uint8_t *bytes = (const uint8_t *)in;
    return bytes[3] ^ bytes[in->sa_family == AF_INET6 ? 23 : 7];
}

/// Which user holds the other end of a Unix socket (SO_PEERCRED). Returns 0, or -1 with errno set.
static inline int parlor_peer_uid(int descriptor, uint32_t *uid)
{
    struct { int32_t pid; uint32_t uid; uint32_t gid; } credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return -1;
    *uid = credentials.uid;
    return 0;
}

