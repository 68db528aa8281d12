#ifndef ROSTER_CSQLITE_SHIM_H
#define ROSTER_CSQLITE_SHIM_H
#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
// Turns off "text" as a string literal, so that a misspelt column is an error, and the risky corners of SQLite.
static inline int roster_sqlite_harden(sqlite3 *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
    return result;
}

// Variadic too. A connection that only reads must not checkpoint when it closes: see RosterStore/Writer.swift.
static inline int roster_sqlite_never_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import.
static inline int roster_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

// Reads the first bytes of a connection's file, by the descriptor that SQLite has open: nobody else may open the file, because closing
// any descriptor of a file drops all locks of the process on it. Takes no lock. The rest of a shorter file reads as zeros.
static inline int roster_sqlite_read_start(sqlite3 *database, void *bytes, int count) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xRead(file, bytes, count, 0);
}

// Read and write a part of a connection's file by the descriptor that SQLite has open.
static inline int roster_sqlite_read(sqlite3 *database, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xRead(file, bytes, count, offset);
}
static inline int roster_sqlite_write(sqlite3 *database, const void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xWrite(file, bytes, count, offset);
}
static inline int roster_sqlite_sync(sqlite3 *database) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK || !file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

// Variadic too.
static inline int roster_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
static inline int roster_sqlite_begin_caches_with(int pages) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, pages);
}
#endif
