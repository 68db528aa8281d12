import RosterStore

/// The statements that fill the image of a preview from a server.
enum ImageStatements {
    /// The tables with rows of single users, and the column with the user's identifier. The copy of a user takes their rows.
    static let tablesOfUsers: KeyValuePairs<String, String> = [
        "users": "id", "role_member_user": "member", "role_owner_user": "member", "external_id": "subject",
        "password": "user_id", "password_link": "user_id", "held_address": "user_id", "address_notice": "user_id",
        "identity_link": "user_id",
    ]

    /// Selects the rows of a table whose column has one of the numbers of a list. All parts of the text are names of the schema.
    static func rows(of table: String, _ columns: [String], where column: String) -> String {
        "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(column) = ANY(CAST(?1 AS bigint[]))"
    }

    /// The users with a power, directly or through nested roles, and one user more, so that an image is empty only if the directory is.
    static let powerful = SQL(
        "SELECT 1 WHERE FALSE",
        postgreSQL: """
            WITH RECURSIVE inside (id) AS (
                SELECT role FROM role_power
                UNION SELECT l.member FROM inside JOIN role_member_role l ON l.role = inside.id
            )
            SELECT m.member FROM inside JOIN role_member_user m ON m.role = inside.id
            UNION SELECT id FROM (SELECT id FROM users LIMIT 1) AS one
            """)
    /// The users with one of the names ?1, with one of the mail addresses ?2, or with one of the employee numbers ?3.
    static let named = SQL(
        "SELECT 1 WHERE FALSE",
        postgreSQL: """
            SELECT id FROM users WHERE name_key = ANY(CAST(?1 AS text[]))
            UNION SELECT user_id FROM attribute_value WHERE attribute = 'emails' AND key = ANY(CAST(?2 AS text[]))
            UNION SELECT id FROM users WHERE employee_number_key = ANY(CAST(?3 AS text[]))
            """)
    /// The users who have one of the values ?2 of the attribute ?1.
    static let holders = SQL(
        "SELECT 1 WHERE FALSE",
        postgreSQL: "SELECT user_id FROM attribute_value WHERE attribute = ?1 AND key = ANY(CAST(?2 AS text[]))")
    /// The users of a list, and everybody above them.
    static let withManagers = SQL(
        "SELECT 1 WHERE FALSE",
        postgreSQL: """
            WITH RECURSIVE above (id) AS (
                SELECT unnest(CAST(?1 AS bigint[]))
                UNION SELECT u.manager FROM above JOIN users u ON u.id = above.id WHERE u.manager IS NOT NULL
            )
            SELECT id FROM above
            """)
}
