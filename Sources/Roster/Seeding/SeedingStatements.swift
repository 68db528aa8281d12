import RosterStore

/// The statements of imports and exports.
enum SeedingStatements {
    static let openRow: SQL = "SAVEPOINT import_row"
    static let undoRow: SQL = "ROLLBACK TO import_row"
    static let releaseRow: SQL = "RELEASE import_row"

    /// The names of the users with the identifiers of a list.
    static let names = SQL(
        "SELECT id, name FROM users WHERE id IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT id, name FROM users WHERE id = ANY(CAST(?1 AS bigint[]))")
    /// The names of the roles that the users of a list are direct members of, sorted for each user.
    static let rolesOfUsers = SQL(
        """
        SELECT m.member, r.name FROM role_member_user m JOIN role r ON r.id = m.role
        WHERE m.member IN (SELECT value FROM json_each(?1)) ORDER BY m.member, r.name_key
        """,
        postgreSQL: """
            SELECT m.member, r.name FROM role_member_user m JOIN role r ON r.id = m.role
            WHERE m.member = ANY(CAST(?1 AS bigint[])) ORDER BY m.member, r.name_key
            """)

    /// A page of the members or owners, with their names, of the roles up to number ?3 that come after subject ?2 of role ?1. The
    /// limit is part of the text, because a server plans a statement before it knows the parameters.
    static func subjects(_ link: RoleLink) -> SQL {
        switch link {
        case .memberUser: memberUsers
        case .memberRole: memberRoles
        case .ownerUser: ownerUsers
        case .ownerRole: ownerRoles
        }
    }
    /// The number of rows that ``subjects(_:)`` selects at most.
    static let subjectsPage = 1_000

    private static let memberUsers: SQL = """
        SELECT m.role, m.member, s.name FROM role_member_user m JOIN users s ON s.id = m.member
        WHERE (m.role, m.member) > (?1, ?2) AND m.role <= ?3 ORDER BY m.role, m.member LIMIT 1000
        """
    private static let memberRoles: SQL = """
        SELECT m.role, m.member, s.name FROM role_member_role m JOIN role s ON s.id = m.member
        WHERE (m.role, m.member) > (?1, ?2) AND m.role <= ?3 ORDER BY m.role, m.member LIMIT 1000
        """
    private static let ownerUsers: SQL = """
        SELECT m.role, m.member, s.name FROM role_owner_user m JOIN users s ON s.id = m.member
        WHERE (m.role, m.member) > (?1, ?2) AND m.role <= ?3 ORDER BY m.role, m.member LIMIT 1000
        """
    private static let ownerRoles: SQL = """
        SELECT m.role, m.member, s.name FROM role_owner_role m JOIN role s ON s.id = m.member
        WHERE (m.role, m.member) > (?1, ?2) AND m.role <= ?3 ORDER BY m.role, m.member LIMIT 1000
        """
}
