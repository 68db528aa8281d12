/// The statements of imports and exports.
enum SeedingStatements {
    static let openRow: SQL = "SAVEPOINT import_row"
    static let undoRow: SQL = "ROLLBACK TO import_row"
    static let releaseRow: SQL = "RELEASE import_row"
    static let rolesOf: SQL = """
        SELECT r.name FROM role_member_user m JOIN role r ON r.id = m.role WHERE m.member = ?1 ORDER BY r.name_key
        """
}
