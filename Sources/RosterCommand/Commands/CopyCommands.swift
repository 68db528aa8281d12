import Foundation
import Roster
import RosterPostgreSQL
import RosterSignIn
import RosterStore

let copyCommand = Command(
    name: "copy",
    summary: "Copies a directory, as of one moment, from a file to a PostgreSQL database or back.",
    operands: "",
    options: [
        .init("database", "DATABASE", "the directory to copy: a file, or postgresql://… (or ROSTER_DATABASE)"),
        .init("to", "DATABASE", "the new file, or the empty database postgresql://…"), Command.masterKey,
    ],
    example: "roster copy --database company.db --to 'postgresql://roster@db1/company'", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    guard let name = arguments.value("to") else { throw UsageError("Where to? Give --to DATABASE.") }
    let from = try arguments.database()
    let source = try arguments.readableDirectory()
    let key = try sourceKey(of: source, from)
    let target = try CopyTarget(named: name, key: key)
    let progress = Progress("copying", total: 1_000)
    defer { progress.finish() }
    let tables: [CopiedTable]
    do {
        tables = try await source.copy(to: target.directory) { progress.show(Int($0 * 1_000)) }
        try target.finish()
    } catch {
        target.remove()
        throw error
    }
    progress.finish()
    let width = tables.map(\.name.count).max() ?? 0
    for table in tables where table.rows > 0 {
        let name = table.name.padding(toLength: width, withPad: " ", startingAt: 0)
        Terminal.write("\(name)  \(table.digest)  \(table.rows)\n")
    }
    Terminal.write("The copy is complete: each table's hash and number of rows are as in the original.\n")
    if let advice = target.advice(key) { Terminal.write(advice + "\n") }
    if case .file(let url) = from, isOpenElsewhere(url) {
        Terminal.note(
            "Another process has '\(url.path)' open, and can have changed the directory since the copy began. To move to the copy, "
                + "stop this process and copy again.")
    }
}

let restoredCommand = Command(
    name: "restored",
    summary: "Ends all sessions. Use this command after the tools of PostgreSQL have restored a database.",
    operands: "", options: [Command.database],
    example: "roster restored --database 'postgresql://roster@db1/company'", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    try await arguments.writableDirectory().endAllSignIns()
    Terminal.write(
        """
        All sessions and the tokens of apps have ended; passwords, keys and the tokens of 'roster token' are those of the \
        backup.

        """)
}

let migrateCommand = Command(
    name: "migrate",
    summary: "Makes the tables of a directory, or changes them to those of this version, as other commands do first.",
    operands: "", options: [Command.database],
    example: "roster migrate --database 'postgresql://roster_owner@db1/company'", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    _ = try arguments.writableDirectory(creating: true)
    Terminal.write("The tables are those of this version.\n")
}

/// Returns whether another process has the file open for changes.
private func isOpenElsewhere(_ url: URL) -> Bool {
    do {
        _ = try FileLock(for: DirectoryFile(url))
        return false
    } catch {
        // Any other error does not matter to a copy that is complete.
        return (error as? StoreError)?.kind == .fileInUse
    }
}

/// The key of a directory, and the path of its file.
private struct KeyFile {
    let key: MasterKey
    let path: String
}

/// Reads the key of the directory to copy. Returns nil if the directory has encrypted nothing.
private func sourceKey(of directory: Directory, _ database: Arguments.Database) throws -> KeyFile? {
    switch database {
    case .file(let url):
        let file = try DirectoryFile(url)
        guard let key = try MasterKey.found(for: file), let path = file.foundKey else { return nil }
        return KeyFile(key: key, path: path)
    case .server(_, let url):
        let isThere = url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        guard try isThere || !directory.sealedSecrets.samples().isEmpty else { return nil }
        return KeyFile(key: try MasterKey(of: directory), path: url?.path ?? "")
    }
}

/// The empty directory that receives a copy.
private struct CopyTarget {
    let directory: Directory
    /// The new file; nil if the target is a database. Until the copy is complete, the file has the ending `.partial`.
    private let file: URL?

    init(named name: String, key: KeyFile?) throws {
        guard try !Arguments.isServer(name) else {
            file = nil
            directory = try Directory(connectedTo: name, keyFile: key.map { URL(fileURLWithPath: $0.path) })
            guard try directory.unrestricted.changes.lastSequence() == 0 else {
                throw CommandFailure(
                    description: "The database has a directory already. Copy into another database, which is empty.")
            }
            // The database stores the fingerprint of the key, so that every server with another key is refused.
            if key != nil { _ = try MasterKey(of: directory) }
            return
        }
        let url = URL(fileURLWithPath: name)
        for path in [url.path] + (key == nil ? [] : [url.path + "-key"])
        where FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(
                description: "There is a file '\(path)' already. Choose another name, or remove it.")
        }
        file = url
        do {
            Self.removePartial(of: url)
            directory = try Directory(at: URL(fileURLWithPath: Self.partial(of: url)))
            // The key file comes first, so that no complete copy is ever without it.
            if let key {
                let copy = try DirectoryFile(url)
                try copy.addKey(try copy.prepareKey(key.key.fileContent))
            }
        } catch {
            Self.removePartial(of: url)
            throw error
        }
    }

    private static func partial(of file: URL) -> String { file.path + ".partial" }

    private static func removePartial(of file: URL) {
        for end in ["", "-wal", "-shm", "-lock"] {
            try? FileManager.default.removeItem(atPath: partial(of: file) + end)
        }
    }

    /// Gives a complete file its name.
    func finish() throws {
        directory.close()
        guard let file else { return }
        try FileReplacement.install(Self.partial(of: file), at: file.path)
        Self.removePartial(of: file)
    }

    /// Removes the new file after a failure. A database needs nothing, because its transaction was rolled back.
    func remove() {
        directory.close()
        guard let file else { return }
        Self.removePartial(of: file)
        // The key file is this command's own: before the start there was none.
        try? FileManager.default.removeItem(atPath: file.path + "-key")
    }

    func advice(_ key: KeyFile?) -> String? {
        guard let key else { return nil }
        guard let file else { return "Start servers with '--master-key \(key.path)', or a copy of this file." }
        return "The key is in '\(file.lastPathComponent)-key'."
    }
}
