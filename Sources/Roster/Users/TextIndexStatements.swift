import RosterStore

/// The statements of the text index, which finds users by a part of their text, and of the word index, which finds them by the beginnings
/// of words. SQLite's indexes have no content: they have to be told what to remove.
enum TextIndexStatements {
    static let insertText = SQL(
        """
        INSERT INTO text_index (rowid, name, given_name, family_name, common_name, display_name, mail, phone)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """,
        postgreSQL: """
            INSERT INTO text_index (user_id, name, given_name, family_name, common_name, display_name, mail, phone)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
    static let deleteText = SQL(
        """
        INSERT INTO text_index (text_index, rowid, name, given_name, family_name, common_name, display_name, mail, phone)
        VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """, postgreSQL: "DELETE FROM text_index WHERE user_id = ?1")

    /// Add words to those of a user, and remove some of them.
    static let insertWords = SQL(
        "INSERT INTO word_index (rowid, words) VALUES (?1, ?2)",
        postgreSQL: """
            INSERT INTO word_index (user_id, words) VALUES (?1, CAST(?2 AS tsvector))
            ON CONFLICT (user_id) DO UPDATE SET words = word_index.words || excluded.words
            """)
    static let deleteWords = SQL(
        "INSERT INTO word_index (word_index, rowid, words) VALUES ('delete', ?1, ?2)",
        postgreSQL: """
            UPDATE word_index SET words = ts_delete(words, tsvector_to_array(CAST(?2 AS tsvector))) WHERE user_id = ?1
            """)

    /// Stores a change of a user's words until the word index takes the change.
    static let insertWordChange = SQL(
        "INSERT INTO word_change (user_id, removed, added) VALUES (?1, ?2, ?3)",
        postgreSQL: "SELECT 1")
    static let wordChanges = SQL(
        "SELECT user_id, removed, added FROM word_change ORDER BY number", postgreSQL: "SELECT 1")
    static let wordChangesOfUser = SQL(
        "SELECT user_id, removed, added FROM word_change WHERE user_id = ?1 ORDER BY number", postgreSQL: "SELECT 1")
    static let deleteWordChangesOfUser = SQL(
        "DELETE FROM word_change WHERE user_id = ?1", postgreSQL: "SELECT 1")
    static let deleteWordChanges = SQL("DELETE FROM word_change", postgreSQL: "SELECT 1")

    static func columnsOfText(on engine: EngineKind) -> [String] {
        [
            engine == .sqlite ? "rowid" : "user_id", "name", "given_name", "family_name", "common_name", "display_name",
            "mail", "phone",
        ]
    }
    static func columnsOfWords(on engine: EngineKind) -> [String] {
        [engine == .sqlite ? "rowid" : "user_id", "words"]
    }

    /// Begin and go on to merge the indexes into one segment each, some hundred pages at a time.
    static let beginMerging: [SQL] = [
        "INSERT INTO text_index (text_index, rank) VALUES ('merge', -500)",
        "INSERT INTO word_index (word_index, rank) VALUES ('merge', -500)",
    ]
    static let goOnMerging: [SQL] = [
        "INSERT INTO text_index (text_index, rank) VALUES ('merge', 500)",
        "INSERT INTO word_index (word_index, rank) VALUES ('merge', 500)",
    ]
    /// Merges the pending entries of the indexes. Only the owner of an index may do this. For others, the server does it later.
    static let merge = SQL(
        "SELECT 1",
        postgreSQL: """
            SELECT gin_clean_pending_list(oid) FROM pg_class
            WHERE oid IN ('text_index_trigrams'::regclass, 'word_index_words'::regclass) AND pg_has_role(relowner, 'USAGE')
            """)

    /// Prepare the indexes for many users: more bytes are gathered in memory before they are written, and written bytes are merged once,
    /// at the end.
    static let wide: [SQL] = [
        SQL(
            "INSERT INTO text_index (text_index, rank) VALUES ('hashsize', 33554432)",
            postgreSQL: "SET LOCAL maintenance_work_mem = '256MB'"),
        SQL("INSERT INTO text_index (text_index, rank) VALUES ('automerge', 0)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO text_index (text_index, rank) VALUES ('crisismerge', 500)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('hashsize', 8388608)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('automerge', 0)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('crisismerge', 500)", postgreSQL: "SELECT 1"),
    ]
    /// Merge the written bytes, and restore the settings of the indexes.
    static let usual: [SQL] = [
        SQL("INSERT INTO text_index (text_index) VALUES ('optimize')", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO text_index (text_index, rank) VALUES ('crisismerge', 16)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO text_index (text_index, rank) VALUES ('automerge', 4)", postgreSQL: "SELECT 1"),
        SQL(
            "INSERT INTO text_index (text_index, rank) VALUES ('hashsize', 1048576)",
            postgreSQL: "SET LOCAL maintenance_work_mem TO DEFAULT"),
        SQL("INSERT INTO word_index (word_index) VALUES ('optimize')", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('crisismerge', 16)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('automerge', 4)", postgreSQL: "SELECT 1"),
        SQL("INSERT INTO word_index (word_index, rank) VALUES ('hashsize', 1048576)", postgreSQL: "SELECT 1"),
    ]
}
