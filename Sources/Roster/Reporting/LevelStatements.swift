import RosterStore

/// The statements that read the users who report to any of several managers, on PostgreSQL.
enum LevelStatements {
    static let users: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.manager = ANY(CAST(?1 AS bigint[])) ORDER BY u.id LIMIT ?2 OFFSET ?3
        """
    static let ids: SQL = "SELECT id FROM users WHERE manager = ANY(CAST(?1 AS bigint[])) ORDER BY id"
}
