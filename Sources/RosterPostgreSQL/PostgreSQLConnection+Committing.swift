import RosterStore

extension PostgreSQLConnection {
    /// Commits the transaction. If the connection is lost before the answer comes, or somebody ends the wait for a standby, asks the
    /// primary whether the transaction was committed, and commits once more to wait for the standbys.
    ///
    /// - Throws: `StoreError` `outcomeUnknown` if no primary answers within ``Server/patienceOfCommit``, or no standby has the transaction
    ///   by then.
    func commit(_ statement: PostgreSQLStatement) throws {
        link.hasWarning = false
        let loss: any Error
        do {
            try translating {
                try limitTime()
                try link.send(statement)
                try link.finish()
            }
            guard link.hasWarning else {
                isOutside = true
                return
            }
            loss = PostgreSQLFailure.lost(address.name)
        } catch {
            guard link.isLost else { throw error }
            loss = error
        }
        guard try isKept() else {
            isLostForSure = true
            throw loss
        }
    }

    /// Finds out whether the last transaction was committed, and waits until the standbys have the transaction.
    ///
    /// The transaction's mark is not enough: a server keeps a transaction whose wait for a standby was ended, by a restart or by an
    /// administrator. No standby has this transaction, and a standby that takes over loses it. So a small change is committed after it.
    private func isKept() throws -> Bool {
        (isOutside, isOutcomeUnknown) = (true, true)
        var (isFound, problem) = (false, "")
        let end = ContinuousClock.now + Server.patienceOfCommit
        deadline = end
        defer { deadline = nil }
        while true {
            do {
                try settle()
                isOutside = false
                try run(PostgreSQLStatements.beginWriting)
                // If the server is still running the transaction, this statement waits for the row that the transaction has locked.
                _ = try first(PostgreSQLStatements.waitForTurn) { _ in true }
                let mark = [Binding.text(shared.identifier), .integer(mark)]
                guard try first(PostgreSQLStatements.writeMarkAgain, mark, { _ in true }) == true else {
                    try run(StoreStatements.rollback)
                    isOutcomeUnknown = false
                    return false
                }
                isFound = true
                link.hasWarning = false
                try send(StoreStatements.commit, [])
                // The server ends no commit at the time limit of a statement.
                try link.finish(until: end)
                isOutside = true
                if !link.hasWarning {
                    isOutcomeUnknown = false
                    return true
                }
            } catch let error as StoreError {
                problem = error.message
                if !link.isLost { try? run(StoreStatements.rollback) }
                isOutside = true
            }
            guard ContinuousClock.now < end else {
                throw StoreError(
                    .outcomeUnknown,
                    isFound
                        ? "\(address.name) has kept a change, but no standby has confirmed it."
                        : "The connection with \(address.name) was lost while a change was kept: \(problem)",
                    advice: "Read the record again to see whether the change was kept.")
            }
            Server.pause()
        }
    }
}
