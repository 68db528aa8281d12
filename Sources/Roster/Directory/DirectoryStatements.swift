import RosterStore

enum DirectoryStatements {
    static let lastID: SQL = "SELECT last_id FROM directory"
    static let setLastID: SQL = "UPDATE directory SET last_id = ?1"
}
