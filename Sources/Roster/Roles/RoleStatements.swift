import RosterStore

/// The statements of roles and of the four tables with their members and owners.
enum RoleStatements {
    /// The columns that ``Role`` decodes, in its order.
    static let columns = "u.id, u.name, u.version, u.created, u.modified, u.attributes"

    static let byName: SQL =
        "SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes FROM role u WHERE u.name_key = ?1"
    static let byID: SQL =
        "SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes FROM role u WHERE u.id = ?1"
    /// How many roles have a name that begins with the key ?1 and a hyphen.
    static let suffixedNames: SQL = """
        SELECT count(*) FROM role WHERE name_key >= CAST(?1 AS text) || '-' AND name_key < CAST(?1 AS text) || '.'
        """
    /// The identifiers of a list that belong to roles.
    static let existing = SQL(
        "SELECT id FROM role WHERE id IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT id FROM role WHERE id = ANY(CAST(?1 AS bigint[]))")
    /// The roles whose names have the keys of a list.
    static let idsByName = SQL(
        "SELECT name_key, id FROM role WHERE name_key IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT name_key, id FROM role WHERE name_key = ANY(CAST(?1 AS text[]))")
    /// The sizes of the records of roles, in characters.
    static let recordSizes = SQL(
        "SELECT id, length(attributes) FROM role WHERE id IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT id, length(attributes) FROM role WHERE id = ANY(CAST(?1 AS bigint[]))")
    static let afterID: SQL = """
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes FROM role u WHERE u.id > ?1 ORDER BY u.id LIMIT ?2
        """
    static let withKeys: SQL = """
        SELECT id, name, attributes, name_key, display_name_key, description_key FROM role WHERE id > ?1 ORDER BY id LIMIT ?2
        """
    static let insert: SQL = """
        INSERT INTO role (id, name, name_key, version, created, modified, display_name_key, description_key, attributes)
        VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?6, ?7)
        """
    static let update: SQL = """
        UPDATE role SET name = ?2, name_key = ?3, version = version + 1, modified = ?4, display_name_key = ?5,
            description_key = ?6, attributes = ?7
        WHERE id = ?1
        """
    static let touch: SQL = "UPDATE role SET version = version + 1, modified = ?2 WHERE id = ?1"
    static let delete: SQL = "DELETE FROM role WHERE id = ?1"

    /// The roles that user ?1 is a direct member of.
    static let isAnyNested: SQL = "SELECT 1 FROM role_member_role LIMIT 1"

    /// The roles that a user is a member of, and 1 for a direct membership.
    ///
    /// - Parameter nested: Whether roles contain roles. The recursion takes twice as long.
    static func memberships(nested: Bool) -> SQL { nested ? allMemberships : directMemberships }

    private static let directMemberships: SQL = """
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes, 1
        FROM role_member_user m JOIN role u ON u.id = m.role WHERE m.member = ?1 ORDER BY m.role
        """
    private static let allMemberships: SQL = """
        WITH RECURSIVE around (id) AS (
            SELECT role FROM role_member_user WHERE member = ?1
            UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes,
            CASE WHEN EXISTS (SELECT 1 FROM role_member_user d WHERE d.role = u.id AND d.member = ?1) THEN 1 ELSE 0 END
        FROM around JOIN role u ON u.id = around.id ORDER BY u.id
        """
    /// Whether user ?2 is a direct member of role ?1.
    static let isDirectMember: SQL = "SELECT 1 FROM role_member_user WHERE role = ?1 AND member = ?2"
    static let hasNestedRoles: SQL = "SELECT 1 FROM role_member_role WHERE role = ?1 LIMIT 1"
    /// The number of roles that ``isMemberOfNested`` looks at.
    static let maximumNested: Int64 = 64
    /// The number of roles nested in role ?1, up to one more than ``maximumNested``, and whether user ?2 is a direct member of one of
    /// them.
    static let isMemberOfNested: SQL = """
        WITH RECURSIVE inside (id) AS (
            SELECT member FROM role_member_role WHERE role = ?1
            UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        SELECT count(*), coalesce(max(CASE WHEN EXISTS (
            SELECT 1 FROM role_member_user m WHERE m.member = ?2 AND m.role = i.id
        ) THEN 1 ELSE 0 END), 0) FROM (SELECT id FROM inside LIMIT 65) i
        """
    /// Whether role ?1 is among the roles that user ?2 is a member of, directly or through others.
    static let isMemberUpward: SQL = """
        WITH RECURSIVE around (id) AS (
            SELECT role FROM role_member_user WHERE member = ?2
            UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT 1 FROM around WHERE id = ?1 LIMIT 1
        """
    static let namesOfMember: SQL = """
        SELECT r.name FROM role_member_user m JOIN role r ON r.id = m.role WHERE m.member = ?1 ORDER BY r.name_key
        """

    /// A page of the roles that are direct members of role ?1: up to ?3 roles after identifier ?2.
    static let directRoles: SQL = """
        SELECT u.id, u.name, u.version, u.created, u.modified, u.attributes
        FROM role_member_role m JOIN role u ON u.id = m.member WHERE m.role = ?1 AND m.member > ?2 ORDER BY m.member LIMIT ?3
        """
    /// A page of the users who are direct members of role ?1: up to ?3 users after identifier ?2.
    static let directUsers: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM role_member_user m JOIN users u ON u.id = m.member WHERE m.role = ?1 AND m.member > ?2 ORDER BY m.member LIMIT ?3
        """

    /// The statements of one table with members or owners.
    struct Link: Sendable {
        /// Inserts the subjects of the list ?2, and answers those that were not there.
        let insert: SQL
        /// Deletes the subjects of the list ?2, and answers those that were there.
        let delete: SQL
        /// Selects those of the list ?2 that are there.
        let direct: SQL
        let subjects: SQL
        let roles: SQL
    }

    static let memberUser = Link(
        insert: SQL(
            """
            INSERT INTO role_member_user (role, member) SELECT CAST(?1 AS BIGINT), value FROM json_each(?2) WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING member
            """,
            postgreSQL: """
                INSERT INTO role_member_user (role, member) SELECT CAST(?1 AS BIGINT), unnest(CAST(?2 AS bigint[]))
                ON CONFLICT DO NOTHING RETURNING member
                """),
        delete: SQL(
            "DELETE FROM role_member_user WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2)) RETURNING member",
            postgreSQL:
                "DELETE FROM role_member_user WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[])) RETURNING member"),
        direct: SQL(
            "SELECT member FROM role_member_user WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2))",
            postgreSQL: "SELECT member FROM role_member_user WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[]))"),
        subjects: "SELECT member FROM role_member_user WHERE role = ?1 ORDER BY member",
        roles: "SELECT role FROM role_member_user WHERE member = ?1 ORDER BY role")
    static let memberRole = Link(
        insert: SQL(
            """
            INSERT INTO role_member_role (role, member) SELECT CAST(?1 AS BIGINT), value FROM json_each(?2) WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING member
            """,
            postgreSQL: """
                INSERT INTO role_member_role (role, member) SELECT CAST(?1 AS BIGINT), unnest(CAST(?2 AS bigint[]))
                ON CONFLICT DO NOTHING RETURNING member
                """),
        delete: SQL(
            "DELETE FROM role_member_role WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2)) RETURNING member",
            postgreSQL:
                "DELETE FROM role_member_role WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[])) RETURNING member"),
        direct: SQL(
            "SELECT member FROM role_member_role WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2))",
            postgreSQL: "SELECT member FROM role_member_role WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[]))"),
        subjects: "SELECT member FROM role_member_role WHERE role = ?1 ORDER BY member",
        roles: "SELECT role FROM role_member_role WHERE member = ?1 ORDER BY role")
    static let ownerUser = Link(
        insert: SQL(
            """
            INSERT INTO role_owner_user (role, member) SELECT CAST(?1 AS BIGINT), value FROM json_each(?2) WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING member
            """,
            postgreSQL: """
                INSERT INTO role_owner_user (role, member) SELECT CAST(?1 AS BIGINT), unnest(CAST(?2 AS bigint[]))
                ON CONFLICT DO NOTHING RETURNING member
                """),
        delete: SQL(
            "DELETE FROM role_owner_user WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2)) RETURNING member",
            postgreSQL:
                "DELETE FROM role_owner_user WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[])) RETURNING member"),
        direct: SQL(
            "SELECT member FROM role_owner_user WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2))",
            postgreSQL: "SELECT member FROM role_owner_user WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[]))"),
        subjects: "SELECT member FROM role_owner_user WHERE role = ?1 ORDER BY member",
        roles: "SELECT role FROM role_owner_user WHERE member = ?1 ORDER BY role")
    static let ownerRole = Link(
        insert: SQL(
            """
            INSERT INTO role_owner_role (role, member) SELECT CAST(?1 AS BIGINT), value FROM json_each(?2) WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING member
            """,
            postgreSQL: """
                INSERT INTO role_owner_role (role, member) SELECT CAST(?1 AS BIGINT), unnest(CAST(?2 AS bigint[]))
                ON CONFLICT DO NOTHING RETURNING member
                """),
        delete: SQL(
            "DELETE FROM role_owner_role WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2)) RETURNING member",
            postgreSQL:
                "DELETE FROM role_owner_role WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[])) RETURNING member"),
        direct: SQL(
            "SELECT member FROM role_owner_role WHERE role = ?1 AND member IN (SELECT value FROM json_each(?2))",
            postgreSQL: "SELECT member FROM role_owner_role WHERE role = ?1 AND member = ANY(CAST(?2 AS bigint[]))"),
        subjects: "SELECT member FROM role_owner_role WHERE role = ?1 ORDER BY member",
        roles: "SELECT role FROM role_owner_role WHERE member = ?1 ORDER BY role")

    /// Role ?1, and the roles that contain it, directly or through others.
    static let containing: SQL = """
        WITH RECURSIVE around (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        SELECT id FROM around
        """
    /// Role ?1, and the roles that it owns, directly or through others.
    static let ownedBy: SQL = """
        WITH RECURSIVE around (id) AS (
            VALUES (CAST(?1 AS BIGINT)) UNION SELECT l.role FROM around JOIN role_owner_role l ON l.member = around.id
        )
        SELECT id FROM around
        """

    // MARK: Who is related to whom, through nested roles or not

    /// The roles nested in the roles that `start` selects.
    private static func inside(_ start: String) -> String {
        """
        WITH RECURSIVE inside (id) AS (
            \(start) UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
        )
        """
    }

    /// The roles that contain the roles that `start` selects.
    private static func around(_ start: String) -> String {
        """
        WITH RECURSIVE around (id) AS (
            \(start) UNION SELECT l.role FROM around JOIN role_member_role l ON l.member = around.id
        )
        """
    }

    /// The roles that `start` selects, and the roles nested in them.
    static func rolesInside(_ start: String) -> String { inside(start) + "SELECT id FROM inside" }

    /// The identifiers of the users who are members of the roles that `start` selects, or of roles nested in them.
    static func usersInside(_ start: String) -> String { inside(start) + membersInside }

    private static let membersInside =
        "SELECT DISTINCT m.member AS id FROM inside JOIN role_member_user m ON m.role = inside.id"

    /// The identifiers of the users of role ?1.
    static func users(_ relation: RoleRelation, _ reach: Reach) -> String {
        let direct = "SELECT member AS id FROM role_\(relation.rawValue)_user WHERE role = ?1"
        if reach == .direct { return direct }
        if relation == .member { return usersInside("VALUES (CAST(?1 AS BIGINT))") }
        return inside("SELECT member FROM role_owner_role WHERE role = ?1") + direct + " UNION " + membersInside
    }

    /// The identifiers of the roles that are members or owners of role ?1.
    static func subroles(_ relation: RoleRelation, _ reach: Reach) -> String {
        let direct = "SELECT member AS id FROM role_\(relation.rawValue)_role WHERE role = ?1"
        return reach == .direct ? direct : inside(direct) + "SELECT id FROM inside"
    }

    /// The identifiers of the roles that user ?1 is a member or an owner of.
    static func rolesOfUser(_ relation: RoleRelation, _ reach: Reach) -> String {
        let direct = "SELECT role AS id FROM role_\(relation.rawValue)_user WHERE member = ?1"
        if reach == .direct { return direct }
        let joined = around("SELECT role FROM role_member_user WHERE member = ?1")
        return joined + (relation == .member ? "SELECT id FROM around" : direct + " UNION " + owned)
    }

    /// The identifiers of the roles that role ?1 is a member or an owner of.
    static func rolesOfRole(_ relation: RoleRelation, _ reach: Reach) -> String {
        let direct = "SELECT role AS id FROM role_\(relation.rawValue)_role WHERE member = ?1"
        if reach == .direct { return direct }
        return relation == .member
            ? around(direct) + "SELECT id FROM around" : around("VALUES (CAST(?1 AS BIGINT))") + owned
    }

    /// The roles that the roles of `around` own.
    private static let owned =
        "SELECT DISTINCT o.role AS id FROM around JOIN role_owner_role o ON o.member = around.id"

    /// A page of the users whose identifiers the statement selects: up to ?3 users after identifier ?2.
    static func userPage(_ ids: String) -> String {
        "SELECT \(UserStatements.columns) FROM (\(ids)) c JOIN users u ON u.id = c.id WHERE c.id > ?2 ORDER BY c.id LIMIT ?3"
    }
    /// A page of the roles whose identifiers the statement selects: up to ?3 roles after identifier ?2.
    static func rolePage(_ ids: String) -> String {
        "SELECT \(columns) FROM (\(ids)) c JOIN role u ON u.id = c.id WHERE c.id > ?2 ORDER BY c.id LIMIT ?3"
    }
    /// Selects the identifiers of a role and of the roles nested in that role.
    static func inside(_ role: RoleID) -> String { rolesInside("VALUES (CAST(\(role.rawValue) AS BIGINT))") }
    /// Selects the identifiers that each of two statements selects.
    static func both(_ ids: String, _ others: String) -> String {
        "SELECT c.id AS id FROM (\(ids)) c WHERE c.id IN (\(others))"
    }
    /// Counts the identifiers that a statement selects.
    static func count(_ ids: String) -> String { "SELECT count(*) FROM (\(ids)) c" }
    /// Whether the statement selects identifier ?2.
    static func contains(_ ids: String) -> String { "SELECT 1 FROM (\(ids)) c WHERE c.id = ?2" }
}
