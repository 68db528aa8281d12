// GnuTLS, with what Swift cannot write: flags that are combined, and a macro for the socket.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// Begins a session of a server whose calls never wait and send no signal.
static inline int roster_tls_init(gnutls_session_t *session) {
    return gnutls_init(session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
}

/// Sets the socket of a session (`gnutls_transport_set_int` is a macro).
static inline void roster_tls_set_socket(gnutls_session_t session, int descriptor) {
    gnutls_transport_set_int2(session, descriptor, descriptor);
}

/// Verifies the certificate of a client, which must be one for clients (`GNUTLS_KP_TLS_WWW_CLIENT` is a macro).
static inline int roster_tls_verify_client(gnutls_session_t session, unsigned *status) {
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT, .size = 0};
    return gnutls_certificate_verify_peers(session, &purpose, 1, status);
}
