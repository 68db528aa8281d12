internal import CSQLite

/// A statement that SQLite has prepared.
final class SQLiteStatement: Statement {
    private let statement: OpaquePointer
    private unowned let engine: SQLiteEngine

    init(_ statement: OpaquePointer, text: String, of engine: SQLiteEngine) {
        (self.statement, self.engine) = (statement, engine)
        super.init(text: text, handle: statement)
    }

    override func bind(_ binding: Binding, at index: Int32) throws {
        let result =
            switch binding {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .real(let number): sqlite3_bind_double(statement, index, number)
            case .text(let text): bindText(text, at: index)
            }
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    override func bind(_ text: String, at index: Int32) throws {
        let result = bindText(text, at: index)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    override func bind(_ number: Int64?, at index: Int32) throws {
        let result = number.map { sqlite3_bind_int64(statement, index, $0) } ?? sqlite3_bind_null(statement, index)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    private func bindText(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return roster_sqlite_bind_text(statement, index, "", 0)
                }
                return roster_sqlite_bind_text(statement, index, start, Int32(clamping: characters.count))
            }
        }
    }

    override func step(on connection: Connection) throws -> Bool {
        try connection.checkOpen()
        let result = sqlite3_step(statement)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        try connection.check(result)
        return false
    }

    override func reset() { sqlite3_reset(statement) }

    override func finalize() { engine.finalize(statement) }

    /// The work of all runs of a statement.
    static func work(of statement: OpaquePointer) -> StatementWork {
        var work = StatementWork()
        work.steps = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
        work.fullScanSteps = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
        work.sorts = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0))
        work.statements = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0))
        return work
    }
}
