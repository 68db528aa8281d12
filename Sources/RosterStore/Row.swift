public import CSQLite

/// The current row of a statement. It is invalid after the statement's next step.
///
/// Members that run for each row are public here and in RosterText: the compiler writes no body of a `package` declaration
/// into a module, so that other modules would call it unspecialized. Neither module is a product of the package.
public struct Row: ~Copyable {
    @usableFromInline let statement: OpaquePointer?
    @usableFromInline let cells: UnsafePointer<Cell>?

    /// Makes a row of SQLite's statement, or of cells.
    @inlinable public init(_ statement: OpaquePointer?, _ cells: UnsafePointer<Cell>?) {
        (self.statement, self.cells) = (statement, cells)
    }

    @inlinable public func integer(_ column: Int32) -> Int64 {
        if let cells { return cells[Int(column)].integer }
        return sqlite3_column_int64(statement, column)
    }

    @inlinable public func boolean(_ column: Int32) -> Bool { integer(column) != 0 }

    @inlinable public func isNull(_ column: Int32) -> Bool {
        if let cells { return cells[Int(column)].kind == .null }
        return sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    @inlinable public func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    @inlinable public func bytes<Value>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows
        -> Value
    {
        if let cells { return try body(cells[Int(column)].bytes) }
        // Reading text as a blob avoids a copy that adds a terminating zero.
        let start = sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    @inlinable public func text(_ column: Int32) -> String { bytes(column) { String(decoding: $0, as: UTF8.self) } }
    @inlinable public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The value as a binding, for cursors.
    @inlinable public func binding(_ column: Int32) -> Binding {
        if let cells {
            let cell = cells[Int(column)]
            return switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.integer)
            case .real: .real(cell.real)
            case .text: .text(text(column))
            }
        }
        return switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }
}
