/// The differences of a directory that a database server keeps.
extension Store {
    /// How often a read or a change runs again, because a statement that ends the server's process would do so for ever.
    private static let maximumRepeats = 10

    /// Calls a function when the database server is lost, reached again, or replaced by a standby. Does nothing for a file.
    package func watchForLoss(_ tell: @escaping @Sendable (DatabaseServer.Event) -> Void) { server?.watch(tell) }

    /// Returns what the connections to the database server wait for, such as a standby. Returns nil if no connection waits, and for a
    /// file. Blocks the thread.
    package func waitReason() -> String? { server?.waitReason() }

    /// Runs `body` in a snapshot. A thread that keeps the connection uses one snapshot for all its reads, until the thread makes a change.
    ///
    /// - Parameter once: Whether the body is expected to run one statement. The body may run again if it runs several.
    func performOnServer<Value>(
        _ connection: Connection, once: Bool, _ body: (Connection) throws -> Value
    ) throws -> Value {
        var once = once && connection.keeper == nil
        var repeats = 0
        while true {
            if connection.keeper == nil || connection.snapshot == nil {
                let newest = commits.value
                connection.endSnapshot()
                try connection.engine.beginReading(once: once, on: connection)
                connection.snapshot = newest
            }
            do {
                let value = try connection.work(body)
                if !connection.mustReadAgain {
                    if connection.keeper == nil { connection.endSnapshot() }
                    return value
                }
            } catch {
                repeats += 1
                guard connection.mustReadAgain, repeats <= Self.maximumRepeats else {
                    connection.mustReadAgain = false
                    // The error of one look-up leaves the snapshot to the other look-ups that share the connection.
                    if connection.keeper == nil || connection.engine.isTransactionBroken { connection.endSnapshot() }
                    throw error
                }
            }
            connection.endSnapshot()
            connection.mustReadAgain = false
            once = false
        }
    }

    /// Changes side tables of a database server, such as the table of codes. The change runs on the caller's thread, outside the
    /// directory's transactions, and the change feed does not record the change.
    package func changeSideTables<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try translated {
            let connection = try readers.take(for: .lookUp)
            defer { readers.give(connection, after: .lookUp) }
            connection.endSnapshot()
            var repeats = 0
            while true {
                try connection.engine.beginSideTables(on: connection)
                var isCommitting = false
                do {
                    let value = try connection.work(body)
                    isCommitting = true
                    try connection.run(StoreStatements.commit)
                    return value
                } catch {
                    // The server keeps nothing before the commit, so the change runs again on the server that takes over.
                    let mustRepeat = !isCommitting && connection.engine.hasLostTransaction
                    connection.rollBack()
                    repeats += 1
                    guard mustRepeat, repeats <= Self.maximumRepeats else { throw error }
                }
            }
        }
    }
}
