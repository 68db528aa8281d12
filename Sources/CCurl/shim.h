// libcurl, with what Swift cannot call: functions of variable arguments.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// `curl_easy_setopt`, `curl_multi_setopt` and `curl_easy_getinfo` have variable arguments. One function for each type of argument.
static inline CURLcode roster_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode roster_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode roster_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLMcode roster_curl_set_limit(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLcode roster_curl_get_number(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

/// The object that belongs to a transfer (`curl_easy_getinfo` has variable arguments); NULL if there is none.
static inline void *roster_curl_context(CURL *easy) {
    char *context = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context) == CURLE_OK ? context : NULL;
}

/// Copies the body of a request. libcurl must know the size before (`curl_easy_setopt` has variable arguments).
static inline CURLcode roster_curl_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count == 0 ? "" : bytes) : code;
}

/// The file whose content is the body of a request. libcurl reads it while it sends.
struct roster_curl_file {
    int descriptor;
    /// The bytes when the file was opened, and those that are still to be read.
    curl_off_t size;
    curl_off_t left;
};

static inline size_t roster_curl_read_file(char *buffer, size_t size, size_t count, void *context) {
    struct roster_curl_file *file = context;
    size_t wanted = size * count;
    if ((curl_off_t)wanted > file->left) wanted = (size_t)file->left;
    if (wanted == 0) return 0;
    ssize_t taken;
    do taken = read(file->descriptor, buffer, wanted); while (taken < 0 && errno == EINTR);
    // A file that has become shorter must not pass for the whole.
    if (taken <= 0) return CURL_READFUNC_ABORT;
    file->left -= taken;
    return (size_t)taken;
}

static inline int roster_curl_seek_file(void *context, curl_off_t offset, int origin) {
    struct roster_curl_file *file = context;
    if (origin != SEEK_SET || lseek(file->descriptor, offset, SEEK_SET) < 0) return CURL_SEEKFUNC_CANTSEEK;
    file->left = file->size - offset;
    return CURL_SEEKFUNC_OK;
}

/// Sends the content of an open file as the body (`curl_easy_setopt` has variable arguments). The structure must live as long as the
/// transfer.
static inline CURLcode roster_curl_set_file(CURL *easy, struct roster_curl_file *file) {
    CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L),
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, file->size),
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, roster_curl_read_file),
        curl_easy_setopt(easy, CURLOPT_READDATA, file),
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, roster_curl_seek_file),
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, file),
    };
    for (size_t index = 0; index < sizeof codes / sizeof *codes; index++) {
        if (codes[index] != CURLE_OK) return codes[index];
    }
    return CURLE_OK;
}

/// What is left to send of a mail.
struct roster_curl_upload {
    const char *bytes;
    size_t count;
};

static inline size_t roster_curl_read(char *buffer, size_t size, size_t count, void *context) {
    struct roster_curl_upload *upload = context;
    size_t taken = size * count < upload->count ? size * count : upload->count;
    if (taken > 0) memcpy(buffer, upload->bytes, taken);
    upload->bytes += taken;
    upload->count -= taken;
    return taken;
}

/// Sends a mail's bytes, which must stay where they are until the transfer has ended.
static inline CURLcode roster_curl_set_upload(CURL *easy, struct roster_curl_upload *upload) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, roster_curl_read);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, upload);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L) : code;
}

/// What libcurl calls during a transfer; `context` is given to each.
struct roster_curl_callbacks {
    void *context;
    /// At least CURL_ERROR_SIZE bytes, in which libcurl describes a failure.
    char *problem;
    /// Part of the head or of the trailer, and part of the body. They return `count`, or another number to stop the transfer.
    size_t (*head)(char *bytes, size_t size, size_t count, void *context);
    size_t (*body)(char *bytes, size_t size, size_t count, void *context);
    /// Whether a connection to an address may be opened.
    bool (*allows)(void *context, const struct sockaddr *address);
    /// The connection stands, and the request is about to be sent; whether it may be.
    bool (*sends)(void *context);
};

/// Opens a socket to an address that is allowed. Processes that this one starts do not inherit it, not even for a moment:
/// SOCK_CLOEXEC is hidden from Swift behind an enumeration.
static inline curl_socket_t roster_curl_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    const struct roster_curl_callbacks *callbacks = context;
    (void)purpose;
    if (!callbacks->allows(callbacks->context, &address->addr)) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static inline int roster_curl_before_sending(void *context, char *to, char *from, int to_port, int from_port) {
    const struct roster_curl_callbacks *callbacks = context;
    (void)to, (void)from, (void)to_port, (void)from_port;
    return callbacks->sends(callbacks->context) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/// Sets the callbacks (`curl_easy_setopt` has variable arguments). The structure must live as long as the transfer.
static inline CURLcode roster_curl_set_callbacks(CURL *easy, const struct roster_curl_callbacks *callbacks) {
    CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_PRIVATE, callbacks->context),
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, callbacks->problem),
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks->head),
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, callbacks->context),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks->body),
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, callbacks->context),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, roster_curl_open),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, (void *)callbacks),
        curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, roster_curl_before_sending),
        curl_easy_setopt(easy, CURLOPT_PREREQDATA, (void *)callbacks),
    };
    for (size_t index = 0; index < sizeof codes / sizeof *codes; index++) {
        if (codes[index] != CURLE_OK) return codes[index];
    }
    return CURLE_OK;
}

/// The result of a finished transfer, which is in a union that Swift does not read by name.
static inline CURLcode roster_curl_result(const CURLMsg *message) { return message->data.result; }

/// Keeps signals away from the calling thread, so that neither the program's handlers run on it nor a closed connection raises
/// SIGPIPE there. The names of the sets differ between platforms in Swift.
static inline void roster_curl_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}
