#ifndef ROSTER_LIBPQ_H
#define ROSTER_LIBPQ_H

// The functions of libpq that Roster calls. libpq is loaded when the first directory on a server is opened. Roster builds, and runs on
// a file, without PostgreSQL. The types must match those of libpq-fe.h; nothing checks this.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

#pragma clang assume_nonnull begin
typedef struct roster_libpq {
    PGconn *_Nullable (*_Nonnull connect)(const char *_Nullable const *_Nullable names, const char *_Nullable const *_Nullable values, int expands_dbname);
    void (*_Nonnull finish)(PGconn *connection);
    int (*_Nonnull status)(const PGconn *connection);
    int (*_Nonnull backend_pid)(const PGconn *connection);
    int (*_Nonnull server_version)(const PGconn *connection);
    char *_Nullable (*_Nonnull error_message)(const PGconn *connection);
    const char *_Nullable (*_Nonnull parameter_status)(const PGconn *connection, const char *name);
    void *_Nullable (*_Nonnull set_notice_processor)(
        PGconn *connection, void (*_Nullable processor)(void *_Nullable context, const char *message), void *_Nullable context);

    PGresult *_Nullable (*_Nonnull exec)(PGconn *connection, const char *text);
    int (*_Nonnull enter_pipeline)(PGconn *connection);
    int (*_Nonnull exit_pipeline)(PGconn *connection);
    int (*_Nonnull pipeline_sync)(PGconn *connection);
    int (*_Nonnull send_flush_request)(PGconn *connection);
    int (*_Nonnull flush)(PGconn *connection);
    int (*_Nonnull send_prepare)(PGconn *connection, const char *name, const char *text, int count, const unsigned *_Nullable types);
    int (*_Nonnull send_prepared)(
        PGconn *connection, const char *name, int count, const char *_Nullable const *_Nullable values,
        const int *_Nullable lengths, const int *_Nullable formats, int result_format);
    int (*_Nonnull send_text)(
        PGconn *connection, const char *text, int count, const unsigned *_Nullable types,
        const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats, int result_format);
    PGresult *_Nullable (*_Nonnull get_result)(PGconn *connection);
    int (*_Nonnull socket)(const PGconn *connection);
    int (*_Nonnull is_busy)(PGconn *connection);
    int (*_Nonnull consume_input)(PGconn *connection);
    int (*_Nonnull put_copy_data)(PGconn *connection, const char *bytes, int count);
    int (*_Nonnull put_copy_end)(PGconn *connection, const char *_Nullable error);

    int (*_Nonnull result_status)(const PGresult *_Nullable result);
    char *_Nullable (*_Nonnull result_error_field)(const PGresult *result, int field);
    int (*_Nonnull row_count)(const PGresult *result);
    int (*_Nonnull column_count)(const PGresult *result);
    unsigned (*_Nonnull column_type)(const PGresult *result, int column);
    char *_Nullable (*_Nonnull value)(const PGresult *result, int row, int column);
    int (*_Nonnull length)(const PGresult *result, int row, int column);
    int (*_Nonnull is_null)(const PGresult *result, int row, int column);
    char *_Nullable (*_Nonnull changed_rows)(PGresult *result);
    void (*_Nonnull clear)(PGresult *_Nullable result);
} roster_libpq;
#pragma clang assume_nonnull end

// Loads libpq once. Returns NULL if the system has none, or none of version 14 or later.
const roster_libpq *_Nullable roster_libpq_load(void);

enum {
    roster_pq_connection_ok = 0,
    roster_pq_command_ok = 1, roster_pq_tuples_ok = 2, roster_pq_copy_in = 4, roster_pq_pipeline_aborted = 11,
};
#endif
