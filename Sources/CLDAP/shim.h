// libldap, OpenLDAP's library for clients, with what Swift cannot write: options by macros, and constants with casts.
#pragma once

#include <ldap.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>

/// Prepares a client of the server at `url`, which trusts the authorities in the file `authorities`; NULL for those of the system.
/// It follows no referrals, which could lead to another server, and waits `seconds` for each answer.
static inline int roster_ldap_open(LDAP **client, const char *url, const char *authorities, int seconds) {
    int code = ldap_initialize(client, url);
    if (code != LDAP_SUCCESS) return code;
    int version = LDAP_VERSION3, demand = LDAP_OPT_X_TLS_DEMAND, is_server = 0;
    struct timeval wait = {.tv_sec = seconds};
    bool good = ldap_set_option(*client, LDAP_OPT_PROTOCOL_VERSION, &version) == LDAP_OPT_SUCCESS
        && ldap_set_option(*client, LDAP_OPT_REFERRALS, LDAP_OPT_OFF) == LDAP_OPT_SUCCESS
        && ldap_set_option(*client, LDAP_OPT_NETWORK_TIMEOUT, &wait) == LDAP_OPT_SUCCESS
        && ldap_set_option(*client, LDAP_OPT_TIMEOUT, &wait) == LDAP_OPT_SUCCESS
        && ldap_set_option(*client, LDAP_OPT_X_TLS_REQUIRE_CERT, &demand) == LDAP_OPT_SUCCESS;
    if (good && authorities != NULL)
        good = ldap_set_option(*client, LDAP_OPT_X_TLS_CACERTFILE, authorities) == LDAP_OPT_SUCCESS;
    // The settings of TLS count for the next context.
    good = good && ldap_set_option(*client, LDAP_OPT_X_TLS_NEWCTX, &is_server) == LDAP_OPT_SUCCESS;
    return good ? LDAP_SUCCESS : LDAP_PARAM_ERROR;
}

/// Binds with a name and a password.
static inline int roster_ldap_bind(LDAP *client, const char *name, const char *password, size_t length) {
    struct berval credentials = {.bv_len = length, .bv_val = (char *)password};
    return ldap_sasl_bind_s(client, name, LDAP_SASL_SIMPLE, &credentials, NULL, NULL, NULL);
}

/// Finds the entries of a page. Without a size it asks for no page. `next` gets the cookie of the next page, which is empty for the last
/// one.
static inline int roster_ldap_search(
    LDAP *client, const char *base, int scope, const char *filter, char **attributes, int size, struct berval *cookie,
    LDAPMessage **found, struct berval *next) {
    LDAPControl *page = NULL, *controls[2] = {NULL, NULL}, **answered = NULL;
    int code = LDAP_SUCCESS;
    if (size > 0) {
        code = ldap_create_page_control(client, size, cookie, 0, &page);
        if (code != LDAP_SUCCESS) return code;
        controls[0] = page;
    }
    code = ldap_search_ext_s(client, base, scope, filter, attributes, 0, size > 0 ? controls : NULL, NULL, NULL, 0, found);
    if (page != NULL) ldap_control_free(page);
    next->bv_len = 0;
    next->bv_val = NULL;
    int result = LDAP_SUCCESS;
    if (size > 0 && *found != NULL && code == LDAP_SUCCESS
        && ldap_parse_result(client, *found, &result, NULL, NULL, NULL, &answered, 0) == LDAP_SUCCESS) {
        ber_int_t estimate = 0;
        LDAPControl *control = ldap_control_find(LDAP_CONTROL_PAGEDRESULTS, answered, NULL);
        if (control != NULL) ldap_parse_pageresponse_control(client, control, &estimate, next);
        if (answered != NULL) ldap_controls_free(answered);
    }
    return code;
}

/// The message that the server sent with its last refusal; NULL for none. The caller frees it with `ldap_memfree`.
static inline char *roster_ldap_message(LDAP *client) {
    char *text = NULL;
    ldap_get_option(client, LDAP_OPT_DIAGNOSTIC_MESSAGE, &text);
    return text;
}
