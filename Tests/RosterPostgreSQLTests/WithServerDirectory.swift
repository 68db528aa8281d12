import Roster
import RosterPostgreSQL
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
