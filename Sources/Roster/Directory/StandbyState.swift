import RosterStore

/// The standbys that each change of a directory on a database server waits for.
package enum StandbyState: Sendable, Equatable {
    /// Changes wait for no standby, so that the loss of the database server can lose them.
    case notAwaited
    /// Changes wait for a standby, and this number of them is there. Changes wait until one is there if the number is zero.
    case awaited(Int)
    /// The database role may not see the standbys.
    case hidden
}

extension DirectoryStorage {
    /// How many reads a replica has answered in place of the database server.
    package var answersOfReplica: Int { directory.core.store.answersOfReplica }

    package var hasReplica: Bool { directory.core.store.hasReplica }
    /// The error of the last attempt to connect with the replica; nil if the attempt succeeded, or there was none.
    package var replicaProblem: DirectoryError? { directory.core.store.replicaProblem.map(DirectoryError.init) }

    /// Connects with the replica.
    ///
    /// - Returns: The error if the replica cannot be reached; nil otherwise, and without a replica.
    /// - Complexity: Blocks the thread, up to ten seconds for each host that does not answer.
    package func tryReplica() -> DirectoryError? {
        directory.core.store.tryReplica()
        return replicaProblem
    }

    /// The standbys of the database server; nil for a directory that no server keeps.
    package func standbyState() throws -> StandbyState? {
        guard directory.isOnServer else { return nil }
        return try directory.core.store.read { connection in
            try connection.first(DirectoryStatements.standbys) { row in
                if !row.boolean(0) { return .notAwaited }
                return row.integer(2) > 0 ? .hidden : .awaited(Int(row.integer(1)))
            }
        }
    }
}
