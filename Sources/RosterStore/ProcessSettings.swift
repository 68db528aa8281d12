import CSQLite

/// What concerns all of SQLite in a process.
package enum ProcessSettings {
    /// Has SQLite count no memory: the count is kept under one lock, for which all readers wait at each allocation.
    ///
    /// It works only before SQLite is used, and for everything in the process: it is for the first line of a program, and not
    /// for a library.
    package static func countNoMemory() { _ = roster_sqlite_count_no_memory() }
}
