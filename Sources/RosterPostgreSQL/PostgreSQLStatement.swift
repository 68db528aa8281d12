import CPostgreSQL
import RosterStore

/// A statement that a server has prepared, or will prepare at its first run.
final class PostgreSQLStatement: Statement {
    private unowned let engine: PostgreSQLEngine
    let form: StatementText
    /// The name under which the server knows the statement.
    let name: String
    /// The link on which the statement was prepared; nil before. A new link knows no statements.
    var link: UInt64?
    /// The values of the parameters.
    private(set) var values: CStrings

    /// A run of a statement with values.
    struct Call: Hashable {
        /// The name of the prepared statement. No other statement of the connection ever has this name.
        let statement: String
        let values: CStrings
    }
    var call: Call { Call(statement: name, values: values) }
    /// Whether the statement changes nothing.
    let isRead: Bool

    private var result: Result?
    private var place = -1

    init(_ text: String, name: String, of engine: PostgreSQLEngine) {
        self.engine = engine
        self.name = name
        form = StatementText(text)
        isRead = PostgreSQLStatements.isRead(text)
        values = CStrings(count: form.count)
        super.init(text: text, handle: nil)
    }

    override func bind(_ binding: Binding, at index: Int32) throws {
        let place = Int(index) - 1
        // A statement can use fewer parameters here than on SQLite.
        guard values.indices.contains(place) else { return }
        switch binding {
        case .null: values.setNull(at: place)
        case .integer(let number): values.set(String(number), at: place)
        case .real(let number): values.set(String(number), at: place)
        case .text(let text): values.set(text, at: place)
        }
    }

    override func step(on connection: Connection) throws -> Bool {
        try connection.checkOpen()
        if result == nil {
            result = try engine.rows(of: self, on: connection)
            place = -1
        }
        place += 1
        guard let result, place < result.count else { return false }
        cells = result.cells(place)
        return true
    }

    override func execute(on connection: Connection) throws { try engine.perform(self, on: connection) }

    override func reset() {
        result = nil
        cells = nil
        place = -1
        values.removeAll()
    }

    override func finalize() {
        reset()
        engine.forget(self)
    }
}

/// The rows that a statement has answered.
final class Result {
    private let library: roster_libpq
    private let handle: OpaquePointer
    let count: Int
    private let kinds: [Cell.Kind]
    private let current: UnsafeMutablePointer<Cell>

    init(_ handle: OpaquePointer, _ library: roster_libpq) {
        (self.handle, self.library) = (handle, library)
        count = Int(library.row_count(handle))
        kinds = (0..<library.column_count(handle)).map { column in
            switch library.column_type(handle, column) {
            case 16: .integer  // bool
            case 20, 21, 23, 1_700: .integer  // int8, int2, int4, numeric: all of them are counts here
            case 701: .real
            default: .text
            }
        }
        // Statements read columns that a wrong answer may lack, and find NULL there.
        let capacity = max(kinds.count, Self.leastColumns)
        current = .allocate(capacity: capacity)
        current.initialize(repeating: Self.null, count: capacity)
    }

    /// More columns than any statement reads.
    private static let leastColumns = 64
    private static var null: Cell { Cell(kind: .null, bytes: UnsafeBufferPointer(start: nil, count: 0)) }

    deinit {
        current.deallocate()
        library.clear(handle)
    }

    /// The values of a row, until the next call.
    func cells(_ row: Int) -> UnsafePointer<Cell> {
        for column in kinds.indices { current[column] = cell(Int32(row), Int32(column)) }
        return UnsafePointer(current)
    }

    private func cell(_ row: Int32, _ column: Int32) -> Cell {
        let count = Int(library.length(handle, row, column))
        guard count > 0 || library.is_null(handle, row, column) == 0, let start = library.value(handle, row, column)
        else {
            return Self.null
        }
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
        let kind = kinds[Int(column)]
        switch kind {
        case .integer:
            if bytes.first == UInt8(ascii: "t") { return Cell(kind: kind, integer: 1, bytes: bytes) }
            return Cell(kind: kind, integer: Self.integer(bytes), bytes: bytes)
        case .real: return Cell(kind: kind, real: Double(String(decoding: bytes, as: UTF8.self)) ?? 0, bytes: bytes)
        case .text, .null: return Cell(kind: .text, bytes: bytes)
        }
    }

    /// The number that the digits form; 0 for 'f'.
    private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        var number: Int64 = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        for byte in bytes.dropFirst(isNegative ? 1 : 0) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            number = number &* 10 &- Int64(byte &- UInt8(ascii: "0"))
        }
        return isNegative ? number : 0 &- number
    }
}
