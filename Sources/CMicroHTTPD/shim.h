// libmicrohttpd and GnuTLS, on which it is built, with what Swift cannot call: functions of variable arguments.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/// What is called back; one structure, for `MHD_start_daemon` takes its options as variable arguments.
struct roster_mhd_callbacks {
    void *context;
    MHD_AccessHandlerCallback access;
    void *(*line)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    /// The certificate of each handshake; NULL for plain HTTP.
    gnutls_certificate_retrieve_function2 *certificate;
    const char *priorities;
    /// Hears of errors, before they are answered.
    MHD_LogCallback log;
    void *log_context;
};

/// The status with which libmicrohttpd is about to answer an error by itself, as its log tells; 0 where the message tells of
/// something else.
static inline unsigned int roster_mhd_error_status(const char *format, va_list arguments) {
    static const char beginning[] = "Error processing request (HTTP response code is %u";
    if (strncmp(format, beginning, sizeof beginning - 1) != 0) return 0;
    va_list copy;
    va_copy(copy, arguments);
    unsigned int status = va_arg(copy, unsigned int);
    va_end(copy);
    return status;
}

/// Leaves the target as it was sent. The product decodes targets itself, once.
static inline size_t roster_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// Hides the query from libmicrohttpd, once its text has been kept: it would parse the parameters, for which the
/// product has rules of its own, and where they are more than its memory can hold it hangs and uses all of the
/// processor. (It lets this callback process the target before it does, yet declares it constant.)
static inline void roster_mhd_hide_query(const char *target) {
    char *query = strchr(target, '?');
    if (query != NULL) query[1] = '\0';
}

/// Sets the options of a response (`MHD_set_response_options` has variable arguments). `no_chunks`: libmicrohttpd would end
/// a body in chunks also where HEAD or the status forbids a body. `keeps`: it tells clients of HTTP/1.1 of a connection that
/// is kept, too.
static inline void roster_mhd_set_options(struct MHD_Response *response, bool no_chunks, bool keeps) {
    int flags = MHD_RF_NONE;
    if (no_chunks) flags |= MHD_RF_HTTP_1_0_COMPATIBLE_STRICT;
    if (keeps) flags |= MHD_RF_SEND_KEEP_ALIVE_HEADER;
    if (flags != MHD_RF_NONE) MHD_set_response_options(response, (enum MHD_ResponseFlags)flags, MHD_RO_END);
}

/// Starts one thread with a poll of its own, which serves the sockets that it is given. NULL where that fails.
static inline struct MHD_Daemon *roster_mhd_start(
    const struct roster_mhd_callbacks *callbacks, size_t memory, unsigned int connections) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME
        | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)callbacks->certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)callbacks->priorities},
        {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    if (callbacks->certificate != NULL) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks->access, callbacks->context,
        MHD_OPTION_EXTERNAL_LOGGER, callbacks->log, callbacks->log_context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->line, callbacks->context,
        MHD_OPTION_UNESCAPE_CALLBACK, roster_mhd_keep_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
        MHD_OPTION_ARRAY, callbacks->certificate != NULL ? tls : plain,
        MHD_OPTION_END);
}

/// The pointer that was stored when the connection started (`MHD_get_connection_info` has variable arguments).
static inline void *roster_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The socket of a connection (`MHD_get_connection_info` has variable arguments); -1 where there is none.
static inline int roster_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// Sends the last bytes of a connection past libmicrohttpd, which can send nothing more.
static inline void roster_mhd_send_last(struct MHD_Connection *connection, const void *text, size_t count) {
    const union MHD_ConnectionInfo *tls = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    int descriptor = roster_mhd_descriptor(connection);
    if (tls != NULL) {
        gnutls_record_send((gnutls_session_t)tls->tls_session, text, count);
    } else {
        send(descriptor, text, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    shutdown(descriptor, SHUT_WR);
}

/// How many bytes the head of the request took (`MHD_get_connection_info` has variable arguments).
static inline size_t roster_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

#ifdef __linux__
/// Its declaration is hidden from Swift behind a macro.
int accept4(int listener, struct sockaddr *address, socklen_t *size, int flags);

/// A connection that processes which this one starts do not inherit, not even for a moment.
static inline int roster_accept(int listener, struct sockaddr *address, socklen_t *size) {
    return accept4(listener, address, size, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
#else
static inline int roster_accept(int listener, struct sockaddr *address, socklen_t *size) {
    return accept(listener, address, size);
}
#endif
