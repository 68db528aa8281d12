import RosterStore

enum DirectoryStatements {
    static let lastID: SQL = "SELECT last_id FROM directory"
    /// With the row's key: a change of possibly many rows would have SQLite write the text index to the file each time.
    static let setLastID: SQL = "UPDATE directory SET last_id = ?1 WHERE id = 1"
}
