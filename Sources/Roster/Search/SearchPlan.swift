import Foundation
import RosterStore
import RosterText

/// A search that is prepared for an engine: the source of its rows, their condition, and their order.
struct SearchPlan {
    /// The rows that the search finds.
    let selection: Selection
    /// The rows that PostgreSQL leaves to the residuals; nil if there is no residual, and on SQLite, which calls the residuals.
    let candidates: Selection?
    /// The places in the bindings of the selection where PostgreSQL gets the rows for which each residual holds.
    let answerPlaces: [Int: Int]
    let residuals: Residuals
    /// The expressions that sort rows before the identifier does; empty if rows come in the order of identifiers.
    let keys: [Key]
    let isDescending: Bool
    /// Whether the index of the order also finds the rows, so that it is the best one whatever the values are.
    let hasOneIndex: Bool
    let columns: String
    /// The first column with a key of the order. The keys come after the other columns.
    let keyColumn: Int32
    /// A number that tells searches apart in cursors and in ``SearchMemory``.
    let digest: UInt64

    /// Rows of a table, by a condition.
    struct Selection: Sendable {
        var source: String
        var condition: String
        var bindings: [Binding]
    }

    /// An expression that sorts rows.
    struct Key: Sendable {
        let expression: String
        let isNullable: Bool
        let isDescending: Bool
    }

    init(_ filter: Filter, sort: [Search.Sort] = [], of entity: AttributeDefinition.Entity, _ transaction: Transaction)
        throws
    {
        let filter = filter.withOwnNames(in: transaction.vocabulary, entity)
        let form: FilterCompiler.Form = transaction.connection.engine == .sqlite ? .calling : .answered
        var compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights, form)
        let table = compiler.layout.table
        columns = entity == .user ? UserStatements.columns : RoleStatements.columns
        keyColumn = entity == .user ? 8 : 6
        textIdentifier = TextMatch.identifier(form)

        // If the order allows it, the text index leads a search for contained text, so that the first page does not
        // wait for all rows.
        var source = "\(table) u"
        var leading: TextMatch?
        var rest = filter
        // The part of the filter that the text index leads, if its candidates have to be checked.
        var uncertain: Filter?
        if sort.isEmpty, entity == .user {
            if let match = compiler.textMatch(filter) {
                _ = try compiler.condition(filter)
                compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights, form)
                (source, leading, rest) = (Self.indexSource(form), match, .everything)
                uncertain = compiler.isCertain(match, filter) ? nil : filter
            } else if case .and(let filters) = filter,
                let index = filters.firstIndex(where: { compiler.textMatch($0) != nil }),
                let match = compiler.textMatch(filters[index])
            {
                _ = try compiler.condition(filter)
                compiler = FilterCompiler(entity, transaction.vocabulary, transaction.rights, form)
                var others = filters
                let led = others.remove(at: index)
                (source, leading, rest) = (Self.indexSource(form), match, .and(others))
                uncertain = compiler.isCertain(match, led) ? nil : led
            }
        }
        func compiled(by compiler: inout FilterCompiler) throws -> String {
            let condition = try compiler.condition(rest)
            return try uncertain.map { "\(condition) AND \(try compiler.checking($0))" } ?? condition
        }
        let condition = try compiled(by: &compiler)
        func selection(_ compiler: FilterCompiler, _ condition: String) -> Selection {
            let (index, operands) = leading?.condition(form) ?? ("", [])
            return Selection(
                source: source, condition: leading == nil ? condition : "\(index) AND \(condition)",
                bindings: operands + compiler.bindings)
        }

        guard sort.count <= Search.maximumSortKeys else {
            throw DirectoryError(
                .invalidFilter, "Results cannot be sorted by \(sort.count) attributes.",
                advice: "Sort by \(Search.maximumSortKeys) at most.")
        }
        var order = sort
        if sort.isEmpty, leading == nil, let natural = Self.naturalOrder(filter, compiler.layout) { order = [natural] }
        var keys: [Key] = []
        for next in order {
            let key = try compiler.sortKey(next.attribute)
            // Nothing sorts after the identifier, which is unique. A natural order selects rows that have a value.
            if key.expression == "u.id", next.isDescending == order[0].isDescending { break }
            keys.append(
                Key(
                    expression: key.expression, isNullable: key.isNullable && !sort.isEmpty,
                    isDescending: next.isDescending))
            if key.expression == "u.id" { break }
        }
        self.keys = keys
        isDescending = order.first?.isDescending ?? false
        hasOneIndex =
            order.count <= 1 && leading == nil && Self.isOrdered(by: order.first?.attribute, filter, compiler.layout)
        self.selection = selection(compiler, condition)
        residuals = compiler.residuals
        let leadingCount = leading?.condition(form).bindings.count ?? 0
        answerPlaces = compiler.answerPlaces.mapValues { $0 + leadingCount }
        if form == .answered, !residuals.all.isEmpty {
            var asking = FilterCompiler(entity, transaction.vocabulary, transaction.rights, .candidates)
            let condition = try compiled(by: &asking)
            candidates = selection(asking, condition)
        } else {
            candidates = nil
        }
        var hasher = FNV1a()
        hasher.combine(filter)
        for sort in sort { hasher.combine("\(sort.attribute) \(sort.isDescending)") }
        hasher.combine("")
        hasher.combine(transaction.shared.caller.description)
        // A search finds what the caller may read, so that rights are a part of the hash.
        for rights in transaction.vocabulary.rights { hasher.combine("\(rights)") }
        hasher.combine(table)
        // The keys of residuals have another form on a server, so that a cursor of one engine is refused by the other one.
        if form == .answered, residuals.hasKey { hasher.combine("stored keys") }
        digest = hasher.value
    }

    /// The order of the index that the filter uses, which sorts by the attribute of a prefix or a range.
    private static func naturalOrder(_ filter: Filter, _ layout: FilterCompiler.Layout) -> Search.Sort? {
        switch filter {
        case .compare(let path, .starts, _), .compare(let path, .greater, _), .compare(let path, .greaterOrEqual, _),
            .compare(let path, .less, _), .compare(let path, .lessOrEqual, _), .compare(let path, .equal, _):
            return path.part == nil && layout.columns[path.attribute] != nil ? Search.Sort(path.attribute) : nil
        case .and(let filters): return filters.lazy.compactMap { naturalOrder($0, layout) }.first
        default: return nil
        }
    }

    /// Whether the index that sorts by an attribute finds the rows of a filter.
    private static func isOrdered(by attribute: AttributeName?, _ filter: Filter, _ layout: FilterCompiler.Layout)
        -> Bool
    {
        switch filter {
        case .everything: true
        case .compare: attribute != nil && naturalOrder(filter, layout)?.attribute == attribute
        default: false
        }
    }

    // MARK: Text

    private func direction(_ isDescending: Bool) -> String { isDescending ? "DESC" : "ASC" }
    private func beyond(_ isDescending: Bool) -> String { isDescending ? "<" : ">" }
    /// The expression of the identifier. The text index has its own column for it.
    private var identifier: String {
        selection.source.hasPrefix("text_index") && keys.isEmpty && candidates == nil ? textIdentifier : "u.id"
    }
    private let textIdentifier: String
    private static func indexSource(_ form: FilterCompiler.Form) -> String {
        "text_index t JOIN users u ON u.id = \(TextMatch.identifier(form))"
    }
    /// Whether rows without a value of the first key form a part of their own.
    var hasTwoParts: Bool { keys.first?.isNullable ?? false }

    /// A part of the rows, in their order.
    enum Part {
        /// The rows that have a value of the first key, or all rows in the order of identifiers.
        case rows
        /// The rows that have no value of the first key.
        case rowsWithoutKey
        /// All rows, in the order of identifiers.
        case everything
    }

    /// The statement that counts rows.
    static func count(_ selection: Selection) -> String {
        "SELECT count(*) FROM \(selection.source) WHERE \(selection.condition)"
    }

    /// The statement for rows of a part after a place. Its last parameters are the number of rows, and of rows to leave out.
    ///
    /// - Parameter columns: The columns before the keys of the order; nil for those of an element.
    func statement(
        _ part: Part, after place: Place?, of selection: Selection, columns: String? = nil
    ) -> (text: String, bindings: [Binding]) {
        let columns = columns ?? self.columns
        return switch part {
        case .rows:
            statement(
                selection, hasTwoParts ? " AND \(keys[0].expression) IS NOT NULL" : "", columns, keys, keys[...], place)
        case .rowsWithoutKey:
            statement(
                selection, " AND \(keys.first?.expression ?? "NULL") IS NULL", columns, keys, keys.dropFirst(), place)
        case .everything: statement(selection, "", columns, [], [], place)
        }
    }

    private func statement(
        _ selection: Selection, _ part: String, _ columns: String, _ keys: [Key], _ sorting: ArraySlice<Key>,
        _ place: Place?
    ) -> (text: String, bindings: [Binding]) {
        let shown = ([columns] + keys.map(\.expression)).joined(separator: ", ")
        var text = "SELECT \(shown) FROM \(selection.source) WHERE \(selection.condition)\(part)"
        var bindings = selection.bindings
        if let place {
            if let first = sorting.first, keys.count == 1 {
                // A comparison of rows lets an index find the place.
                text += " AND (\(first.expression), u.id) \(beyond(first.isDescending)) (?, ?)"
                bindings += [place.keys[0], .integer(place.id)]
            } else {
                if let first = sorting.first, sorting.startIndex == 0 {
                    // The index finds the first key of the place; the rest of the condition leaves out rows before it.
                    text += " AND \(first.expression) \(beyond(first.isDescending))= ?"
                    bindings.append(place.keys[0])
                }
                text += " AND \(follows(place, sorting, &bindings))"
            }
        }
        // The first key has a value in all rows of a part, or in none.
        var order = sorting.indices.map { index in
            let key = keys[index]
            let nulls = index > 0 && key.isNullable ? key.isDescending ? " NULLS FIRST" : " NULLS LAST" : ""
            return "\(key.expression) \(direction(key.isDescending))\(nulls)"
        }
        order.append("\(sorting.isEmpty ? identifier : "u.id") \(direction(isDescending))")
        return (text + " ORDER BY \(order.joined(separator: ", ")) LIMIT ? OFFSET ?", bindings)
    }

    /// The condition that a row comes after a place in the order of some keys and the identifier.
    private func follows(_ place: Place, _ keys: ArraySlice<Key>, _ bindings: inout [Binding]) -> String {
        guard let key = keys.first else {
            bindings.append(.integer(place.id))
            return "\(identifier) \(beyond(isDescending)) ?"
        }
        let value = place.keys[keys.startIndex]
        let isAfter: String
        if value == .null {
            isAfter = key.isDescending ? "\(key.expression) IS NOT NULL" : "FALSE"
        } else {
            let isLast = key.isNullable && !key.isDescending ? " OR \(key.expression) IS NULL" : ""
            isAfter = "\(key.expression) \(beyond(key.isDescending)) ?\(isLast)"
            bindings.append(value)
        }
        bindings.append(value)
        let isEqual = "\(key.expression) IS NOT DISTINCT FROM ?"
        return "(\(isAfter) OR (\(isEqual) AND \(follows(place, keys.dropFirst(), &bindings))))"
    }

    /// The statement that counts the rows of the first part of the order after a place.
    func countOfFirstPart(after place: Place?, of selection: Selection) -> (text: String, bindings: [Binding]) {
        let part = statement(isDescending ? .rowsWithoutKey : .rows, after: place, of: selection)
        return ("SELECT count(*) FROM (\(part.text)) c", part.bindings + [.integer(.max), .integer(0)])
    }

    /// Whether a residual sorts the rows.
    var hasResidualKey: Bool { residuals.hasKey }

    /// The place of a row in the order.
    ///
    /// - Parameter column: The first column with a key of the order; nil for the row of an element.
    func place(of row: borrowing Row, keysFrom column: Int32? = nil) -> Place {
        Place(keys: keys.indices.map { row.binding((column ?? keyColumn) + Int32($0)) }, id: row.integer(0))
    }

    /// A place in the order of a search.
    struct Place: Sendable, Hashable {
        let keys: [Binding]
        let id: Int64
    }

    // MARK: Cursors

    func cursor(after place: Place) -> Cursor {
        let id = Identifier<User>(rawValue: place.id).description
        return Cursor(([String(digest, radix: 36), id] + place.keys.map(Self.text(of:))).joined(separator: "."))
    }

    private static func text(of key: Binding) -> String {
        switch key {
        case .null: "n"
        case .integer(let number): "i\(number)"
        case .real(let number): "r\(number.bitPattern)"
        case .text(let text): "t" + Base64URL.text(text.utf8)
        }
    }

    private static func key(_ text: Substring) -> Binding? {
        let value = String(text.dropFirst())
        switch text.first {
        case "n": return .null
        case "i": return Int64(value).map { .integer($0) }
        case "r": return UInt64(value).map { .real(Double(bitPattern: $0)) }
        case "t": return Base64URL.bytes(value).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        default: return nil
        }
    }

    /// - Throws: `invalidCursor` if the text is not a cursor, or is the cursor of another search.
    func place(of cursor: Cursor) throws -> Place {
        let noCursor = DirectoryError(
            .invalidCursor, "That is not a cursor.", advice: "Give the cursor of the previous page.")
        let parts = cursor.description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let id = Identifier<User>(String(parts[1])) else { throw noCursor }
        guard parts[0] == String(digest, radix: 36) else {
            throw DirectoryError(
                .invalidCursor, "The cursor belongs to another search.",
                advice: "Use the same filter and order as before.")
        }
        let found = parts.dropFirst(2).compactMap(Self.key)
        let place = Place(keys: found, id: id.rawValue)
        // A place has one text form, so that altered text is refused even if it has a meaning.
        guard found.count == keys.count, self.cursor(after: place) == cursor else { throw noCursor }
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
