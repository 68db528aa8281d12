internal import CSQLite
import Foundation

/// What a statement asks the library to decide of a stored record, because no index answers it.
enum Residual: Sendable {
    /// Whether a condition of the filter holds.
    case condition(@Sendable (AttributeSet) -> Bool)
    /// The key by which a record is sorted.
    case key(@Sendable (AttributeSet) -> Binding)
}

/// The SQL function `roster_residual(number, attributes)`, over the residuals of the connection's running statement.
enum ResidualFunction {
    static func register(on connection: Connection) throws {
        let context = Unmanaged.passUnretained(connection).toOpaque()
        try connection.check(
            sqlite3_create_function_v2(
                connection.handle, "roster_residual", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, context,
                { context, _, values in
                    guard let context, let values, let user = sqlite3_user_data(context) else { return }
                    let connection = Unmanaged<Connection>.fromOpaque(user).takeUnretainedValue()
                    ResidualFunction.decide(on: connection, context, values)
                }, nil, nil, nil))
    }

    private static func decide(
        on connection: Connection, _ context: OpaquePointer, _ values: UnsafeMutablePointer<OpaquePointer?>
    ) {
        let number = Int(sqlite3_value_int64(values[0]))
        let text = UnsafeBufferPointer(
            start: sqlite3_value_text(values[1]), count: Int(sqlite3_value_bytes(values[1])))
        guard connection.residuals.indices.contains(number), let record = try? AttributeSet(json: text) else {
            sqlite3_result_error_code(context, SQLITE_CORRUPT)
            return
        }
        switch connection.residuals[number] {
        case .condition(let holds): sqlite3_result_int(context, holds(record) ? 1 : 0)
        case .key(let key):
            switch key(record) {
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
}
