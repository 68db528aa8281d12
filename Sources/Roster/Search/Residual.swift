import RosterStore

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

    /// What the statement's connection calls for each row.
    func rowFunction(on connection: Connection) -> RowFunction.Body {
        var last: ResidualRecord?
        return { [unowned connection] number, id, text in
            guard all.indices.contains(number) else {
                throw DirectoryError(
                    .storageFailed, "A statement asked for condition \(number), which it does not have.")
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
            case .condition(let holds): .integer(try holds(record) ? 1 : 0)
            case .key(let key): try key(record)
            }
        }
    }
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
