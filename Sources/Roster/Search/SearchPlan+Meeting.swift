import RosterStore

/// The statements that find where two indexes meet; see ``TransactionSearch/placeOfMeeting(_:after:)``.
extension SearchPlan {
    /// Makes the statement for the least and the greatest key by which an index of the users' own rows finds candidates. Keys tell the case
    /// of letters, so that one value can have several keys.
    static func ends(of candidates: Candidates, _ column: String) -> (text: String, bindings: [Binding]) {
        let values = "SELECT u.\(column) FROM users u WHERE \(candidates.condition) ORDER BY u.\(column)"
        return ("SELECT (\(values) LIMIT 1), (\(values) DESC LIMIT 1)", candidates.bindings + candidates.bindings)
    }

    /// Returns the candidates that have one key in a column.
    static func having(_ value: Binding, in column: String, of candidates: Candidates) -> Candidates {
        var having = candidates
        (having.condition, having.bindings) = ("u.\(column) = ?", [value])
        return having
    }

    /// Makes the statement for the first identifier, from `start` on, that two indexes have in common. SQLite asks each index in turn for
    /// the next identifier from where the other index stands, and so passes over users whom only one index has. After 400 looks, the
    /// statement selects the identifier that it has reached: no identifier before it is in both indexes. The statement selects NULL if
    /// no further identifier is in both indexes. Only SQLite runs the statement.
    static func meeting(
        of first: Candidates, and second: Candidates, from start: Int64
    ) -> (text: String, bindings: [Binding]) {
        func next(_ candidates: Candidates) -> String {
            let (id, source) = (candidates.identifier, candidates.source ?? "users u")
            return
                "(SELECT \(id) FROM \(source) WHERE \(candidates.condition) AND \(id) >= meeting.id ORDER BY \(id) LIMIT 1)"
        }
        return (
            """
            WITH RECURSIVE meeting (look, id, former) AS (
                VALUES (0, ?, 0) UNION ALL
                SELECT look + 1, CASE look % 2 WHEN 0 THEN \(next(first)) ELSE \(next(second)) END, meeting.id
                FROM meeting WHERE meeting.id IS NOT NULL AND (look < 2 OR meeting.id <> former) AND look < 400
            )
            SELECT id FROM meeting ORDER BY look DESC LIMIT 1
            """, [.integer(start)] + first.bindings + second.bindings
        )
    }
}
