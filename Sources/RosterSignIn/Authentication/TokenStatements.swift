import RosterStore

enum TokenStatements {
    static let insertToken: SQL = """
        INSERT INTO token (name, name_key, role, digest, created, expires, maker, maker_name)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    static let tokenNames: SQL = "SELECT 1 FROM token WHERE name_key = ?1"
    /// The tokens whose number is ?1 or higher, or whose digest is ?2.
    static let tokens: SQL = """
        SELECT name, role, created, expires, digest, maker, maker_name FROM token WHERE number >= ?1 OR digest = ?2
        ORDER BY number
        """
    static let deleteToken: SQL = "DELETE FROM token WHERE digest = ?1"
}
