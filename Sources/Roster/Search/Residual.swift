import RosterStore

/// A decision about a stored record that a statement leaves to the library, because no index answers it.
enum Residual: Sendable {
    /// The decision whether a condition of the filter holds. Only a record with the attribute `needs` can satisfy it, if there is one.
    case condition(@Sendable (ResidualRecord) throws -> Bool, needs: AttributeName? = nil)
    /// The key that sorts the record.
    case key(@Sendable (ResidualRecord) throws -> Binding)
}

/// The values of an attribute that conditions compare. Each element of the attribute has one.
struct ResidualColumn: Sendable {
    let stored: AttributeName
    let isCaseExact: Bool
    /// The value of an element that is compared; nil if the element has none.
    let select: @Sendable (AttributeValue) -> AttributeValue?
}

/// The residuals of one statement, with the columns that they share.
struct Residuals: Sendable {
    var all: [Residual] = []
    var columns: [ResidualColumn] = []

    /// Whether a residual sorts the rows.
    var hasKey: Bool { all.contains { if case .key = $0 { true } else { false } } }

    /// The expression of a residual that sorts rows, on PostgreSQL.
    static func keyExpression(_ number: Int) -> String { "(k.key\(number) COLLATE \"C\")" }

    /// The function that the connection of the statement calls for each row.
    func rowFunction(on connection: Connection) -> RowFunction.Body {
        var last: ResidualRecord?
        var rows = 0
        return { [unowned connection] number, id, text in
            guard all.indices.contains(number) else {
                throw DirectoryError(
                    .storageFailed, "A statement asked for condition \(number), which it does not have.")
            }
            if case .condition(_, let needs?) = all[number], last?.id != id, !StoredRecord.has(needs, in: text) {
                // A look at the clock takes as long as this look at the record.
                rows &+= 1
                if rows % 64 == 0 { try connection.checkGoesOn() }
                return .integer(0)
            }
            let record: ResidualRecord
            if let last, last.id == id {
                record = last
            } else {
                try connection.checkGoesOn()
                record = ResidualRecord(id, text, columns, connection)
                last = record
            }
            return switch all[number] {
            case .condition(let holds, _): .integer(try holds(record) ? 1 : 0)
            case .key(let key): try key(record)
            }
        }
    }
}

/// A stored record that the residuals of a statement decide about. It decodes each attribute once and folds each text
/// once, however many conditions compare it.
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

    /// The stored value of an attribute.
    func value(of name: AttributeName) -> AttributeValue? {
        if let known = values[name] { return known }
        let value = record.value(of: name)
        values[name] = .some(value)
        return value
    }

    /// The values of a column in the form in which they are compared; nil for an element without a value.
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

    /// Counts a comparison. From time to time it checks that the search has time left and that somebody waits for it.
    func step() throws {
        steps &+= 1
        if steps % 16 == 0 { try connection.checkGoesOn() }
    }
}
