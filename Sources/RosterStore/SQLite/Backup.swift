internal import CSQLite
import Foundation

extension Store {
    /// Copies the directory, as of one moment, into a new file.
    package func backUp(to path: String, _ progress: (@Sendable (Double) -> Void)?, isCancelled: () -> Bool) throws {
        // Damage of the copy says nothing about the directory's own file. `readAlone` notes damage of that file.
        do { try copyAll(to: path, progress, isCancelled: isCancelled) } catch let error as StoreError {
            throw failure(error)
        }
    }

    private func copyAll(to path: String, _ progress: (@Sendable (Double) -> Void)?, isCancelled: () -> Bool) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw StoreError(
                .alreadyExists, "The file '\(path)' already exists.", advice: "Choose another name, or remove it.")
        }
        try FileReplacement.replace(path) { partial in
            try readAlone { source in
                guard source.kind == .sqlite else {
                    throw StoreError(
                        .storageFailed, "A directory on a server is not copied to a file.",
                        advice: "Use the backup of the server, such as pg_dump.")
                }
                // A read transaction in the source keeps the copy consistent while others write.
                _ = try source.first(StoreStatements.tableCount) { $0.integer(0) }
                let target = try Connection(path: partial, mode: .init(isWriter: true, mappedBytes: 0))
                try Self.copy(source, to: target, progress, isCancelled)
            }
            try Self.verify(partial, migrations)
        }
        file?.noteBackup()
    }

    /// Replaces a directory's file with a verified backup.
    ///
    /// - Parameter finish: Changes the copy before it replaces the file.
    package static func restore(
        from source: String, to path: String, _ migrations: Migrations, replacing: Bool, isCancelled: () -> Bool,
        finish: (Connection) throws -> Void
    ) throws {
        guard FileManager.default.fileExists(atPath: source) else {
            throw StoreError(.fileNotFound, "There is no file '\(source)'.", advice: "Check the path.")
        }
        let exists = FileManager.default.fileExists(atPath: path)
        guard replacing || !exists else {
            throw StoreError(
                .alreadyExists, "The file '\(path)' already exists.", advice: "Ask for the file to be replaced.")
        }
        let file = try DirectoryFile(at: path)
        let path = file.path
        // The lock fails at once if a process has the file open for writing, and prevents others from opening it before
        // the replacement.
        let lock = try FileLock(for: file)
        try withExtendedLifetime(lock) {
            try FileReplacement.replace(path) { partial in
                try Store.visit(source, migrations) { connection in
                    let target = try Connection(path: partial, mode: .init(isWriter: true, mappedBytes: 0))
                    try copy(connection, to: target, nil, isCancelled)
                    try migrations.apply(on: target, path: path, now: Date())
                    try finish(target)
                    // The write-ahead log is not moved with the file.
                    try target.check(
                        sqlite3_wal_checkpoint_v2(target.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
                }
                try verify(partial, migrations)
            }
        }
    }

    /// Copies a closed file with its owner and permissions, before the file is migrated.
    static func copy(_ file: DirectoryFile, to path: String, _ migrations: Migrations) throws {
        try FileReplacement.replace(path, asOwnerOf: file) { partial in
            try visit(file.path, migrations) { source in
                let target = try Connection(path: partial, mode: .init(isWriter: true, mappedBytes: 0))
                try copy(source, to: target, nil, { false })
            }
        }
    }

    private static func copy(
        _ source: Connection, to target: Connection, _ progress: (@Sendable (Double) -> Void)?,
        _ isCancelled: () -> Bool
    ) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw StoreFailure.error(sqlite3_errcode(target.handle), on: target.handle)
        }
        var result = SQLITE_OK
        while result == SQLITE_OK && !isCancelled() && !source.mustEnd {
            result = sqlite3_backup_step(backup, 4_096)
            let total = sqlite3_backup_pagecount(backup)
            if total > 0 { progress?(1 - Double(sqlite3_backup_remaining(backup)) / Double(total)) }
        }
        sqlite3_backup_finish(backup)
        if isCancelled() { throw CancellationError() }
        try source.checkOpen()
        guard result == SQLITE_DONE else { throw StoreFailure.error(result, on: target.handle) }
    }

    /// Refuses an incomplete or damaged copy.
    private static func verify(_ path: String, _ migrations: Migrations) throws {
        let connection = try Connection(path: path, mode: .init(isWriter: true, mappedBytes: 0))
        guard case .version = try migrations.inspect(connection, path: path) else {
            throw StoreError(.notADirectory, "The copy is empty.", advice: "Check the source.")
        }
        let problems = try connection.all(StoreStatements.integrity) { $0.text(0) }
        guard problems == ["ok"] else {
            throw StoreError(
                .damaged, "The copy is damaged: \(problems.prefix(3).joined(separator: "; ")).",
                advice: "Check the file that was copied.")
        }
    }
}
