import Foundation
import Roster
import RosterPostgreSQL
import RosterText
import Testing
import TestSupport

/// Runs a test with the directory of an empty database, which is dropped afterwards.
func withServerDirectory(
    _ body: (_ cluster: PostgreSQLCluster, _ database: String, _ directory: Directory) async throws -> Void
) async throws {
    let cluster = try #require(PostgreSQLCluster.shared)
    let database = try cluster.makeDatabase()
    let directory = try Directory(connectedTo: cluster.address(database))
    defer {
        directory.close()
        cluster.drop(database)
    }
    try await body(cluster, database, directory)
}

/// Runs a test with a directory whose connections a proxy cuts while `isDown` is true.
func withCutDirectory(_ body: (_ isDown: Locked<Bool>, _ directory: Directory) async throws -> Void) async throws {
    let cluster = try #require(PostgreSQLCluster.shared)
    let database = try cluster.makeDatabase()
    defer { cluster.drop(database) }
    let isDown = Locked(false)
    let proxy = try CuttingProxy(to: cluster.socketPath) { _ in isDown.withLock { $0 } ? .lose : .pass }
    let directory = try Directory(connectedTo: cluster.address(database, by: proxy.port))
    defer { directory.close() }
    try await body(isDown, directory)
}

/// Runs a test with an empty database and a folder for the files that belong to it.
func withDatabase(
    _ body: (_ cluster: PostgreSQLCluster, _ database: String, _ folder: URL) async throws -> Void
) async throws {
    let cluster = try #require(PostgreSQLCluster.shared)
    let database = try cluster.makeDatabase()
    defer { cluster.drop(database) }
    try await withFolder { (folder: URL) async throws in try await body(cluster, database, folder) }
}
