internal import CSQLite

/// The SQL function `roster_residual(number, id, text)`: it asks ``Connection/rowFunction`` about a row of the connection's
/// running statement.
package enum RowFunction {
    /// Answers question `number` about the row `id` with the given text. The text is invalid after the statement's next
    /// step.
    package typealias Body = (_ number: Int, _ id: Int64, _ text: UnsafeBufferPointer<UInt8>) throws -> Binding

    static func register(on connection: Connection) throws {
        let context = Unmanaged.passUnretained(connection).toOpaque()
        try connection.check(
            sqlite3_create_function_v2(
                connection.handle, "roster_residual", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, context,
                { context, _, values in
                    guard let context, let values, let user = sqlite3_user_data(context) else { return }
                    let connection = Unmanaged<Connection>.fromOpaque(user).takeUnretainedValue()
                    RowFunction.answer(on: connection, context, values)
                }, nil, nil, nil))
    }

    private static func answer(
        on connection: Connection, _ context: OpaquePointer, _ values: UnsafeMutablePointer<OpaquePointer?>
    ) {
        guard let body = connection.rowFunction else { return sqlite3_result_error_code(context, SQLITE_CORRUPT) }
        do {
            let text = UnsafeBufferPointer(
                start: sqlite3_value_text(values[2]), count: Int(sqlite3_value_bytes(values[2])))
            let number = Int(sqlite3_value_int64(values[0]))
            give(try body(number, sqlite3_value_int64(values[1]), text), to: context)
        } catch {
            // The connection holds the reason: a timeout or a cancellation.
            sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
    }

    private static func give(_ key: Binding, to context: OpaquePointer) {
        switch key {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // The destructor -1 (SQLITE_TRANSIENT) makes SQLite take a copy.
                    sqlite3_result_text(
                        context, characters.baseAddress, Int32(clamping: characters.count),
                        unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                }
            }
        }
    }
}
