import CSQLite

/// Settings for SQLite in the whole process. They must precede the first use of SQLite, so that only programs make them, and the library
/// does not.
package enum ProcessSettings {
    /// Turns off SQLite's memory statistics, because all readers would wait for the lock of the statistics at each allocation. Makes
    /// SQLite's page caches begin with two pages in place of 20.
    ///
    /// SQLite gives each temporary table of a statement a page cache. With 20 pages, the C library took the memory from the system for each
    /// statement and gave the memory back, which was nearly half of the time of an LDAP search by name and group.
    package static func makeForServers() {
        _ = roster_sqlite_count_no_memory()
        _ = roster_sqlite_begin_caches_with(2)
    }
}
