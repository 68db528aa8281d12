import Foundation
import RosterStore
import RosterText

/// A search that is prepared for SQLite: the source of its rows, their condition, and their order.
struct SearchPlan {
    let source: String
    let condition: String
    let bindings: [Binding]
    let residuals: Residuals
    /// The expression that sorts rows before the identifier does; nil if rows come in the order of identifiers.
    let sortKey: String?
    let isNullable: Bool
    let isDescending: Bool
    let columns: String
    /// The column with the key of the order, which comes after the others.
    let keyColumn: Int32
    /// A number that tells searches apart in cursors and in ``SearchMemory``.
    let digest: UInt64

    init(_ filter: Filter, sort: Search.Sort? = nil, of entity: AttributeDefinition.Entity, _ transaction: Transaction)
        throws
    {
        let filter = filter.withOwnNames(in: transaction.vocabulary, entity)
        var compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights)
        let table = compiler.layout.table
        columns = entity == .user ? UserStatements.columns : RoleStatements.columns
        keyColumn = entity == .user ? 8 : 6

        // If the order allows it, the text index leads a search for contained text, so that the first page does not
        // wait for all rows.
        var source = "\(table) u"
        var leading: [Binding] = []
        var rest = filter
        if sort == nil, entity == .user {
            if let match = compiler.textMatch(filter) {
                _ = try compiler.condition(filter)
                compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights)
                let isCertain = !compiler.mayMatchPrivately(filter)
                (source, leading) = ("text_index t JOIN users u ON u.id = t.rowid", [.text(match)])
                rest = isCertain ? .everything : filter
            } else if case .and(let filters) = filter,
                let index = filters.firstIndex(where: { compiler.textMatch($0) != nil }),
                let match = compiler.textMatch(filters[index])
            {
                _ = try compiler.condition(filter)
                compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights)
                var others = filters
                if !compiler.mayMatchPrivately(filters[index]) { others.remove(at: index) }
                (source, leading, rest) = ("text_index t JOIN users u ON u.id = t.rowid", [.text(match)], .and(others))
            }
        }
        let condition = try compiler.condition(rest)
        self.condition = leading.isEmpty ? condition : "t.text_index MATCH ? AND \(condition)"

        let order = sort ?? (leading.isEmpty ? Self.naturalOrder(filter, compiler.layout) : nil)
        if let order {
            let key = try compiler.sortKey(order.attribute)
            sortKey = key.expression == "u.id" ? nil : key.expression
            isNullable = key.isNullable && sort != nil
        } else {
            sortKey = nil
            isNullable = false
        }
        isDescending = order?.isDescending ?? false
        self.source = source
        bindings = leading + compiler.bindings
        residuals = compiler.residuals
        var hasher = FNV1a()
        hasher.combine(filter)
        hasher.combine(sort.map { "\($0.attribute) \($0.isDescending)" } ?? "")
        hasher.combine(transaction.view.caller.description)
        // A search finds what the caller may read, so that rights are a part of the hash.
        for rights in transaction.vocabulary.rights { hasher.combine("\(rights)") }
        hasher.combine(table)
        digest = hasher.value
    }

    /// The order of the index that the filter uses, which sorts by the attribute of a prefix or a range.
    private static func naturalOrder(_ filter: Filter, _ layout: FilterCompiler.Layout) -> Search.Sort? {
        switch filter {
        case .compare(let path, .starts, _), .compare(let path, .greater, _), .compare(let path, .greaterOrEqual, _),
            .compare(let path, .less, _), .compare(let path, .lessOrEqual, _):
            return path.part == nil && layout.columns[path.attribute] != nil ? Search.Sort(path.attribute) : nil
        case .and(let filters): return filters.lazy.compactMap { naturalOrder($0, layout) }.first
        default: return nil
        }
    }

    // MARK: Text

    private var direction: String { isDescending ? "DESC" : "ASC" }
    private var beyond: String { isDescending ? "<" : ">" }
    /// The expression of the identifier. The text index has its own column for it.
    private var identifier: String { source.hasPrefix("text_index") ? "t.rowid" : "u.id" }

    func count() -> String { "SELECT count(*) FROM \(source) WHERE \(condition)" }

    /// The statement for rows that have a value to sort by, or for rows in the order of identifiers.
    func rows(after place: Place?) -> (text: String, bindings: [Binding]) {
        var text = "SELECT \(columns), \(sortKey ?? "NULL") FROM \(source) WHERE \(condition)"
        var bindings = bindings
        if let sortKey {
            if isNullable { text += " AND \(sortKey) IS NOT NULL" }
            if let place {
                text += " AND (\(sortKey), u.id) \(beyond) (?, ?)"
                bindings += [place.key, .integer(place.id)]
            }
            text += " ORDER BY \(sortKey) \(direction), u.id \(direction)"
        } else {
            if let place {
                text += " AND \(identifier) \(beyond) ?"
                bindings.append(.integer(place.id))
            }
            text += " ORDER BY \(identifier) \(direction)"
        }
        return (text + " LIMIT ? OFFSET ?", bindings)
    }

    /// The statement for rows that have no value to sort by.
    func rowsWithoutKey(after place: Place?) -> (text: String, bindings: [Binding]) {
        var text = "SELECT \(columns), NULL FROM \(source) WHERE \(condition) AND \(sortKey ?? "NULL") IS NULL"
        var bindings = bindings
        if let place {
            text += " AND u.id \(beyond) ?"
            bindings.append(.integer(place.id))
        }
        return (text + " ORDER BY u.id \(direction) LIMIT ? OFFSET ?", bindings)
    }

    /// The statement that counts the rows of the first part of the order after a place.
    func countOfFirstPart(after place: Place?) -> (text: String, bindings: [Binding]) {
        let part = isDescending ? rowsWithoutKey(after: place) : rows(after: place)
        return ("SELECT count(*) FROM (\(part.text))", part.bindings + [.integer(-1), .integer(0)])
    }

    /// The place of a row in the order.
    func place(of row: borrowing Row) -> Place { Place(key: row.binding(keyColumn), id: row.integer(0)) }

    /// A place in the order of a search.
    struct Place: Sendable, Hashable {
        let key: Binding
        let id: Int64
    }

    // MARK: Cursors

    func cursor(after place: Place) -> Cursor {
        let key: String =
            switch place.key {
            case .null: "n"
            case .integer(let number): "i\(number)"
            case .real(let number): "r\(number.bitPattern)"
            case .text(let text):
                "t" + Base64URL.text(text.utf8)
            }
        return Cursor("\(String(digest, radix: 36)).\(Identifier<User>(rawValue: place.id)).\(key)")
    }

    /// - Throws: `invalidCursor` if the text is not a cursor, or is the cursor of another search.
    func place(of cursor: Cursor) throws -> Place {
        let parts = cursor.description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let id = Identifier<User>(String(parts[1])), let tag = parts[2].first else {
            throw DirectoryError(
                .invalidCursor, "That is not a cursor.", advice: "Give the cursor of the previous page.")
        }
        guard parts[0] == String(digest, radix: 36) else {
            throw DirectoryError(
                .invalidCursor, "The cursor belongs to another search.",
                advice: "Use the same filter and order as before.")
        }
        let text = String(parts[2].dropFirst())
        let key: Binding?
        switch tag {
        case "n": key = .null
        case "i": key = Int64(text).map { .integer($0) }
        case "r": key = UInt64(text).map { .real(Double(bitPattern: $0)) }
        case "t":
            key = Base64URL.bytes(text).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        default: key = nil
        }
        guard let key else {
            throw DirectoryError(
                .invalidCursor, "That is not a cursor.", advice: "Give the cursor of the previous page.")
        }
        let place = Place(key: key, id: id.rawValue)
        // A place has one text form, so that altered text is refused even if it has a meaning.
        guard self.cursor(after: place) == cursor else {
            throw DirectoryError(
                .invalidCursor, "That is not a cursor.", advice: "Give the cursor of the previous page.")
        }
        return place
    }
}

/// The hash of a search. It is the same in every process, because cursors outlive the process that made them.
extension FNV1a {
    private mutating func combine(byte: UInt8) { combine(CollectionOfOne(byte)) }

    mutating func combine(_ text: String) {
        combine(text.utf8)
        combine(byte: 0xFF)
    }

    mutating func combine(_ filter: Filter) {
        func list(_ filters: [Filter]) {
            for filter in filters { combine(filter) }
            combine(byte: 0xFE)
        }
        switch filter {
        case .everything: combine(byte: 1)
        case .compare(let path, let comparison, let value):
            combine(byte: 2)
            combine(path)
            combine(comparison.rawValue)
            var bytes: [UInt8] = []
            JSONText.append(value, to: &bytes)
            combine(bytes)
        case .present(let path):
            combine(byte: 3)
            combine(path)
        case .element(let name, let inner):
            combine(byte: 4)
            combine(name.rawValue)
            combine(inner)
        case .and(let filters):
            combine(byte: 5)
            list(filters)
        case .or(let filters):
            combine(byte: 6)
            list(filters)
        case .not(let inner):
            combine(byte: 7)
            combine(inner)
        }
    }

    private mutating func combine(_ path: AttributePath) {
        combine(path.attribute.rawValue)
        combine(path.part ?? "")
    }
}
