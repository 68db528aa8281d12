internal import CSQLite
import Foundation

/// What a statement asks the library to decide of a stored record, because no index answers it.
enum Residual: Sendable {
    /// Whether a condition of the filter holds.
    case condition(@Sendable (ResidualRecord) throws -> Bool)
    /// The key by which a record is sorted.
    case key(@Sendable (ResidualRecord) throws -> Binding)
}

/// The values of an attribute that conditions compare, one for each element of the attribute.
struct ResidualColumn: Sendable {
    let stored: AttributeName
    let isCaseExact: Bool
    /// What is compared of an element; nil where the element has nothing of the kind.
    let select: @Sendable (AttributeValue) -> AttributeValue?
}

/// The residuals of one statement, and the columns that they share.
struct Residuals: Sendable {
    var all: [Residual] = []
    var columns: [ResidualColumn] = []
}

/// A stored record while the residuals of a statement look at it. Each attribute is decoded once and each of its texts is
/// folded once, however many conditions compare it.
final class ResidualRecord {
    let id: Int64
    private let record: StoredRecord
    private let columns: [ResidualColumn]
    private unowned let connection: Connection
    private var values: [AttributeName: AttributeValue?] = [:]
    private var keys: [[Binding?]?]
    private var steps = 0

    init(_ id: Int64, _ text: UnsafeBufferPointer<UInt8>, _ columns: [ResidualColumn], _ connection: Connection) {
        self.id = id
        record = StoredRecord(text)
        self.columns = columns
        self.connection = connection
        keys = Array(repeating: nil, count: columns.count)
    }

    /// An attribute as it is stored.
    func value(of name: AttributeName) -> AttributeValue? {
        if let known = values[name] { return known }
        let value = record.value(of: name)
        values[name] = .some(value)
        return value
    }

    /// The values of a column in the form in which they are compared; nil for an element that has none.
    func keys(ofColumn number: Int) throws -> [Binding?] {
        guard keys.indices.contains(number) else { return [] }
        if let known = keys[number] { return known }
        let column = columns[number]
        let found = try (value(of: column.stored)?.elements ?? []).map { element in
            try step()
            return column.select(element)?.comparedKey(isCaseExact: column.isCaseExact)
        }
        keys[number] = found
        return found
    }

    /// Called for each comparison: now and then looks whether the search still has time and somebody who waits for it.
    func step() throws {
        steps &+= 1
        if steps % 16 == 0 { try connection.checkGoesOn() }
    }
}

/// The SQL function `roster_residual(number, id, attributes)`, over the residuals of the connection's running statement.
enum ResidualFunction {
    static func register(on connection: Connection) throws {
        let context = Unmanaged.passUnretained(connection).toOpaque()
        try connection.check(
            sqlite3_create_function_v2(
                connection.handle, "roster_residual", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, context,
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
        guard connection.residuals.all.indices.contains(number) else {
            sqlite3_result_error_code(context, SQLITE_CORRUPT)
            return
        }
        do {
            let record = try record(on: connection, id: sqlite3_value_int64(values[1]), values[2])
            switch connection.residuals.all[number] {
            case .condition(let holds): sqlite3_result_int(context, try holds(record) ? 1 : 0)
            case .key(let key): give(try key(record), to: context)
            }
        } catch {
            // The connection says which it was: that the time is over, or that nobody waits for the search any more.
            sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
    }

    private static func record(
        on connection: Connection, id: Int64, _ value: OpaquePointer?
    ) throws -> ResidualRecord {
        if let record = connection.residualRecord, record.id == id { return record }
        try connection.checkGoesOn()
        let text = UnsafeBufferPointer(start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
        let record = ResidualRecord(id, text, connection.residuals.columns, connection)
        connection.residualRecord = record
        return record
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
