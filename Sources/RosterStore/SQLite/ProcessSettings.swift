import CSQLite

/// Settings for SQLite in the whole process.
package enum ProcessSettings {
    /// Turns off SQLite's memory statistics, because all readers would wait for their lock at each allocation.
    ///
    /// The setting must precede the first use of SQLite and affects the whole process, so only programs set it, and the
    /// library does not.
    package static func countNoMemory() { _ = roster_sqlite_count_no_memory() }
}
