import Foundation
import Roster
import RosterAdministration
import RosterPostgreSQL
import RosterREST
import RosterSignIn
import RosterStore
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
    /// Where a directory is kept.
    enum Database {
        case file(URL)
        /// The address of a PostgreSQL database, and the directory's key file.
        case server(address: String, key: URL?)
    }

    /// The file or the database named by `--database` or ROSTER_DATABASE.
    func database() throws -> Database {
        let environment = ProcessInfo.processInfo.environment
        guard let name = value("database") ?? environment["ROSTER_DATABASE"], !name.isEmpty else {
            throw withoutDirectory
        }
        guard try Self.isServer(name) else { return .file(URL(fileURLWithPath: name)) }
        let key = value("master-key") ?? environment["ROSTER_MASTER_KEY"]
        return .server(address: name, key: key.map { URL(fileURLWithPath: $0) })
    }

    /// Returns whether a name is the address of a PostgreSQL database. Any other name is the path of a file.
    ///
    /// - Throws: `UsageError` for an address with another scheme, which nobody means as a path.
    static func isServer(_ name: String) throws -> Bool {
        if name.hasPrefix("postgresql://") || name.hasPrefix("postgres://") { return true }
        guard let scheme = name.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.:\-]*:\/\//#) else { return false }
        throw UsageError(
            "A directory cannot be kept at \(scheme.output)….",
            advice: "Name a file, or a PostgreSQL database with postgresql://.")
    }

    /// Warns of a password in the address of a database among the words of the call, which every process of the machine can list.
    func warnOfPassword() {
        guard words.contains(where: Directory.isAddressWithPassword) else { return }
        Terminal.note(
            "warning: The address of the database has a password, which everybody on this machine can read on the command "
                + "line. Leave the password out, and put it into the file ~/.pgpass or into the one that PGPASSFILE names."
        )
    }

    /// The file that an operand names, for a command that works on files only.
    ///
    /// - Parameter what: The operand, for the error if it is missing.
    func file(_ index: Int, _ what: String) throws -> URL {
        let name = try operand(index, what)
        guard try !Self.isServer(name) else { throw Self.worksOnFiles }
        return URL(fileURLWithPath: name)
    }

    private static var worksOnFiles: UsageError {
        UsageError(
            "This command works on a directory's file only, not on a PostgreSQL database.",
            advice: "Use the tools of PostgreSQL, such as pg_dump and pg_restore.")
    }

    /// Fails if the key file of the directory is missing or wrong, before anything is changed. A database on a server is asked when
    /// it is opened.
    func checkKey() throws {
        if case .file(let url) = try database() { _ = try MasterKey.found(for: DirectoryFile(url)) }
    }

    /// Opens the directory for the server, in whose memory the file must not be mapped.
    ///
    /// - Parameter waiting: Called while a database server keeps the opening waiting, with the reason.
    func servedDirectory(waiting: @escaping @Sendable (String) -> Void) throws -> Directory {
        let replica = value("replica") ?? ProcessInfo.processInfo.environment["ROSTER_REPLICA"]
        if replica != nil, case .file = try database() {
            throw UsageError("--replica goes with a PostgreSQL database only.")
        }
        let directory =
            switch try database() {
            case .file(let url): try Directory.served(at: url)
            case .server(let address, let key):
                try Directory(connectedTo: address, replica: replica, keyFile: key, waiting: waiting)
            }
        try OpenDirectories.add(directory)
        return directory
    }

    /// The use that a command makes of the directory.
    enum Use {
        case reading
        case changing
        /// Changing, also in a new file.
        case creating
    }

    /// The directory of the file or the server that the arguments name, with the rights of the caller.
    func view(_ use: Use = .reading) async throws -> DirectoryView {
        if let server = try AdministeredServer(self) { return try batched(try await server.view()) }
        return try batched(try directory(use).commandView)
    }

    /// The administration of the file or the server that the arguments name.
    ///
    /// - Parameter address: Where users reach the server of a file; empty if no link is made. A server knows its address.
    func administration(_ use: Use = .reading, at address: String = "") async throws -> Administration {
        try await viewAndAdministration(use, at: address).1
    }

    func viewAndAdministration(
        _ use: Use, at address: String = ""
    ) async throws -> (DirectoryView, Administration) {
        if let server = try AdministeredServer(self) {
            let view = try batched(try await server.view())
            return (view, try Administration(view))
        }
        let directory = try directory(use)
        let view = try batched(directory.commandView)
        let context = AdministrationContext(
            view, of: directory, issuer: address, checkPolicy: CrossOriginPolicy.check)
        return (view, Administration(context))
    }

    /// The view whose changes carry the number of `--batch`.
    private func batched(_ view: DirectoryView) throws -> DirectoryView {
        try number("batch", least: 1).map { view.batched(Int64($0)) } ?? view
    }

    func directory(_ use: Use) throws -> Directory {
        switch use {
        case .reading: try readableDirectory()
        case .changing: try writableDirectory()
        case .creating: try writableDirectory(creating: true)
        }
    }

    /// Opens the directory for changes. Creates a missing file if `creating`.
    func writableDirectory(creating: Bool = false) throws -> Directory {
        let directory: Directory
        switch try database() {
        case .file(let url):
            guard creating || FileManager.default.fileExists(atPath: url.path) else { throw Self.missing(url) }
            directory = try Directory(at: url)
        case .server(let address, let key): directory = try Directory(connectedTo: address, keyFile: key)
        }
        try OpenDirectories.add(directory)
        return directory
    }

    /// Opens the directory for reading, even if another process has it open.
    func readableDirectory() throws -> Directory {
        guard case .file(let url) = try database() else { return try writableDirectory() }
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
    var commandView: DirectoryView { acting(as: .administrator(Directory.commandActor)) }
}
