// liblber, OpenLDAP's library for BER, with what Swift cannot write: a table of C functions from which liblber reads bytes.
#pragma once

#include <errno.h>
#include <lber.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// The bytes that came from a client and that liblber has not read yet.
struct roster_ber_input {
    const unsigned char *bytes;
    size_t count;
};

static inline int roster_ber_setup(Sockbuf_IO_Desc *descriptor, void *input) {
    descriptor->sbiod_pvt = input;
    return 0;
}

static inline int roster_ber_remove(Sockbuf_IO_Desc *descriptor) {
    descriptor->sbiod_pvt = NULL;
    return 0;
}

/// The input has no options. 0 stands for an option that is not known.
static inline int roster_ber_control(Sockbuf_IO_Desc *descriptor, int option, void *argument) {
    (void)descriptor;
    (void)option;
    (void)argument;
    return 0;
}

/// Reads as a non-blocking socket does: without bytes it fails with EWOULDBLOCK, and liblber goes on at the next call.
///
/// liblber reads up to 8 bytes for the tag and the length of a message, and refuses a message of 7 bytes if bytes of the next one are
/// among them. So it gets 2 bytes at once, which no message is shorter than.
static inline ber_slen_t roster_ber_read(Sockbuf_IO_Desc *descriptor, void *buffer, ber_len_t length) {
    struct roster_ber_input *input = descriptor->sbiod_pvt;
    if (input->count == 0) {
        errno = EWOULDBLOCK;
        return -1;
    }
    size_t taken = length <= 8 && length > 2 ? 2 : length;
    if (taken > input->count) taken = input->count;
    memcpy(buffer, input->bytes, taken);
    input->bytes += taken;
    input->count -= taken;
    return (ber_slen_t)taken;
}

/// Answers do not go through liblber.
static inline ber_slen_t roster_ber_write(Sockbuf_IO_Desc *descriptor, void *buffer, ber_len_t length) {
    (void)descriptor;
    (void)buffer;
    (void)length;
    errno = EPIPE;
    return -1;
}

static inline int roster_ber_close(Sockbuf_IO_Desc *descriptor) {
    (void)descriptor;
    return 0;
}

/// A source of messages that reads from `input`. NULL without memory.
static inline Sockbuf *roster_ber_source(struct roster_ber_input *input) {
    static Sockbuf_IO functions = {
        roster_ber_setup, roster_ber_remove, roster_ber_control, roster_ber_read, roster_ber_write, roster_ber_close};
    Sockbuf *source = ber_sockbuf_alloc();
    if (source == NULL) return NULL;
    if (ber_sockbuf_add_io(source, &functions, LBER_SBIOD_LEVEL_PROVIDER, input) != 0) {
        ber_sockbuf_free(source);
        return NULL;
    }
    return source;
}

/// Sets the size of the largest message that a source takes.
static inline void roster_ber_set_limit(Sockbuf *source, ber_len_t size) {
    ber_sockbuf_ctrl(source, LBER_SB_OPT_SET_MAX_INCOMING, &size);
}

/// What `ber_get_next` found: a message, nothing until more bytes come, or bytes that are no message.
enum roster_ber_next { roster_ber_message, roster_ber_more, roster_ber_broken };

/// Reads the next message. `errno` and the tag LBER_DEFAULT, a macro, do not come into Swift.
static inline enum roster_ber_next roster_ber_get_next(Sockbuf *source, BerElement *element, ber_tag_t *tag) {
    ber_len_t length = 0;
    errno = 0;
    *tag = ber_get_next(source, &length, element);
    if (*tag != LBER_DEFAULT) return roster_ber_message;
    return errno == EWOULDBLOCK || errno == EAGAIN ? roster_ber_more : roster_ber_broken;
}

static inline bool roster_ber_is_error(ber_tag_t tag) { return tag == LBER_ERROR; }

/// An empty element for writing (`LBER_USE_DER` gives each length its shortest form).
static inline BerElement *roster_ber_writer(void) { return ber_alloc_t(LBER_USE_DER); }
