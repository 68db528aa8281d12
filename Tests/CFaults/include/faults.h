#ifndef ROSTER_FAULTS_H
#define ROSTER_FAULTS_H

// A file system for SQLite that fails one call on purpose. It touches only files whose path contains "roster-faults", because other
// tests of the process use SQLite at the same time.

enum roster_fault {
    ROSTER_FAULT_NONE = 0,
    // The call fails with an I/O error.
    ROSTER_FAULT_ERROR = 1,
    // A write stores half of its bytes, and then fails.
    ROSTER_FAULT_SHORT_WRITE = 2,
    // From the call on, each write finds the disk full.
    ROSTER_FAULT_FULL = 3,
};

// Makes this file system the default one of the process.
void roster_faults_install(void);
// Begins to count calls from 1, and fails the call with the number.
void roster_faults_arm(enum roster_fault fault, long number);
// Ends faults; returns the number of calls since they were armed.
long roster_faults_disarm(void);
// Whether a call was failed since faults were armed.
int roster_faults_happened(void);
#endif
