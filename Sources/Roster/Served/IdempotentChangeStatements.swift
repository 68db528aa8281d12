import RosterStore

/// The statements of changes that clients may send again.
enum IdempotentChangeStatements {
    static let find: SQL = "SELECT digest, answer FROM idempotent_change WHERE caller = ?1 AND key = ?2"
    static let insert: SQL = """
        INSERT INTO idempotent_change (caller, key, digest, answer, created) VALUES (?1, ?2, ?3, ?4, ?5)
        """
    static let removeOld: SQL = "DELETE FROM idempotent_change WHERE created < ?1"
}
