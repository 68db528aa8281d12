import CSQLite

/// A prepared statement.
public final class Statement {
    @usableFromInline package let handle: OpaquePointer
    package let text: String
    var isBusy = false

    package init(text: String, on connection: Connection) throws {
        var statement: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else {
            throw StoreError(.storageFailed, "An empty statement was prepared.")
        }
        self.handle = statement
        self.text = text
    }

    @usableFromInline package func begin(on connection: Connection) throws {
        // SQLite does not interrupt a statement that has not begun, so this checks the cancellation itself.
        try connection.cancellation?.check()
        try connection.checkOpen()
        isBusy = true
    }

    /// Resets the statement. Must always run, so that no statement keeps a snapshot or an interrupt alive.
    @usableFromInline package func end() {
        sqlite3_reset(handle)
        isBusy = false
    }

    @usableFromInline package func bind(_ binding: Binding, at index: Int32) throws {
        let result =
            switch binding {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            case .real(let number): sqlite3_bind_double(handle, index, number)
            case .text(let text): bindText(text, at: index)
            }
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    @usableFromInline package func bind(_ text: String, at index: Int32) throws {
        let result = bindText(text, at: index)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    @usableFromInline package func bind(_ number: Int64?, at index: Int32) throws {
        let result = number.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    private func bindText(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return roster_sqlite_bind_text(handle, index, "", 0)
                }
                return roster_sqlite_bind_text(handle, index, start, Int32(clamping: characters.count))
            }
        }
    }

    @usableFromInline
    package func step(on connection: Connection) throws -> Bool {
        try connection.checkOpen()
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        try connection.check(result)
        return false
    }

    package func finalize() { sqlite3_finalize(handle) }
}
