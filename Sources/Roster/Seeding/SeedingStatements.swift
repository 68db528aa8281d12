import RosterStore

/// The statements of imports and exports.
enum SeedingStatements {
    static let openRow: SQL = "SAVEPOINT import_row"
    static let undoRow: SQL = "ROLLBACK TO import_row"
    static let releaseRow: SQL = "RELEASE import_row"
}
