import RosterStore

/// The statements that take an array. PostgreSQL answers them for many users in one trip; SQLite does not run them.
enum ArrayStatements {
    /// Selects the users who report to any of several managers.
    static let reportees: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.manager = ANY(CAST(?1 AS bigint[])) ORDER BY u.id LIMIT ?2 OFFSET ?3
        """
    static let reporteeIDs: SQL = "SELECT id FROM users WHERE manager = ANY(CAST(?1 AS bigint[])) ORDER BY id"
}
