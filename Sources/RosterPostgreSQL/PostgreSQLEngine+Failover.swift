import RosterStore
import RosterText

/// The failover: the engine replaces a lost link, and waits for a standby that takes over.
extension PostgreSQLEngine {
    // MARK: Beginning

    /// Begins a transaction. Nothing was read yet, so that a lost link is replaced, and the beginning is repeated while a standby
    /// may be taking over.
    func begin(on connection: Connection, _ body: () throws -> Void) throws {
        var end: ContinuousClock.Instant?
        while true {
            do {
                try reconnectIfLost(connection)
                (phase, connection.mustReadAgain) = (.reading(ReadProgress()), false)
                link.forgetAnswers()
                link.makeRoom()
                link.pauses.start()
                try body()
                return
            } catch {
                if !link.isLost { connection.rollBack() }
                phase.end()
                guard (error as? StoreError)?.kind == .unreachable else { throw error }
                let last = end ?? .now + ServerState.patience
                end = last
                guard .now < last, shared.mayTryAgain(after: link) else {
                    connection.loss = error
                    throw error
                }
                try connection.cancellation?.check()
                try connection.checkOpen()
            }
        }
    }

    /// Connects again after a loss, and waits for cancellations of statements that have ended.
    func reconnectIfLost(_ connection: Connection) throws {
        if link.isLost {
            let pauses = link.pauses.afterLoss()
            workOfLostLinks = workOfLostLinks + link.work
            link = try shared.connect()
            link.pauses = pauses
            backend.withLock { $0 = link.backend }
            phase.end()
            (timeout, serverPlansEachRun) = (0, false)
        }
        if cancels.waitForAll() { drain(connection) }
    }

    /// Runs a statement that a late cancellation may end, so that it ends no other one, and forgets the error.
    func drain(_ connection: Connection) {
        _ = try? connection.first(PostgreSQLStatements.nothing) { _ in true }
        link.clearFailure()
        forgetSettings()
    }

    // MARK: Committing

    /// Commits the transaction. If the connection is lost before the answer comes, or somebody ends the wait for a standby, asks the
    /// primary whether the transaction was committed, and commits once more to wait for the standbys.
    ///
    /// - Throws: `StoreError` `outcomeUnknown` if no primary answers within ``Server/patienceOfCommit``, or no standby has the transaction
    ///   by then.
    func commit(_ statement: PostgreSQLStatement, on connection: Connection) throws {
        link.hasWarning = false
        let loss: any Error
        do {
            try translating(on: connection) {
                try limitTime(on: connection)
                try link.send(statement)
                try link.finish()
            }
            guard link.hasWarning else {
                phase.end()
                link.pauses.commit()
                return
            }
            loss = PostgreSQLFailure.lost(address.name)
        } catch {
            guard link.isLost else { throw error }
            loss = error
        }
        guard try isKept(connection) else {
            // What pauses again and again does not run for ever.
            phase.settle(isKept: false, canRepeat: loss as? StoreError != PostgreSQLFailure.paused)
            throw loss
        }
    }

    /// Finds out whether the last transaction was committed, and waits until the standbys have the transaction.
    ///
    /// The transaction's mark is not enough: a server keeps a transaction whose wait for a standby was ended, by a restart or by an
    /// administrator. No standby has this transaction, and a standby that takes over loses it. So a small change is committed after it.
    private func isKept(_ connection: Connection) throws -> Bool {
        phase.doubt()
        var (isFound, problem) = (false, "")
        let end = ContinuousClock.now + ServerState.patienceOfCommit
        connection.deadline = end
        defer { connection.deadline = nil }
        while true {
            do {
                try reconnectIfLost(connection)
                phase.inquire()
                try connection.run(PostgreSQLStatements.beginWriting)
                // If the server is still running the transaction, this statement waits for the end.
                _ = try connection.first(PostgreSQLStatements.waitForTurn) { _ in true }
                let values: [Binding] = [.integer(number), .text(shared.identifier)]
                let row = try connection.first(PostgreSQLStatements.writeAgain, values) {
                    (isKept: $0.integer(0) == 1, isRemoved: $0.integer(1) == 1)
                }
                guard let row, row.isKept else {
                    try connection.run(StoreStatements.rollback)
                    guard number != nil, row?.isRemoved == false else {
                        throw unknown("Later changes have removed the record of whether a change was kept.")
                    }
                    return false
                }
                isFound = true
                link.hasWarning = false
                try send(StoreStatements.commit, [], on: connection)
                // The server ends no commit at the time limit of a statement.
                try link.finish(until: end)
                phase.end()
                if !link.hasWarning {
                    phase.settle(isKept: true, canRepeat: false)
                    return true
                }
            } catch let error as StoreError where error.kind != .outcomeUnknown {
                problem = error.message
                if !link.isLost { try? connection.run(StoreStatements.rollback) }
                phase.end()
            }
            guard ContinuousClock.now < end else {
                throw unknown(
                    isFound
                        ? "\(address.name) has kept a change, but no standby has confirmed it."
                        : "The connection with \(address.name) was lost while a change was kept: \(problem)")
            }
            ServerState.pause()
        }
    }

    private func unknown(_ message: String) -> StoreError {
        StoreError(.outcomeUnknown, message, advice: "Read the record again to see whether the change was kept.")
    }
}
