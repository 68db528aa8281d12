import RosterStore

/// The statements that take an array. PostgreSQL answers them for many users in one trip; SQLite does not run them.
enum ArrayStatements {
    /// The users with the identifiers of a list.
    static let users: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.id = ANY(CAST(?1 AS bigint[]))
        """
    /// A client's identifiers for the users and roles of a list.
    static let externalIDs: SQL =
        "SELECT subject, value FROM external_id WHERE client = ?1 AND subject = ANY(CAST(?2 AS bigint[]))"

    /// The roles that each user of a list is a member of: the role, 1 for a direct membership, and the user.
    ///
    /// - Parameter nested: Whether roles contain roles.
    static func memberships(nested: Bool) -> SQL { nested ? allMemberships : directMemberships }

    private static let directMemberships: SQL = """
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes, 1, m.member
        FROM role_member_user m JOIN role u ON u.id = m.role WHERE m.member = ANY(CAST(?1 AS bigint[]))
        ORDER BY m.member, m.role
        """
    private static let allMemberships: SQL = """
        WITH RECURSIVE around (member, id) AS (
            SELECT member, role FROM role_member_user WHERE member = ANY(CAST(?1 AS bigint[]))
            UNION SELECT around.member, l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes,
            CASE WHEN EXISTS (SELECT 1 FROM role_member_user d WHERE d.role = u.id AND d.member = around.member) THEN 1 ELSE 0 END,
            around.member
        FROM around JOIN role u ON u.id = around.id ORDER BY around.member, u.id
        """
    /// The first roles that are direct members of each role of a list, with that role.
    static let rolesInRoles: SQL = """
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes, r.id
        FROM unnest(CAST(?1 AS bigint[])) AS r (id) CROSS JOIN LATERAL (
            SELECT member FROM role_member_role WHERE role = r.id ORDER BY member LIMIT ?2
        ) AS m JOIN role u ON u.id = m.member ORDER BY r.id, u.id
        """
    /// The first users who are direct members of each role of a list, with that role.
    static let usersInRoles: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes, r.id
        FROM unnest(CAST(?1 AS bigint[])) AS r (id) CROSS JOIN LATERAL (
            SELECT member FROM role_member_user WHERE role = r.id ORDER BY member LIMIT ?2
        ) AS m JOIN users u ON u.id = m.member ORDER BY r.id, u.id
        """
}
