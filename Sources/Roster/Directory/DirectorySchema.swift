internal import CSchema
package import Foundation
package import RosterStore

extension Migrations {
    /// The schema on PostgreSQL: the files of `Schema/postgresql/`.
    package static let postgreSQL = Migrations(
        steps: (0..<schema_postgresql_file_count()).map { index in
            let file = schema_postgresql_file_at(index)
            return Step(number: index + 1, name: String(cString: file.name), sql: String(cString: file.sql))
        },
        work: [
            "0009_matching.sql": { try TextIndexRenewal.run(on: $0) },
            "0013_uses_and_memberships.sql": { try MembershipChange.noteAll(on: $0) },
        ])

    /// The schema of files: the files of `Schema/sqlite/`.
    package static let current = Migrations(
        steps: (0..<schema_file_count()).map { index in
            let file = schema_file_at(index)
            return Step(number: index + 1, name: String(cString: file.name), sql: String(cString: file.sql))
        },
        work: [
            "0007_privacy.sql": { try LargeValues.shrink(on: $0) },
            "0011_order.sql": { try KeyRenewal.run(on: $0) },
            "0015_account_dates.sql": { try AccountDates.store(on: $0) },
            "0019_records.sql": { try RecordRenewal.run(on: $0) },
            "0026_matching.sql": { try TextIndexRenewal.run(on: $0) },
            "0030_uses_and_memberships.sql": { try MembershipChange.noteAll(on: $0) },
        ])
}

extension Store {
    /// Opens a directory's store.
    ///
    /// - Parameters:
    ///   - location: A file or memory.
    ///   - mappedBytes: The number of bytes of the file that a reader may map into memory.
    ///   - now: The time recorded for migrations.
    ///   - image: The initial bytes of a store in memory.
    /// - Throws: ``DirectoryError`` if the file cannot be opened, or is foreign, newer, damaged or in use.
    package convenience init(_ location: Location, mappedBytes: Int64, now: Date, image: Data? = nil) throws {
        do {
            let migrations: Migrations = if case .server = location { .postgreSQL } else { .current }
            try self.init(
                location, mappedBytes: mappedBytes, now: now, migrations: migrations, image: image,
                failure: { DirectoryError($0) })
        } catch let error as StoreError {
            throw DirectoryError(error)
        }
    }
}
