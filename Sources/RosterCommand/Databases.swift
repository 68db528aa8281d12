import Foundation
import Roster
import Synchronization

/// The directories that the command has open. They must be closed before the command ends, because closing copies the
/// log into the file, so that the file is complete by itself.
enum OpenDirectories {
    private static let writable = Mutex<[(directory: Directory, sequence: Int64)]>([])

    static func add(_ directory: Directory) throws {
        let sequence = try directory.unrestricted.changes.lastSequence()
        writable.withLock { $0.append((directory, sequence)) }
    }

    /// Whether anything has changed since the directories were opened. One process owns a file, so nobody else can have
    /// changed it.
    static var haveChanged: Bool {
        writable.withLock { open in
            open.contains { (try? $0.directory.unrestricted.changes.lastSequence()) != $0.sequence }
        }
    }

    static func close() {
        for (directory, _) in writable.withLock({ $0 }) { directory.close() }
    }
}

extension Arguments {
    /// The file named by `--database` or ROSTER_DATABASE.
    func databaseURL() throws -> URL {
        guard let path = value("database") ?? ProcessInfo.processInfo.environment["ROSTER_DATABASE"], !path.isEmpty
        else {
            throw withoutDirectory
        }
        return URL(fileURLWithPath: path)
    }

    /// What a command does with the directory.
    enum Use {
        case reading
        case changing
        /// Changing, also in a new file.
        case creating
    }

    /// The directory of the file or the server that the arguments name, with the rights of the caller.
    func view(_ use: Use = .reading) async throws -> DirectoryView {
        if let server = try AdministeredServer(self) { return try await server.view() }
        return try directory(use).commandView
    }

    /// The administration of the file or the server that the arguments name.
    func administration(_ use: Use = .reading) throws -> Administration {
        if let server = try AdministeredServer(self) { return .server(server) }
        return .file(try directory(use))
    }

    func viewAndAdministration(_ use: Use) async throws -> (DirectoryView, Administration) {
        let administration = try administration(use)
        switch administration {
        case .file(let directory): return (directory.commandView, administration)
        case .server(let server): return (try await server.view(), administration)
        }
    }

    private func directory(_ use: Use) throws -> Directory {
        switch use {
        case .reading: try readableDirectory()
        case .changing: try writableDirectory()
        case .creating: try writableDirectory(creating: true)
        }
    }

    /// Opens the directory for changes. Creates a missing file if `creating`.
    func writableDirectory(creating: Bool = false) throws -> Directory {
        let url = try databaseURL()
        guard creating || FileManager.default.fileExists(atPath: url.path) else { throw Self.missing(url) }
        let directory = try Directory(at: url)
        try OpenDirectories.add(directory)
        return directory
    }

    /// Opens the directory for reading, even if another process has it open.
    func readableDirectory() throws -> Directory {
        let url = try databaseURL()
        guard FileManager.default.fileExists(atPath: url.path) else { throw Self.missing(url) }
        return try Directory(at: url, readOnly: true)
    }

    private static func missing(_ url: URL) -> UsageError {
        UsageError(
            "There is no file '\(url.path)'.",
            advice: "Check the path, or create a directory with 'roster seed' or 'roster import'.")
    }
}

extension Directory {
    /// The actor that the change feed shows for the command: the user of the system who runs it.
    static var commandActor: String { "cli:" + NSUserName() }

    /// The directory with all rights, in the name of the user of the system who runs the command.
    var commandView: DirectoryView { acting(as: .administrator(Self.commandActor)) }
}
