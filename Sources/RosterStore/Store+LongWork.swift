/// Long work, which takes no reader from the pool.
extension Store {
    /// Runs long work such as a backup on its own connection with one snapshot. The work may call the app, and the app
    /// may call the directory.
    ///
    /// - Parameter mayUseReplica: Whether a replica may do the work, which then fails if the replica is lost.
    package func readAlone<Value>(
        mayUseReplica: Bool = false, _ body: (Connection) throws -> Value
    ) throws -> Value {
        try translated { try readOnItsOwnConnection(mayUseReplica, body) }
    }

    private func readOnItsOwnConnection<Value>(
        _ mayUseReplica: Bool, _ body: (Connection) throws -> Value
    ) throws -> Value {
        if ending.hasCome { throw ReaderPool.closed }
        let connection: Connection
        if let server {
            connection = try connectForLongWork(server, mayUseReplica: mayUseReplica)
        } else if let path = file?.path {
            connection = try Self.reader(path, try Self.readingMode(of: path, mappedBytes: 0), ending)
        } else {
            // The only connection is free again while the work uses a copy.
            connection = try Connection(image: image(), ending: ending)
            try connection.run(StoreStatements.readOnly)
        }
        try connection.engine.beginReading(once: false, on: connection)
        defer { connection.endSnapshot() }
        // Waits for the revision of the snapshot. Long work cannot be repeated with another revision.
        try connection.engine.settleSnapshot(of: connection)
        return try connection.work(body)
    }
}
