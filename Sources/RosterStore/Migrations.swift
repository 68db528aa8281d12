package import Foundation
import RosterText

/// Migrates a file or a database to the schema of this program.
package struct Migrations: Sendable {
    /// A file of the engine's folder in `Schema/`.
    package struct Step: Sendable, Hashable {
        package let number: Int
        package let name: String
        package let sql: String

        package init(number: Int, name: String, sql: String) {
            self.number = number
            self.name = name
            self.sql = sql
        }

        /// The FNV-1a hash of the text. It detects a file that was edited by accident, and no attack.
        package var checksum: String { String(FNV1a(sql.utf8).value, radix: 16) }
    }

    /// 'Rost' as the application id marks the files of this library (PRAGMA application_id).
    package static let applicationID: Int32 = 0x526F_7374

    package let steps: [Step]

    /// The parts of steps that SQL cannot express, by the step's name. They run in the same transaction.
    private let work: [String: @Sendable (Connection) throws -> Void]

    /// Describes a schema by its steps in order.
    package init(steps: [Step], work: [String: @Sendable (Connection) throws -> Void] = [:]) {
        self.steps = steps
        self.work = work
    }

    /// The state of a file before anything in it is changed.
    package enum Finding: Equatable {
        case empty
        case version(Int)
    }

    /// - Throws: ``StoreError`` if another program or a newer version wrote the file.
    package func inspect(_ connection: Connection, path: String) throws -> Finding {
        let application = try connection.first(StoreStatements.applicationID) { $0.integer(0) } ?? 0
        let tables = try connection.first(StoreStatements.tableCount) { $0.integer(0) } ?? 0
        if tables == 0 && application == 0 { return .empty }
        guard application == Int64(Self.applicationID) else {
            if connection.kind == .postgreSQL {
                throw StoreError(
                    .notADirectory, "The database at \(path) has tables of another program, and is not a directory.",
                    advice: "Name an empty database; nothing was changed.")
            }
            throw StoreError(
                .notADirectory, "'\(path)' is an SQLite database of another program, not a directory.",
                advice: "Check the path; the file was not touched.")
        }
        let version = Int(try connection.first(StoreStatements.userVersion) { $0.integer(0) } ?? 0)
        guard version <= steps.count else {
            throw StoreError(
                .newerFile, "'\(path)' has schema version \(version); this program knows up to \(steps.count).",
                advice: "Use a newer version of the program; nothing was changed.")
        }
        let applied = try connection.all(StoreStatements.migrations) { (Int($0.integer(0)), $0.text(1), $0.text(2)) }
        guard applied.count == version else {
            throw StoreError(
                .damaged, "'\(path)' records \(applied.count) migrations, but says it has version \(version).",
                advice: "Restore a backup.")
        }
        for (number, name, checksum) in applied {
            guard steps.indices.contains(number - 1), steps[number - 1].checksum == checksum else {
                throw StoreError(
                    .damaged, "Migration \(number) ('\(name)') of '\(path)' is not the one that this program knows.",
                    advice: "Use the program version that wrote the file; it was not touched.")
            }
        }
        return .version(version)
    }

    /// Applies the missing steps in one transaction.
    package func apply(on connection: Connection, path: String, now: Date) throws {
        let found = try inspect(connection, path: path)
        if found == .version(steps.count) { return }
        let state =
            switch found {
            case .empty: "'\(path)' has no directory yet"
            case .version(let version): "'\(path)' has schema version \(version), this program needs \(steps.count)"
            }
        try connection.engine.beginMigrating(on: connection)
        do {
            // Another server may have migrated meanwhile.
            let finding = try inspect(connection, path: path)
            var done = 0
            if case .version(let version) = finding {
                done = version
                if connection.kind == .postgreSQL { try connection.run(script: StoreStatements.lockOnServer) }
            }
            if finding == .empty {
                try connection.run(StoreStatements.createMigration)
                if connection.kind == .sqlite {
                    try connection.run(dynamic: StoreStatements.mark(applicationID: Self.applicationID))
                }
            }
            for step in steps.dropFirst(done) {
                try connection.run(script: step.sql)
                try work[step.name]?(connection)
                try connection.run(
                    StoreStatements.recordMigration,
                    [
                        .integer(Int64(step.number)), .text(step.name), .text(step.checksum),
                        .integer(now.milliseconds),
                    ])
            }
            if connection.kind == .sqlite {
                try connection.run(dynamic: StoreStatements.mark(version: steps.count))
            }
            try connection.run(StoreStatements.commit)
        } catch {
            if !connection.engine.isOutsideTransaction { try? connection.run(StoreStatements.rollback) }
            guard let error = error as? StoreError, error.kind == .forbidden else { throw error }
            throw StoreError(
                .forbidden, "\(state), and the database role may not make or change its tables.",
                advice: "Migrate the database as the role that owns it, by opening it once.")
        }
    }
}
