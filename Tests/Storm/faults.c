// Lets calls of a process fail, for files below a folder only. The storm loads this library into the programs that it tests.
// STORM_FOLDER: the folder. STORM_CONTROL: a file whose first byte is 1 while the disk is full.
// STORM_CALL=N with STORM_ACTION=fail|kill: the N-th call that makes, names, cuts, removes or syncs a file fails or ends the process.
// STORM_RENAME=PATH: each renaming to this path fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const volatile char *control;
static const char *folder;
static const char *target;
static long number;
static int kills;
static atomic_long calls;

__attribute__((constructor)) static void prepare(void) {
    folder = getenv("STORM_FOLDER");
    target = getenv("STORM_RENAME");
    if (getenv("STORM_CALL")) number = atol(getenv("STORM_CALL"));
    const char *action = getenv("STORM_ACTION");
    kills = action && !strcmp(action, "kill");
    const char *path = getenv("STORM_CONTROL");
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int file = path ? real(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *place = mmap(0, 1, PROT_READ, MAP_SHARED, file, 0);
    if (place != MAP_FAILED) control = place;
    close(file);
}

static int is_full(void) { return control && *control == 1; }
static int is_ours(const char *path) { return folder && path && (path[0] != '/' || !strncmp(path, folder, strlen(folder))); }

static int is_our_file(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path[0] == '/' && is_ours(path);
}

// Counts a call of a kind that changes more than the contents of a file; returns whether the call must fail.
static int must_fail(void) {
    if (number == 0 || atomic_fetch_add(&calls, 1) + 1 != number) return 0;
    if (kills) kill(getpid(), SIGKILL);
    errno = EIO;
    return 1;
}

static int has_no_space(int file, off_t end) {
    if (!is_full() || !is_our_file(file)) return 0;
    struct stat facts;
    if (fstat(file, &facts) || !S_ISREG(facts.st_mode) || end <= facts.st_size) return 0;
    errno = ENOSPC;
    return 1;
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

ssize_t write(int file, const void *bytes, size_t count) {
    if (is_full()) {
        off_t place = fcntl(file, F_GETFL) & O_APPEND ? (off_t)1 << 60 : lseek(file, 0, SEEK_CUR);
        if (place >= 0 && has_no_space(file, place + (off_t)count)) return -1;
    }
    return REAL(write, file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
    return has_no_space(file, place + (off_t)count) ? -1 : REAL(pwrite, file, bytes, count, place);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    return has_no_space(file, place + (off_t)count) ? -1 : REAL(pwrite64, file, bytes, count, place);
}
int fallocate64(int file, int mode, off64_t place, off64_t count) {
    return has_no_space(file, place + count) ? -1 : REAL(fallocate64, file, mode, place, count);
}
int posix_fallocate64(int file, off64_t place, off64_t count) {
    return has_no_space(file, place + count) ? ENOSPC : REAL(posix_fallocate64, file, place, count);
}

static int may_not_make(const char *path, int flags) {
    if (!(flags & O_CREAT) || !is_ours(path)) return 0;
    if (is_full() && access(path, F_OK)) {
        errno = ENOSPC;
        return 1;
    }
    return must_fail();
}
#define OPEN(name)                                                  \
    int name(const char *path, int flags, ...) {                    \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = va_arg(rest, mode_t);                         \
        va_end(rest);                                               \
        return may_not_make(path, flags) ? -1 : REAL(name, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                \
    int name(int at, const char *path, int flags, ...) {            \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = va_arg(rest, mode_t);                         \
        va_end(rest);                                               \
        return may_not_make(path, flags) ? -1 : REAL(name, at, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

static int may_not_rename(const char *to) {
    if (target && to && strlen(to) >= strlen(target) && !strcmp(to + strlen(to) - strlen(target), target)) {
        errno = ENOSPC;
        return 1;
    }
    return is_ours(to) && must_fail();
}
int rename(const char *from, const char *to) { return may_not_rename(to) ? -1 : REAL(rename, from, to); }
int renameat(int old, const char *from, int new, const char *to) {
    return may_not_rename(to) ? -1 : REAL(renameat, old, from, new, to);
}
int renameat2(int old, const char *from, int new, const char *to, unsigned flags) {
    return may_not_rename(to) ? -1 : REAL(renameat2, old, from, new, to, flags);
}
int unlink(const char *path) { return is_ours(path) && must_fail() ? -1 : REAL(unlink, path); }
int unlinkat(int at, const char *path, int flags) {
    return is_ours(path) && must_fail() ? -1 : REAL(unlinkat, at, path, flags);
}
int linkat(int old, const char *from, int new, const char *to, int flags) {
    return is_ours(to) && must_fail() ? -1 : REAL(linkat, old, from, new, to, flags);
}
int ftruncate(int file, off_t size) { return is_our_file(file) && must_fail() ? -1 : REAL(ftruncate, file, size); }
int ftruncate64(int file, off64_t size) { return is_our_file(file) && must_fail() ? -1 : REAL(ftruncate64, file, size); }
int fsync(int file) { return is_our_file(file) && must_fail() ? -1 : REAL(fsync, file); }
int fdatasync(int file) { return is_our_file(file) && must_fail() ? -1 : REAL(fdatasync, file); }

#define STATVFS(name, kind)                                         \
    int name(const char *path, struct kind *facts) {                \
        int status = REAL(name, path, facts);                       \
        if (status == 0 && is_full()) facts->f_bavail = 0;          \
        return status;                                              \
    }
STATVFS(statvfs, statvfs)
STATVFS(statvfs64, statvfs64)
