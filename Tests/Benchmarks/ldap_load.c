// Load on an LDAP server: one kind of operation, from THREADS connections for SECONDS. Each connection binds once. Prints a line when all
// are bound, begins when it reads a line, and prints the number of operations. `ldap.py` compiles and runs it.
// Usage: ldap_load URI BIND_DN PASSWORD PEOPLE KIND THREADS SECONDS
#define LDAP_DEPRECATED 1
#include <ldap.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEOPLE_DN "ou=people,dc=example,dc=com"
#define GROUPS_DN "ou=groups,dc=example,dc=com"

static char **arguments;
static long people, counts[64];
static volatile int ends;
static pthread_barrier_t bound, begun;

static void fail(const char *what, int code) {
    fprintf(stderr, "%s: %s\n", what, ldap_err2string(code));
    exit(1);
}

static void search(LDAP *ldap, const char *filter, char **attributes) {
    LDAPMessage *found = 0;
    int code = ldap_search_ext_s(ldap, PEOPLE_DN, LDAP_SCOPE_SUBTREE, filter, attributes, 0, 0, 0, 0, 0, &found);
    if (code) fail(filter, code);
    if (ldap_count_entries(ldap, found) != 1) fail(filter, LDAP_NO_SUCH_OBJECT);
    if (attributes) {
        char **values = ldap_get_values(ldap, ldap_first_entry(ldap, found), attributes[0]);
        if (ldap_count_values(values) != 200) fail("200 values of memberOf", LDAP_NO_SUCH_ATTRIBUTE);
        ldap_value_free(values);
    }
    ldap_msgfree(found);
}

static void *work(void *argument) {
    long me = (long)argument;
    const char *kind = arguments[5];
    char *groups[] = {"memberOf", 0};
    LDAP *ldap;
    int version = 3, code;
    unsigned seed = me * 7919 + 1;
    ldap_initialize(&ldap, arguments[1]);
    ldap_set_option(ldap, LDAP_OPT_PROTOCOL_VERSION, &version);
    if ((code = ldap_simple_bind_s(ldap, arguments[2], arguments[3]))) fail("bind", code);
    pthread_barrier_wait(&bound);
    pthread_barrier_wait(&begun);
    while (!ends) {
        char text[256];
        seed = seed * 1664525u + 1013904223u;
        long n = 1 + (long)((unsigned long)seed * people >> 32);
        if (!strcmp(kind, "uid")) {
            snprintf(text, sizeof text, "(uid=user%07ld)", n);
            search(ldap, text, 0);
        } else if (!strcmp(kind, "uid-and-group")) {
            snprintf(text, sizeof text, "(&(uid=user%07ld)(memberOf=cn=everyone," GROUPS_DN "))", n);
            search(ldap, text, 0);
        } else if (!strcmp(kind, "uid-or-mail")) {
            snprintf(text, sizeof text, "(|(uid=user%07ld)(mail=user%07ld@example.com))", n, n);
            search(ldap, text, 0);
        } else if (!strcmp(kind, "nested-groups")) {
            search(ldap, "(uid=nested)", groups);
        } else if (!strcmp(kind, "direct-groups")) {
            search(ldap, "(uid=direct)", groups);
        } else {
            char title[32], *values[] = {title, 0};
            LDAPMod change = {LDAP_MOD_REPLACE, "title", {values}}, *changes[] = {&change, 0};
            snprintf(text, sizeof text, "uid=user%07ld," PEOPLE_DN, n);
            snprintf(title, sizeof title, "T%u", seed);
            if ((code = ldap_modify_ext_s(ldap, text, changes, 0, 0))) fail(text, code);
        }
        counts[me]++;
    }
    ldap_unbind_ext_s(ldap, 0, 0);
    return 0;
}

int main(int count, char **given) {
    if (count != 8) return fprintf(stderr, "usage: %s URI BIND_DN PASSWORD PEOPLE KIND THREADS SECONDS\n", given[0]), 2;
    arguments = given;
    people = atol(given[4]);
    int threads = atoi(given[6]);
    pthread_t thread[64];
    long total = 0;
    if (threads < 1 || threads > 64) return fprintf(stderr, "from 1 to 64 connections\n"), 2;
    pthread_barrier_init(&bound, 0, threads + 1);
    pthread_barrier_init(&begun, 0, threads + 1);
    for (long i = 0; i < threads; i++) pthread_create(thread + i, 0, work, (void *)i);
    pthread_barrier_wait(&bound);
    puts("bound");
    fflush(stdout);
    if (getchar() == EOF) return 1;
    pthread_barrier_wait(&begun);
    sleep(atoi(given[7]));
    ends = 1;
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], 0);
        total += counts[i];
    }
    printf("%ld\n", total);
    return 0;
}
