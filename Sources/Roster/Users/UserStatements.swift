import RosterStore

enum UserStatements {
    /// The columns that ``User`` decodes, in its order.
    static let columns = "u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes"

    static let byName: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.name_key = ?1
        """
    /// The users whose names have the keys of a list, with their keys.
    static let byNames = SQL(
        """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes, u.name_key
        FROM users u WHERE u.name_key IN (SELECT value FROM json_each(?1))
        """,
        postgreSQL: """
            SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes, u.name_key
            FROM users u WHERE u.name_key = ANY(CAST(?1 AS text[]))
            """)
    static let byID: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.id = ?1
        """
    static let managerOf: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users reportee JOIN users u ON u.id = reportee.manager WHERE reportee.id = ?1
        """
    static let size = SQL(
        "SELECT length(CAST(attributes AS BLOB)) FROM users WHERE id = ?1",
        postgreSQL: "SELECT octet_length(attributes) FROM users WHERE id = ?1")
    static let idByName: SQL = "SELECT id FROM users WHERE name_key = ?1"
    /// The identifiers of a list that belong to users.
    static let existing = SQL(
        "SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT id FROM users WHERE id = ANY(CAST(?1 AS bigint[]))")
    /// The users whose names have the keys of a list.
    static let idsByName = SQL(
        "SELECT name_key, id FROM users WHERE name_key IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT name_key, id FROM users WHERE name_key = ANY(CAST(?1 AS text[]))")
    /// The sizes of the records of users, in characters.
    static let recordSizes = SQL(
        "SELECT id, length(attributes) FROM users WHERE id IN (SELECT value FROM json_each(?1))",
        postgreSQL: "SELECT id, length(attributes) FROM users WHERE id = ANY(CAST(?1 AS bigint[]))")
    static let isActive: SQL = "SELECT active FROM users WHERE id = ?1"
    static let nameByID: SQL = "SELECT name FROM users WHERE id = ?1"
    static let afterID: SQL = """
        SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
        FROM users u WHERE u.id > ?1 ORDER BY u.id LIMIT ?2
        """
    static let any: SQL = "SELECT 1 FROM users LIMIT 1"

    static let withKeys: SQL = """
        SELECT id, name, attributes, name_key, given_name_key, family_name_key, common_name_key, display_name_key,
            title_key, department_key, employee_number_key
        FROM users WHERE id > ?1 ORDER BY id LIMIT ?2
        """
    static let valueCount: SQL = "SELECT count(*) FROM attribute_value"

    static let insert: SQL = """
        INSERT INTO users (
            id, name, name_key, active, manager, version, created, modified, given_name_key, family_name_key,
            common_name_key, display_name_key, title_key, department_key, employee_number_key, attributes, starts, ends
        ) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
        """
    /// The columns that a copy of new users fills.
    static let insertedColumns = [
        "id", "name", "name_key", "active", "manager", "version", "created", "modified", "given_name_key",
        "family_name_key",
        "common_name_key", "display_name_key", "title_key", "department_key", "employee_number_key", "attributes",
        "starts", "ends",
    ]
    static let insertedColumnsOfValue = ["attribute", "key", "user_id"]
    /// Sets columns of a user. An unchanged column with an index must not be among them, because SQLite rewrites the index
    /// even for an equal value.
    static func update(_ columns: [String]) -> String {
        // Appending is several times faster than joining, and every change waits for this text.
        var text = ""
        text.reserveCapacity(128)
        for column in columns {
            text += text.isEmpty ? "UPDATE users SET " : ", "
            text += column
            text += " = ?"
        }
        text += " WHERE id = ?"
        return text
    }
    static let setDates: SQL = "UPDATE users SET starts = ?2, ends = ?3 WHERE id = ?1"
    /// The users with a start or end date, among others whose record has such a text elsewhere.
    static let withDates: SQL = """
        SELECT id, attributes FROM users
        WHERE attributes LIKE '%"activeStartDate"%' OR attributes LIKE '%"activeEndDate"%'
        """
    static let delete: SQL = "DELETE FROM users WHERE id = ?1"

    static let insertValue: SQL = """
        INSERT INTO attribute_value (attribute, key, user_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
        """
    static let deleteValue: SQL = "DELETE FROM attribute_value WHERE attribute = ?1 AND key = ?2 AND user_id = ?3"
    static let holderOfValue: SQL =
        "SELECT user_id FROM attribute_value WHERE attribute = ?1 AND key = ?2 AND user_id <> ?3"

    /// Selects the statements that drop and create each index that a large load into an empty directory builds at its end, which is
    /// faster than adding single rows to the indexes, and on a server each foreign key, which is faster to check for all rows. On
    /// PostgreSQL, a role that does not own the tables may drop none, and gets no row.
    static let indexes = SQL(
        "SELECT 'DROP INDEX ' || name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'users' AND name <> 'user_name' ORDER BY rowid",
        postgreSQL: """
            SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
            FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
            WHERE t.relnamespace = current_schema()::regnamespace AND t.relname IN ('users', 'text_index', 'word_index') AND NOT i.indisunique
                AND pg_has_role(t.relowner, 'USAGE')
            UNION ALL
            SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname),
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
            FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
            WHERE t.relnamespace = current_schema()::regnamespace AND c.contype = 'f'
                AND t.relname IN ('users', 'text_index', 'word_index') AND pg_has_role(t.relowner, 'USAGE')
            """)
    static func drop(index name: String) -> String { "DROP INDEX \(name)" }
}
