import RosterStore

/// The settings of the session.
extension PostgreSQLEngine {
    /// Sets PostgreSQL's `statement_timeout`, so that the server ends the statements of a search at the search's deadline. The next
    /// search has as much time, and keeps the setting.
    func limitTime(on connection: Connection) throws {
        guard !phase.isOutside else { return }
        let left = connection.deadline.map { max(1, Int(($0 - .now) / .milliseconds(1))) } ?? 0
        if let timeout, left == 0 ? timeout == 0 : (left...left + left / 8 + 1).contains(timeout) { return }
        try send(PostgreSQLStatements.limitTime, [.text(String(left))], on: connection)
        timeout = left
    }

    /// Sets PostgreSQL's `plan_cache_mode` for the running search: one plan for each run of a statement, or one plan for all runs.
    func choosePlanning(on connection: Connection) throws {
        guard !phase.isOutside, serverPlansEachRun != connection.plansEachRun else { return }
        let statement = connection.plansEachRun ? PostgreSQLStatements.planAsNeeded : PostgreSQLStatements.planOnce
        try send(statement, [], on: connection)
        serverPlansEachRun = connection.plansEachRun
    }

    /// Forgets the settings after the end of a transaction that may have undone them.
    func forgetSettings() { (timeout, serverPlansEachRun) = (nil, nil) }
}
