import CSQLite

/// Settings for SQLite in the whole process. They must precede the first use of SQLite, so that only programs make them, and the library
/// does not.
package enum ProcessSettings {
    /// Turns off SQLite's memory statistics, because all readers would wait for their lock at each allocation, and begins the caches of
    /// pages small.
    ///
    /// A statement has a cache for each table that it makes for itself, of 20 pages by default. Memory for those came from the system
    /// and went back to it in each search for a name and a group, which took 270 µs, and 147 µs with two pages.
    package static func makeForServers() {
        _ = roster_sqlite_count_no_memory()
        _ = roster_sqlite_begin_caches_with(2)
    }
}
