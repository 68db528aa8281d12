import RosterStore

/// The statements that copy a directory from one engine to another.
enum CopyStatements {
    /// Selects the columns of each table to copy, and first the columns of the primary key in the key's order. The copy
    /// computes the tables of search keys itself, and tables that belong to one engine are not part of a directory.
    static let columns = SQL(
        """
        SELECT t.name, c.name, c.pk FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT IN ('migration', 'attribute_value', 'word_change') AND t.name NOT LIKE 'text\\_index%' ESCAPE '\\'
            AND t.name NOT LIKE 'word\\_index%' ESCAPE '\\' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY t.name, c.pk = 0, c.pk, c.cid
        """,
        postgreSQL: """
            SELECT t.relname::text, c.attname::text, coalesce(key.place, 0)
            FROM pg_class AS t JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
                JOIN pg_index AS i ON i.indrelid = t.oid AND i.indisprimary
                LEFT JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS key (number, place) ON key.number = c.attnum
            WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND t.relname NOT IN (
                'migration', 'attribute_value', 'text_index', 'word_index', 'head', 'key_check', 'pending_code', 'attempt')
            ORDER BY t.relname, key.place NULLS LAST, c.attnum
            """)

    /// Selects the name and the CREATE INDEX statement of each index. The copy drops all indexes before the first row, and
    /// builds them after the last one, which is faster.
    static let indexes = SQL(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid",
        postgreSQL: """
            SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
            FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
            WHERE t.relnamespace = current_schema()::regnamespace
                AND t.relname IN ('users', 'role', 'change', 'text_index', 'word_index', 'role_member_user', 'role_member_role')
                AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
            ORDER BY i.indexrelid
            """)

    /// Selects the table, the name and the definition of each foreign key on PostgreSQL. The copy drops the foreign keys
    /// before the first row, because checking all rows at once is faster, and adds and checks them after the last row.
    static let references = SQL(
        "SELECT '', '', '' WHERE FALSE",
        postgreSQL: """
            SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
            WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY oid
            """)
    static func drop(reference name: String, of table: String) -> String {
        "ALTER TABLE \(table) DROP CONSTRAINT \(name)"
    }
    static func add(reference name: String, of table: String, _ definition: String) -> String {
        "ALTER TABLE \(table) ADD CONSTRAINT \(name) \(definition)"
    }
    /// Selects the pairs of a table and another one that the table references, in a file, which keeps its foreign keys.
    static let referencedTables = SQL(
        """
        SELECT DISTINCT t.name, r."table" FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS r
        WHERE t.type = 'table' AND r."table" <> t.name
        """, postgreSQL: "SELECT '', '' WHERE FALSE")
    /// Selects the users whose managers were created later.
    static let laterManagers: SQL =
        "SELECT id, manager FROM users WHERE id > ?1 AND manager > id ORDER BY id LIMIT ?2"
    static let setManager: SQL = "UPDATE users SET manager = ?2 WHERE id = ?1"

    /// The tables that no import looks at.
    static let unseenByImports: Set<String> = [
        "change", "repeated_sign_in", "change_batch", "batched_change", "session", "spent", "token_grant", "token_role",
        "idempotent_change", "app_use", "membership_change",
        "signing_key", "forgotten", "second_factor", "consent", "virtual_user", "backend", "setting",
    ]

    static let deleteDirectory: SQL = "DELETE FROM directory"
    static func anyRow(_ table: String) -> String { "SELECT 1 FROM \(table) LIMIT 1" }
    static func count(_ table: String) -> String { "SELECT count(*) FROM \(table)" }

    /// Selects a page of a table in the order of its primary key. All parts of the text are names of the schema.
    static func page(
        of table: String, _ columns: [String], on engine: EngineKind, key: Int, isFirst: Bool, rows: Int
    ) -> String {
        let names = columns.prefix(key).joined(separator: ", ")
        let places = (1...max(key, 1)).map { "?\($0)" }.joined(separator: ", ")
        let start = isFirst ? "" : " WHERE (\(names)) > (\(places))"
        let values = columns.map { $0 == "last_id" ? "(\(DirectoryStatements.lastID.text(for: engine)))" : $0 }
        return "SELECT \(values.joined(separator: ", ")) FROM \(table)\(start) ORDER BY \(names) LIMIT \(rows)"
    }

    /// Selects the statement with which PostgreSQL counts what the large tables have, so that it plans by that; NULL for a role that
    /// owns none of them.
    static let analysis = SQL(
        "SELECT NULL",
        postgreSQL: """
            SELECT 'ANALYZE ' || string_agg(quote_ident(relname), ', ') FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
                AND relname IN ('users', 'attribute_value', 'text_index', 'word_index', 'role', 'role_member_user', 'role_member_role', 'change')
            """)

    /// The tables whose rows PostgreSQL numbers itself.
    static let numbered = ["attribute", "token", "token_grant"]
    /// Makes PostgreSQL number the next row of a table after the copied rows.
    static func continueNumbers(of table: String) -> String {
        "SELECT setval(pg_get_serial_sequence('\(table)', 'number'), max(number)) FROM \(table)"
    }
}
