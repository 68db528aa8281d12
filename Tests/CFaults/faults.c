#include "faults.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

static sqlite3_vfs *root;
static sqlite3_vfs faulty;
static atomic_int fault = ROSTER_FAULT_NONE;
static atomic_long target;
static atomic_long calls;
static atomic_int happened;

// A file of the faulty file system. The file of the real one stands behind the struct.
struct file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }

// Counts a call; returns the fault with which the call must fail.
static enum roster_fault next_fault(int is_write) {
    enum roster_fault kind = (enum roster_fault)atomic_load(&fault);
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (kind == ROSTER_FAULT_NONE) return ROSTER_FAULT_NONE;
    if (kind == ROSTER_FAULT_FULL ? !is_write || number < atomic_load(&target) : number != atomic_load(&target))
        return ROSTER_FAULT_NONE;
    atomic_store(&happened, 1);
    return kind;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (next_fault(0)) return SQLITE_IOERR_READ;
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    switch (next_fault(1)) {
    case ROSTER_FAULT_ERROR: return SQLITE_IOERR_WRITE;
    case ROSTER_FAULT_FULL: return SQLITE_FULL;
    case ROSTER_FAULT_SHORT_WRITE:
        real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
        return SQLITE_IOERR_WRITE;
    default: return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    }
}
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    if (next_fault(0)) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
}
static int sync_file(sqlite3_file *file, int flags) {
    if (next_fault(0)) return SQLITE_IOERR_FSYNC;
    return real(file)->pMethods->xSync(real(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (next_fault(0)) return SQLITE_IOERR_FSTAT;
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **place) {
    if (next_fault(0)) return SQLITE_IOERR_SHMMAP;
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, place);
}

static int close_file(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }
static int lock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int check_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int characteristics(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void order_shared(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int unmap_shared(sqlite3_file *file, int deletes) { return real(file)->pMethods->xShmUnmap(real(file), deletes); }

// Version 2 maps no pages of the file into memory, so that each read of a page is a call.
static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = close_file, .xRead = read_file, .xWrite = write_file, .xTruncate = truncate_file,
    .xSync = sync_file, .xFileSize = file_size, .xLock = lock_file, .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock, .xFileControl = control, .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics, .xShmMap = map_shared, .xShmLock = lock_shared,
    .xShmBarrier = order_shared, .xShmUnmap = unmap_shared,
};

static int open_file(sqlite3_vfs *system, const char *name, sqlite3_file *file, int flags, int *result) {
    (void)system;
    if (name == 0 || strstr(name, "roster-faults") == 0) return root->xOpen(root, name, file, flags, result);
    struct file *ours = (struct file *)file;
    ours->base.pMethods = 0;
    ours->real = (sqlite3_file *)(ours + 1);
    if (next_fault(0)) return SQLITE_CANTOPEN;
    int status = root->xOpen(root, name, ours->real, flags, result);
    if (ours->real->pMethods != 0) ours->base.pMethods = &methods;
    return status;
}

void roster_faults_install(void) {
    if (root != 0) return;
    root = sqlite3_vfs_find(0);
    faulty = *root;
    faulty.pNext = 0;
    faulty.zName = "roster-faults";
    faulty.szOsFile = (int)sizeof(struct file) + root->szOsFile;
    faulty.xOpen = open_file;
    sqlite3_vfs_register(&faulty, 1);
}

void roster_faults_arm(enum roster_fault kind, long number) {
    atomic_store(&fault, ROSTER_FAULT_NONE);
    atomic_store(&target, number);
    atomic_store(&calls, 0);
    atomic_store(&happened, 0);
    atomic_store(&fault, (int)kind);
}

long roster_faults_disarm(void) {
    atomic_store(&fault, ROSTER_FAULT_NONE);
    return atomic_load(&calls);
}

int roster_faults_happened(void) { return atomic_load(&happened); }
