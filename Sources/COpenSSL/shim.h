#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// Function-like macros do not reach Swift; these give each of them a name.

static inline int parlor_ssl_ctx_only_tls13(SSL_CTX *context)
{
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

static inline int parlor_ssl_ctx_set_groups(SSL_CTX *context, const char *list)
{
    return (int)SSL_CTX_set1_groups_list(context, list);
}

static inline int parlor_ssl_ctx_set_signature_algorithms(SSL_CTX *context, const char *list)
{
    return SSL_CTX_set1_sigalgs_list(context, list) && SSL_CTX_set1_client_sigalgs_list(context, list);
}

/// No session may outlive its connection: no cache, no tickets.
static inline void parlor_ssl_ctx_forget_sessions(SSL_CTX *context)
{
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
}

static inline void parlor_ssl_ctx_set_modes(SSL_CTX *context)
{
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline void parlor_ssl_ctx_set_certificate_bytes_max(SSL_CTX *context, long bytes)
{
    SSL_CTX_set_max_cert_list(context, bytes);
}

static inline void parlor_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void parlor_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline int parlor_ssl_client_hello_has_alpn(SSL *ssl)
{
    const unsigned char *bytes;
    size_t count;
    return SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &bytes, &count);
}
