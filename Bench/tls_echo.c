// Measures what a plain C program over OpenSSL needs: blocking sockets, TLS 1.3, Ed25519 certificates of their
// own on both sides, TCP_NODELAY.
//   echo       round trips of 64-byte messages, each with a 4-byte header
//   handshake  from connect() to the first byte from the server, a new connection each time
// SPDX-License-Identifier: MIT
#include "bench.h"
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

enum { HEADER_BYTES = 4, FRAME_BYTES = HEADER_BYTES + MESSAGE_BYTES };

static void check_ssl(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

/// Any Ed25519 key will do; TLS itself checks that the peer has the private half.
static int accept_key(X509_STORE_CTX *store, void *unused)
{
    (void)unused;
    EVP_PKEY *key = X509_get0_pubkey(X509_STORE_CTX_get0_cert(store));
    return key != NULL && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519;
}

static SSL_CTX *make_context(void)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    X509 *certificate = X509_new();
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    check_ssl(key != NULL && certificate != NULL && context != NULL, "no memory");
    X509_NAME *name = X509_get_subject_name(certificate);
    check_ssl(X509_set_version(certificate, X509_VERSION_3)
            && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
            && X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
            && X509_gmtime_adj(X509_getm_notAfter(certificate), 86400)
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"bench", -1, -1, 0)
            && X509_set_issuer_name(certificate, name) && X509_set_pubkey(certificate, key)
            && X509_sign(certificate, key, NULL),
        "certificate");
    check_ssl(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
            && SSL_CTX_use_certificate(context, certificate) && SSL_CTX_use_PrivateKey(context, key)
            && SSL_CTX_set1_groups_list(context, "X25519") && SSL_CTX_set1_sigalgs_list(context, "ed25519"),
        "context");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(context, accept_key, NULL);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // One read() a record instead of two.
    SSL_CTX_set_read_ahead(context, getenv("NO_READ_AHEAD") == NULL);
    EVP_PKEY_free(key);
    X509_free(certificate);
    return context;
}

static int read_all(SSL *ssl, uint8_t *into, int count)
{
    for (int got = 0; got < count;) {
        int status = SSL_read(ssl, into + got, count - got);
        if (status <= 0)
            return 0;
        got += status;
    }
    return 1;
}

static int read_frame(SSL *ssl, uint8_t *frame)
{
    if (!read_all(ssl, frame, HEADER_BYTES))
        return 0;
    int length = frame[1] << 16 | frame[2] << 8 | frame[3];
    return length == MESSAGE_BYTES && read_all(ssl, frame + HEADER_BYTES, length);
}

static void serve(SSL_CTX *context, int server)
{
    for (;;) {
        int descriptor = accept(server, NULL, NULL);
        check(descriptor >= 0, "accept");
        no_delay(descriptor);
        SSL *ssl = SSL_new(context);
        uint8_t frame[FRAME_BYTES] = {0};
        if (SSL_set_fd(ssl, descriptor) && SSL_accept(ssl) == 1 && SSL_write(ssl, frame, 1) == 1) {
            while (read_frame(ssl, frame) && SSL_write(ssl, frame, sizeof frame) == sizeof frame)
                ;
        }
        SSL_free(ssl);
        close(descriptor);
    }
}

static SSL *dial(SSL_CTX *context, int port)
{
    struct sockaddr_in address = loopback(port);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    uint8_t first;
    no_delay(descriptor);
    check(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    SSL *ssl = SSL_new(context);
    check_ssl(SSL_set_fd(ssl, descriptor) && SSL_connect(ssl) == 1 && read_all(ssl, &first, 1), "handshake");
    return ssl;
}

static void hang_up(SSL *ssl)
{
    int descriptor = SSL_get_fd(ssl);
    SSL_shutdown(ssl);
    SSL_free(ssl);
    close(descriptor);
}

static void measure_echo(SSL_CTX *context, int port, uint64_t *times, int count)
{
    SSL *ssl = dial(context, port);
    uint8_t frame[FRAME_BYTES] = {0, 0, 0, MESSAGE_BYTES};
    for (int i = -WARM_UP; i < count; i++) {
        uint64_t begun = now_ns();
        check_ssl(SSL_write(ssl, frame, sizeof frame) == sizeof frame && read_frame(ssl, frame), "echo");
        if (i >= 0)
            times[i] = now_ns() - begun;
    }
    hang_up(ssl);
}

static void measure_handshake(SSL_CTX *context, int port, uint64_t *times, int count)
{
    for (int i = -10; i < count; i++) {
        uint64_t begun = now_ns();
        SSL *ssl = dial(context, port);
        if (i >= 0)
            times[i] = now_ns() - begun;
        hang_up(ssl);
    }
}

int main(int count, char **words)
{
    SSL_CTX *context = make_context();
    if (count == 2 && strcmp(words[1], "server") == 0) {
        serve(context, open_server(SOCK_STREAM));
    } else if (count == 4) {
        int times_count = atoi(words[3]);
        uint64_t *times = calloc((size_t)times_count, sizeof *times);
        if (strcmp(words[1], "echo") == 0)
            measure_echo(context, atoi(words[2]), times, times_count);
        else
            measure_handshake(context, atoi(words[2]), times, times_count);
        report(times, times_count);
        free(times);
    } else {
        return usage("tls_echo server | tls_echo echo|handshake PORT COUNT");
    }
    SSL_CTX_free(context);
    return 0;
}
