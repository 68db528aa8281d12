import RosterStore

enum DirectoryStatements {
    static let lastID: SQL = "SELECT last_id FROM directory"
    /// The statement names the key of the row. Otherwise SQLite would write the text index to the file at each change, because
    /// the change could concern many rows.
    static let setLastID: SQL = "UPDATE directory SET last_id = ?1 WHERE id = 1"
}
