public import Foundation
public import Roster
import RosterPostgreSQL

/// Where a test keeps its directory. Suites of the public surface run once for each.
public enum Place: String, Sendable, CaseIterable, CustomStringConvertible {
    case memory
    case file
    /// In a database of the tests' PostgreSQL server.
    case server

    public static var allCases: [Place] { PostgreSQLCluster.shared == nil ? [.memory, .file] : [.server] }

    /// The place of a test that runs once: in memory, or in a database if there is a server.
    public static var usual: Place { PostgreSQLCluster.shared == nil ? .memory : .server }

    /// The places whose directories are copied to files: all but a server, which has its own backups.
    public static var copied: [Place] { allCases.filter { $0 != .server } }

    public var description: String { "in \(rawValue)" }
}

/// A folder of its own, which is gone afterwards.
public func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// A folder of its own, which is gone afterwards.
public func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

private func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// An empty directory, in memory or in a temporary file, which is closed and gone afterwards.
public func withDirectory<Value>(
    _ place: Place, clock: @escaping @Sendable () -> Date = { Date() }, _ body: (Directory) throws -> Value
) throws -> Value {
    switch place {
    case .memory:
        return try body(Directory.inMemory(clock: clock))
    case .file:
        return try withFolder { folder in
            let directory = try Directory(at: folder.appendingPathComponent("test.db"), clock: clock)
            defer { directory.close() }
            return try body(directory)
        }
    case .server:
        let (directory, _, drop) = try serverDirectory(clock: clock)
        defer { drop() }
        return try body(directory)
    }
}

/// An empty directory in memory, or in a database of its own if there is a server. The database stays until the tests end.
public func emptyDirectory(clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
    guard let cluster = PostgreSQLCluster.shared else { return try Directory.inMemory(clock: clock) }
    return try Directory(
        connectedTo: cluster.address(cluster.makeDatabase()), keyFile: cluster.folder.appendingPathComponent("key"),
        clock: clock)
}

/// A directory in a database of its own, and what removes it.
package func serverDirectory(
    like template: String = "empty", clock: @escaping @Sendable () -> Date, fill: (Directory) throws -> Void = { _ in }
) throws -> (Directory, database: String, drop: @Sendable () -> Void) {
    guard let cluster = PostgreSQLCluster.shared else { throw ClusterError(message: "There is no PostgreSQL server.") }
    let database = try cluster.makeDatabase(like: template, fill: fill)
    let directory = try Directory(
        connectedTo: cluster.address(database), keyFile: cluster.folder.appendingPathComponent("key"), clock: clock)
    return (
        directory, database,
        {
            directory.close()
            cluster.drop(database)
        }
    )
}

/// An empty directory, in memory or in a temporary file, which is closed and gone afterwards.
public func withDirectory<Value>(
    _ place: Place, clock: @escaping @Sendable () -> Date = { Date() }, _ body: (Directory) async throws -> Value
) async throws -> Value {
    switch place {
    case .memory:
        return try await body(Directory.inMemory(clock: clock))
    case .file:
        return try await withFolder { folder in
            let directory = try Directory(at: folder.appendingPathComponent("test.db"), clock: clock)
            defer { directory.close() }
            return try await body(directory)
        }
    case .server:
        let (directory, _, drop) = try serverDirectory(clock: clock)
        defer { drop() }
        return try await body(directory)
    }
}

/// Opens the directory in a file, or in a database with an address `postgresql://…`.
public func openDirectory(_ name: String) throws -> Directory {
    name.hasPrefix("postgresql://")
        ? try Directory(connectedTo: name) : try Directory(at: URL(fileURLWithPath: name))
}

/// Opens a file again, waiting for the directory before to let go of its lock.
public func reopen(_ url: URL, clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
    let end = ContinuousClock.now + .seconds(10)
    while true {
        do {
            return try Directory(at: url, clock: clock)
        } catch let error as DirectoryError where error.code == .fileInUse && ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

/// The code of the directory's error that a piece of work ends with; nil where it ends otherwise.
public func code(of body: () throws -> some Any) -> DirectoryError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? DirectoryError)?.code
    }
}

/// The code of the directory's error that a piece of work ends with; nil where it ends otherwise.
public func code(of body: () async throws -> some Any) async -> DirectoryError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? DirectoryError)?.code
    }
}
