import RosterStore

/// The statements that find the changes of the roles of one user.
enum MembershipStatements {
    /// Notes that the users of the list ?1 came or left, by the kind ?2, in the entry ?3, or in the last one without a number.
    static let add = SQL(
        """
        INSERT INTO membership_change (member, sequence, kind)
        SELECT value, coalesce(?3, (SELECT max(sequence) FROM change)), ?2 FROM json_each(?1) WHERE TRUE
        ON CONFLICT DO NOTHING
        """,
        postgreSQL: """
            INSERT INTO membership_change (member, sequence, kind)
            SELECT unnest(CAST(?1 AS bigint[])), coalesce(CAST(?3 AS BIGINT), (SELECT max(sequence) FROM change)),
                CAST(?2 AS BIGINT)
            ON CONFLICT DO NOTHING
            """)
    static let remove: SQL = "DELETE FROM membership_change WHERE sequence BETWEEN ?1 AND ?2"
    /// The changes of the roles of user ?1 before the kind ?3 of the entry ?2, newest first. The values of an entry are not read, because
    /// a list in them can be long.
    static let ofUser: SQL = """
        SELECT m.sequence, m.kind, c.time, c.actor, c.id, c.name, c.kind, r.name, r.attributes
        FROM membership_change m JOIN change c ON c.sequence = m.sequence LEFT JOIN role r ON r.id = c.id
        WHERE m.member = ?1 AND (m.sequence, m.kind) < (CAST(?2 AS BIGINT), CAST(?3 AS BIGINT))
        ORDER BY m.sequence DESC, m.kind DESC LIMIT ?4
        """
    /// The entries about roles after ?1 that may tell of users who came or left.
    static let entriesAboutRoles: SQL = """
        SELECT sequence, before, after FROM change WHERE sequence > ?1 AND entity = 2 AND kind IN (2, 3)
        ORDER BY sequence LIMIT 500
        """
}
