import CSQLite

/// The current row of a statement. It is invalid after the statement's next step.
package struct Row: ~Copyable {
    @usableFromInline let statement: OpaquePointer

    @inlinable package init(_ statement: OpaquePointer) { self.statement = statement }

    @inlinable package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    @inlinable package func boolean(_ column: Int32) -> Bool { sqlite3_column_int64(statement, column) != 0 }
    @inlinable package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    @inlinable package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    @inlinable package func bytes<Value>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows
        -> Value
    {
        // Reading text as a blob avoids a copy that adds a terminating zero.
        let start = sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    @inlinable package func text(_ column: Int32) -> String { bytes(column) { String(decoding: $0, as: UTF8.self) } }
    @inlinable package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The value as a binding, for cursors.
    @inlinable package func binding(_ column: Int32) -> Binding {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }
}
