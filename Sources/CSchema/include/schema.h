#ifndef ROSTER_SCHEMA_H
#define ROSTER_SCHEMA_H
#include <stddef.h>

// The files of Schema/sqlite/ and Schema/postgresql/, in order, as they were when the program was compiled.
typedef struct { const char *name; const char *sql; } schema_file;
size_t schema_file_count(void);
schema_file schema_file_at(size_t index);
size_t schema_postgresql_file_count(void);
schema_file schema_postgresql_file_at(size_t index);
#endif
