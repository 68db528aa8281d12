import RosterStore

/// The statements of reporting lines. All of them terminate, even if a damaged file has a reporting cycle.
enum ReportingStatements {
    static let reportees: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.manager = ?1 AND u.id > ?2 ORDER BY u.id LIMIT ?3
        """
    static let reporteeCount: SQL = "SELECT count(*) FROM users WHERE manager = ?1"
    static let managerOf: SQL = "SELECT manager FROM users WHERE id = ?1"
    static let chain: SQL = """
        WITH RECURSIVE chain (id, depth) AS (
            SELECT manager, 1 FROM users WHERE id = ?1 AND manager IS NOT NULL
            UNION ALL
            SELECT users.manager, depth + 1 FROM chain JOIN users ON users.id = chain.id
            WHERE users.manager IS NOT NULL AND users.manager <> ?1 AND depth < ?2
        )
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM chain JOIN users u ON u.id = chain.id ORDER BY depth
        """
    /// The managers of the users of a list, and of everybody above them.
    static let managersAbove = SQL(
        """
        WITH RECURSIVE above (id) AS (
            SELECT value FROM json_each(?1)
            UNION SELECT users.manager FROM above JOIN users ON users.id = above.id WHERE users.manager IS NOT NULL
        )
        SELECT users.id, users.manager FROM above JOIN users ON users.id = above.id WHERE users.manager IS NOT NULL
        """,
        postgreSQL: """
            WITH RECURSIVE above (id) AS (
                SELECT unnest(CAST(?1 AS bigint[]))
                UNION SELECT users.manager FROM above JOIN users ON users.id = above.id WHERE users.manager IS NOT NULL
            )
            SELECT users.id, users.manager FROM above JOIN users ON users.id = above.id WHERE users.manager IS NOT NULL
            """)
    static let hasReportees: SQL = "SELECT 1 FROM users WHERE manager = ?1 LIMIT 1"
    /// Whether user ?1 is below user ?2. A line that leads back to ?1, as it can in a damaged database, ends there.
    static let isBelow: SQL = """
        WITH RECURSIVE chain (id) AS (
            SELECT manager FROM users WHERE id = ?1
            UNION
            SELECT users.manager FROM chain JOIN users ON users.id = chain.id WHERE chain.id <> ?2
        )
        SELECT 1 FROM chain WHERE id = ?2 LIMIT 1
        """
    static let isAbove: SQL = """
        WITH RECURSIVE chain (id) AS (
            VALUES (CAST(?2 AS BIGINT))
            UNION
            SELECT users.manager FROM chain JOIN users ON users.id = chain.id WHERE users.manager IS NOT NULL
        )
        SELECT 1 FROM chain WHERE id = ?1
        """
    /// The users who report to any of several managers, in the order of the managers in the list, then of their identifiers. SQLite takes
    /// the managers one after the other, because a cross join keeps the order of its tables.
    static let reporteesOfSeveral = SQL(
        "SELECT u.id FROM json_each(?1) AS m CROSS JOIN users AS u ON u.manager = m.value LIMIT ?2",
        postgreSQL: """
            SELECT u.id FROM unnest(CAST(?1 AS bigint[])) WITH ORDINALITY AS m (id, place) JOIN users AS u ON u.manager = m.id
            ORDER BY m.place, u.id LIMIT ?2
            """)
    /// The same users with their records.
    static let recordsOfReportees = SQL(
        """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM json_each(?1) AS m CROSS JOIN users AS u ON u.manager = m.value LIMIT ?2
        """,
        postgreSQL: """
            SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
            FROM unnest(CAST(?1 AS bigint[])) WITH ORDINALITY AS m (id, place) JOIN users AS u ON u.manager = m.id
            ORDER BY m.place, u.id LIMIT ?2
            """)
    /// The users of a list of identifiers.
    static let records = SQL(
        """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.id IN (SELECT value FROM json_each(?1))
        """,
        postgreSQL: """
            SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
            FROM users u WHERE u.id = ANY(CAST(?1 AS bigint[]))
            """)
    static let belowCount: SQL = """
        WITH RECURSIVE below (id) AS (
            SELECT id FROM users WHERE manager = ?1
            UNION
            SELECT users.id FROM below JOIN users ON users.manager = below.id
        )
        SELECT count(*) FROM below
        """
    static let top: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.manager IS NULL AND u.id > ?1 ORDER BY u.id LIMIT ?2
        """
    /// The users whose managers never reach the top.
    static let inCycle: SQL = """
        WITH RECURSIVE reached (id) AS (
            SELECT id FROM users WHERE manager IS NULL
            UNION ALL
            SELECT users.id FROM reached JOIN users ON users.manager = reached.id
        )
        SELECT name FROM users WHERE (SELECT count(*) FROM reached) < (SELECT count(*) FROM users)
            AND id NOT IN (SELECT id FROM reached) LIMIT 10
        """
    static let setManager: SQL = "UPDATE users SET manager = ?2, version = version + 1, modified = ?3 WHERE id = ?1"
}
