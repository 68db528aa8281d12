#include "libpq.h"
#include <dlfcn.h>
#include <pthread.h>

static roster_libpq library;
static const roster_libpq *loaded;

static void load(void) {
    static const char *const names[] = {
        "libpq.so.5", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib", "libpq.5.dylib",
    };
    void *handle = 0;
    for (unsigned index = 0; index < sizeof names / sizeof *names && !handle; index++) {
        handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle) return;
    const struct { const char *name; void *target; } symbols[] = {
        {"PQconnectdbParams", &library.connect},
        {"PQfinish", &library.finish},
        {"PQstatus", &library.status},
        {"PQbackendPID", &library.backend_pid},
        {"PQserverVersion", &library.server_version},
        {"PQerrorMessage", &library.error_message},
        {"PQparameterStatus", &library.parameter_status},
        {"PQsetNoticeProcessor", &library.set_notice_processor},
        {"PQexec", &library.exec},
        {"PQenterPipelineMode", &library.enter_pipeline},
        {"PQexitPipelineMode", &library.exit_pipeline},
        {"PQpipelineSync", &library.pipeline_sync},
        {"PQsendFlushRequest", &library.send_flush_request},
        {"PQflush", &library.flush},
        {"PQsendPrepare", &library.send_prepare},
        {"PQsendQueryPrepared", &library.send_prepared},
        {"PQsendQueryParams", &library.send_text},
        {"PQgetResult", &library.get_result},
        {"PQsocket", &library.socket},
        {"PQisBusy", &library.is_busy},
        {"PQconsumeInput", &library.consume_input},
        {"PQputCopyData", &library.put_copy_data},
        {"PQputCopyEnd", &library.put_copy_end},
        {"PQresultStatus", &library.result_status},
        {"PQresultErrorField", &library.result_error_field},
        {"PQntuples", &library.row_count},
        {"PQnfields", &library.column_count},
        {"PQftype", &library.column_type},
        {"PQgetvalue", &library.value},
        {"PQgetlength", &library.length},
        {"PQgetisnull", &library.is_null},
        {"PQcmdTuples", &library.changed_rows},
        {"PQclear", &library.clear},
    };
    for (unsigned index = 0; index < sizeof symbols / sizeof *symbols; index++) {
        void *symbol = dlsym(handle, symbols[index].name);
        if (!symbol) return;
        *(void **)symbols[index].target = symbol;
    }
    loaded = &library;
}

const roster_libpq *roster_libpq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}
