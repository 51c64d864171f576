#ifndef PEERSYNC_COPENSSL_SHIM_H
#define PEERSYNC_COPENSSL_SHIM_H

// What is deprecated in 3.0 is not even declared.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift sees no macros with arguments and no variadic functions: these stand in for those that are needed. The names
// are those of OpenSSL behind a prefix.

static inline int peersync_SSL_CTX_set_proto_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) && SSL_CTX_set_max_proto_version(context, highest);
}

static inline int peersync_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *groups) {
  return (int)SSL_CTX_set1_groups_list(context, groups);
}

static inline int peersync_SSL_CTX_set1_sigalgs_list(SSL_CTX *context, const char *algorithms) {
  return (int)SSL_CTX_set1_sigalgs_list(context, algorithms);
}

static inline void peersync_SSL_CTX_set_session_cache_mode(SSL_CTX *context, int mode) {
  SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void peersync_SSL_CTX_set_mode(SSL_CTX *context, int mode) { SSL_CTX_set_mode(context, mode); }

// No compression, tickets or renegotiation; and nothing that pretends to be an older version for boxes on the way that
// know no other: those are not between peers.
static inline void peersync_SSL_CTX_set_options(SSL_CTX *context) {
  SSL_CTX_set_options(
    context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_ENCRYPT_THEN_MAC |
      SSL_OP_NO_EXTENDED_MASTER_SECRET);
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
}

static inline int peersync_SSL_set_app_data(SSL *ssl, void *data) { return SSL_set_app_data(ssl, data); }

static inline void *peersync_SSL_get_app_data(const SSL *ssl) { return SSL_get_app_data(ssl); }

// The bytes that wait in a memory BIO.
static inline size_t peersync_BIO_get_mem_data(BIO *bio, char **bytes) {
  long count = BIO_get_mem_data(bio, bytes);
  return count > 0 ? (size_t)count : 0;
}

static inline int peersync_BIO_reset(BIO *bio) { return (int)BIO_reset(bio); }

// What reading an empty memory BIO returns: -1 means "not yet", 0 means the end.
static inline void peersync_BIO_set_mem_eof_return(BIO *bio, int value) { BIO_set_mem_eof_return(bio, value); }

static inline EVP_PKEY *peersync_EVP_PKEY_generate(const char *type) {
  return EVP_PKEY_Q_keygen(NULL, NULL, type);
}

#endif
