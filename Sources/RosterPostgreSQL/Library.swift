import CPostgreSQL
import RosterStore

/// The functions of libpq, which is taken from the system when the first directory on a server is opened.
struct Library {
    let functions: roster_libpq

    /// - Throws: ``StoreError`` if the system has no libpq.
    static func loaded() throws -> Library {
        guard let functions = roster_libpq_load() else {
            throw StoreError(
                .unreachable, "This system has no libpq of PostgreSQL 14 or later.",
                advice: "Install it, on Debian by 'apt install libpq5'.")
        }
        return Library(functions: functions.pointee)
    }
}
