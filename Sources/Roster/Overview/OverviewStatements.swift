import RosterStore

/// The statements of the overview. Each reads a limited number of rows.
enum OverviewStatements {
    static let withoutManager: SQL = """
        SELECT count(*) FROM (SELECT 1 FROM users WHERE manager IS NULL LIMIT ?1) AS found
        """
    static let withoutMail: SQL = """
        SELECT count(*) FROM (SELECT 1 FROM attribute_value WHERE attribute = ?2 LIMIT ?1) AS found
        """
    /// At most ?2 of the last ?1 disabled users who have reportees.
    static let disabledManagers: SQL = """
        SELECT id FROM (SELECT id FROM users WHERE active = 0 ORDER BY modified DESC LIMIT ?1) AS disabled
        WHERE EXISTS (SELECT 1 FROM users r WHERE r.manager = disabled.id) LIMIT ?2
        """
    /// The refused sign-ins after the entry ?1 and since the time ?2.
    static let refused: SQL = "SELECT count(*) FROM change WHERE sequence > ?1 AND kind = 5 AND time >= ?2"
    /// At most ?2 entries after ?1 about users who were created or changed, newest first.
    static let people: SQL = """
        SELECT sequence, time, actor, kind, entity, id, name, before, after, NULL, NULL, NULL
        FROM change WHERE sequence > ?1 AND entity = 1 AND kind IN (1, 2) ORDER BY sequence DESC LIMIT ?2
        """
}
