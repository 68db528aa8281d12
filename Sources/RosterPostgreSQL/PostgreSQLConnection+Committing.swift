import RosterStore

extension PostgreSQLConnection {
    /// Commits the transaction. If the connection is lost before the answer comes, asks the primary whether the transaction was
    /// committed.
    ///
    /// - Throws: `StoreError` `outcomeUnknown` if no primary answers within ``Server/patienceOfCommit``.
    func commit(_ statement: PostgreSQLStatement) throws {
        do {
            try translating {
                try limitTime()
                try link.send(statement)
                try link.finish()
            }
            isOutside = true
        } catch {
            guard link.isLost else { throw error }
            isOutside = true
            isOutcomeUnknown = true
            guard try wasCommitted() else {
                (isOutcomeUnknown, isLostForSure) = (false, true)
                throw error
            }
            isOutcomeUnknown = false
        }
    }

    /// Asks the primary whether the last transaction was committed.
    private func wasCommitted() throws -> Bool {
        let end = ContinuousClock.now + Server.patienceOfCommit
        while true {
            do {
                try settle()
                try run(PostgreSQLStatements.beginWriting)
                // If the server is still running the transaction, this statement waits for the row that the transaction has locked.
                _ = try first(PostgreSQLStatements.waitForTurn) { _ in true }
                let kept = try first(PostgreSQLStatements.mark, text: shared.identifier) { $0.integer(0) }
                try run(StoreStatements.rollback)
                return kept == mark
            } catch let error as StoreError {
                guard ContinuousClock.now < end else {
                    throw StoreError(
                        .outcomeUnknown,
                        "The connection with \(address.name) was lost while a change was kept: \(error.message)",
                        advice: "Read the record again to see whether the change was kept.")
                }
                if !link.isLost { try? run(StoreStatements.rollback) }
                Server.pause()
            }
        }
    }
}
