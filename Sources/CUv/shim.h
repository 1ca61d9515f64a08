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

/// Starts a program without a shell and without arguments, with a pipe to its input and one from its output; its
/// error output is this process's. It leads a process group of its own, in a session of its own. Both pipes must be
/// initialised. Returns libuv's status.
static inline int parlor_spawn(
    uv_loop_t *loop, uv_process_t *process, const char *path, uv_pipe_t *input, uv_pipe_t *output, uv_exit_cb exited)
{
    char *arguments[] = {(char *)path, NULL};
    uv_stdio_container_t stdio[3];
    memset(stdio, 0, sizeof stdio);
    stdio[0].flags = (uv_stdio_flags)(UV_CREATE_PIPE | UV_READABLE_PIPE);
    stdio[0].data.stream = (uv_stream_t *)input;
    stdio[1].flags = (uv_stdio_flags)(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    stdio[1].data.stream = (uv_stream_t *)output;
    stdio[2].flags = UV_INHERIT_FD;
    stdio[2].data.fd = 2;
    uv_process_options_t options;
    memset(&options, 0, sizeof options);
    options.file = path;
    options.args = arguments;
    options.stdio = stdio;
    options.stdio_count = 3;
    options.exit_cb = exited;
    options.flags = UV_PROCESS_DETACHED;
    return uv_spawn(loop, process, &options);
}
