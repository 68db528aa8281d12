import RosterStore

/// The statements of the answers to changes that clients may send again.
enum KeptAnswerStatements {
    static let find: SQL = "SELECT request, answer FROM kept_answer WHERE caller = ?1 AND key = ?2"
    static let keep: SQL = """
        INSERT INTO kept_answer (caller, key, request, answer, kept) VALUES (?1, ?2, ?3, ?4, ?5)
        """
    static let removeOld: SQL = "DELETE FROM kept_answer WHERE kept < ?1"
    static let removeAll: SQL = "DELETE FROM kept_answer"
}
