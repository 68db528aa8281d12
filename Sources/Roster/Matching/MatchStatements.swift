import RosterStore

/// The statements that find people by words.
enum MatchStatements {
    /// The users whom the word index finds after an identifier, in the order of identifiers.
    static let byWords = SQL(
        "SELECT rowid FROM word_index WHERE word_index MATCH ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3",
        postgreSQL: """
            WITH found AS MATERIALIZED (SELECT user_id FROM word_index WHERE words @@ CAST(?1 AS tsquery))
            SELECT user_id FROM found WHERE user_id > ?2 ORDER BY user_id LIMIT ?3
            """)
    static let reportees: SQL = "SELECT id FROM users WHERE manager = ?1 ORDER BY id LIMIT ?2"

    /// The users whose telephone numbers may have digits in a row, by the text index.
    static func byPhone(_ digits: String, on engine: EngineKind) -> (text: String, bindings: [Binding]) {
        let form: FilterCompiler.Form = engine == .sqlite ? .calling : .answered
        let (condition, bindings) = TextMatch.contains(column: "phone", digits).condition(form)
        return ("SELECT \(TextMatch.identifier(form)) FROM text_index t WHERE \(condition) LIMIT ?", bindings)
    }

    /// The users with a key in a range of a column.
    static func inRange(of column: String) -> String {
        "SELECT id FROM users WHERE \(column) >= ? AND \(column) < ? ORDER BY \(column) LIMIT ?"
    }

    /// The different keys of a column within a range, each found by a step in the index.
    static func keys(of column: String) -> String {
        """
        WITH RECURSIVE keys (key, number) AS (
            SELECT (SELECT min(\(column)) FROM users WHERE \(column) >= ? AND \(column) < ?), 1
            UNION ALL
            SELECT (SELECT min(u.\(column)) FROM users u WHERE u.\(column) > keys.key AND u.\(column) < ?), number + 1
            FROM keys WHERE keys.key IS NOT NULL AND number < ?
        )
        SELECT key FROM keys WHERE key IS NOT NULL
        """
    }
}
