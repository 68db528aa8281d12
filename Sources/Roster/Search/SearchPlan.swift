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
    private let query: SearchQuery
    private let isOnServer: Bool
    let access: Access

    /// The way to find rows.
    enum Access: Sendable {
        /// The table, or an index of the order, is read from the beginning. Conditions list their users once.
        case all
        /// The index of the order is read, and conditions are looked at for each row. A page that needs more than some thousand rows
        /// takes another way.
        case walk
        /// An index finds the candidates of the filter, or of the part of it with that number. The rest is looked at for each of them.
        case candidates(Candidates, part: Int)
    }

    /// Whether the whole table is read unless a page is full before.
    let readsAll: Bool
    /// Whether rows of other tables are looked at for each row.
    var looksElsewhere: Bool { selection.condition.contains("EXISTS (") }

    /// The rows of an index of the order that PostgreSQL looks at before it takes another way.
    static let boundOfWalk = 2_000

    /// Rows of a table, by a condition.
    struct Selection: Sendable {
        var source: String
        var condition: String
        var bindings: [Binding]
        /// The expression of the identifier: that of the table which leads, so that its order can be used.
        var identifier = "u.id"
        /// The number of rows of the order's index that are looked at; nil for all. PostgreSQL only, see ``SearchPlan/Access/walk``.
        var bound: Int?
        /// The statement that counts the rows without reading them; nil if conditions are left.
        var bareCount: (text: String, bindings: [Binding])?
    }

    /// An expression that sorts rows.
    struct Key: Sendable {
        let expression: String
        let isNullable: Bool
        let isDescending: Bool
    }

    init(_ query: SearchQuery, _ access: Access, _ transaction: Transaction) throws {
        let form: FilterCompiler.Form = transaction.connection.kind == .sqlite ? .calling : .answered
        self.access = access
        var compiler = FilterCompiler(query.entity, transaction.vocabulary, transaction.rights, form)
        columns = query.entity == .user ? UserStatements.columns : RoleStatements.columns
        keyColumn = query.entity == .user ? 8 : 6
        let rest = query.rest(of: access)
        query.prepare(&compiler, for: access)
        let condition = try compiler.rows(rest)
        var keys: [Key] = []
        for next in query.order {
            let key = try compiler.sortKey(next.attribute)
            // Nothing sorts after the identifier, which is unique. A natural order selects rows that have a value.
            if key.expression == "u.id", next.isDescending == query.order[0].isDescending { break }
            keys.append(
                Key(
                    expression: key.expression, isNullable: key.isNullable && !query.isNaturallyOrdered,
                    isDescending: next.isDescending))
            if key.expression == "u.id" { break }
        }
        self.keys = keys
        isDescending = query.order.first?.isDescending ?? false
        hasOneIndex = query.hasOneIndex(access)
        if case .all = access { readsAll = true } else { readsAll = false }
        selection = Self.selection(access, condition, compiler, query)
        residuals = compiler.residuals
        let leading: Int = if case .candidates(let candidates, _) = access { candidates.bindings.count } else { 0 }
        answerPlaces = compiler.answerPlaces.mapValues { $0 + leading }
        if form == .answered, !residuals.all.isEmpty {
            var asking = FilterCompiler(query.entity, transaction.vocabulary, transaction.rights, .candidates)
            query.prepare(&asking, for: access)
            candidates = Self.selection(access, try asking.rows(rest), asking, query)
        } else {
            candidates = nil
        }
        (self.query, isOnServer) = (query, form == .answered)
    }

    /// The hash by which cursors and ``SearchMemory`` tell this search from others. Cost: each access hashes the filter anew.
    var digest: UInt64 {
        var hasher = query.hash
        // PostgreSQL stores the keys of residuals in another form. With another hash, each engine refuses the cursors of the other one.
        if isOnServer, residuals.hasKey { hasher.combine("stored keys") }
        return hasher.value
    }

    /// The rows by one of the ways to find them.
    private static func selection(
        _ access: Access, _ condition: String, _ compiler: FilterCompiler, _ query: SearchQuery
    ) -> Selection {
        let table = compiler.layout.table
        guard case .candidates(let candidates, _) = access else {
            var selection = Selection(source: "\(table) u", condition: condition, bindings: compiler.bindings)
            if case .walk = access, compiler.form != .calling { selection.bound = boundOfWalk }
            return selection
        }
        let bindings = candidates.bindings + compiler.bindings
        var selection: Selection
        // SQLite reads the tables of a cross join in the order in which they are named.
        let join = compiler.form == .calling ? "CROSS JOIN" : "JOIN"
        if candidates.source == nil {
            selection = Selection(
                source: "\(table) u", condition: "\(candidates.condition) AND \(condition)", bindings: bindings)
            // SQLite would otherwise read the whole table to have the order of identifiers.
            if compiler.form == .calling, !candidates.isSorted { selection.identifier = "+u.id" }
        } else if candidates.isDistinct, let source = candidates.source {
            selection = Selection(
                source: "\(source) \(join) users u ON u.id = \(candidates.identifier)",
                condition: "\(candidates.condition) AND \(condition)", bindings: bindings)
            selection.identifier = candidates.identifier
        } else {
            selection = Selection(
                source: "(SELECT DISTINCT id FROM (\(candidates.identifiers)) d) c \(join) users u ON u.id = c.id",
                condition: condition, bindings: bindings)
            selection.identifier = "c.id"
        }
        if condition == "TRUE", !candidates.mayHaveRoles {
            let identifiers = candidates.identifiers
            selection.bareCount = (
                candidates.isDistinct
                    ? "SELECT count(*) FROM \(candidates.source ?? "\(table) u") WHERE \(candidates.condition)"
                    : "SELECT count(DISTINCT id) FROM (\(identifiers)) c",
                candidates.bindings
            )
        }
        return selection
    }

    // MARK: Text

    private func direction(_ isDescending: Bool) -> String { isDescending ? "DESC" : "ASC" }
    private func beyond(_ isDescending: Bool) -> String { isDescending ? "<" : ">" }
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
    static func count(_ selection: Selection) -> (text: String, bindings: [Binding]) {
        selection.bareCount
            ?? ("SELECT count(*) FROM \(selection.source) WHERE \(selection.condition)", selection.bindings)
    }

    /// The statement that counts the candidates of filters, each up to one more than a limit.
    static func sizes(of candidates: [Candidates], upTo limit: Int) -> (text: String, bindings: [Binding]) {
        let counts = candidates.enumerated().map { index, candidates in
            "(SELECT count(*) FROM (\(candidates.identifiers) LIMIT \(limit + 1)) c\(index))"
        }
        return ("SELECT " + counts.joined(separator: ", "), candidates.flatMap(\.bindings))
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
        let identifier = sorting.isEmpty ? selection.identifier : "u.id"
        var beyond = ""
        var bindings: [Binding] = []
        if let place {
            if let first = sorting.first, keys.count == 1 {
                // A comparison of rows lets an index find the place.
                beyond = " AND (\(first.expression), u.id) \(self.beyond(first.isDescending)) (?, ?)"
                bindings += [place.keys[0], .integer(place.id)]
            } else {
                if let first = sorting.first, sorting.startIndex == 0 {
                    // The index finds the first key of the place; the rest of the condition leaves out rows before it.
                    beyond = " AND \(first.expression) \(self.beyond(first.isDescending))= ?"
                    bindings.append(place.keys[0])
                }
                beyond += " AND \(follows(place, sorting, identifier, &bindings))"
            }
        }
        // The first key has a value in all rows of a part, or in none.
        var order = sorting.indices.map { index in
            let key = keys[index]
            let nulls = index > 0 && key.isNullable ? key.isDescending ? " NULLS FIRST" : " NULLS LAST" : ""
            return "\(key.expression) \(direction(key.isDescending))\(nulls)"
        }
        order.append("\(identifier) \(direction(isDescending))")
        let sorted = " ORDER BY \(order.joined(separator: ", "))"
        if let bound = selection.bound {
            // The rows of the index come first, and their conditions afterwards, so that no more rows are looked at.
            let rows = "SELECT * FROM \(selection.source) WHERE TRUE\(part)\(beyond)\(sorted) LIMIT \(bound)"
            return (
                "SELECT \(shown) FROM (\(rows)) u WHERE \(selection.condition)\(sorted) LIMIT ? OFFSET ?",
                bindings + selection.bindings
            )
        }
        let text = "SELECT \(shown) FROM \(selection.source) WHERE \(selection.condition)\(part)\(beyond)"
        return (text + "\(sorted) LIMIT ? OFFSET ?", selection.bindings + bindings)
    }

    /// Makes the statements that read the rows of a part after a place. The search runs one statement after the other. If an index of
    /// SQLite has the order, the first statement reads the rows with the key of the place, and the second one the rows with a later key:
    /// SQLite finds a place by the key alone, and one statement would look at all rows with the same key before the place.
    func statements(_ part: Part, after place: Place?) -> [(text: String, bindings: [Binding])] {
        guard !isOnServer, isLedByOrder, case .rows = part, let place, keys.count == 1, keys[0].expression != "u.id",
            place.keys[0] != .null
        else { return [statement(part, after: place, of: selection)] }
        let (key, sign) = (keys[0].expression, beyond(isDescending))
        let direction = direction(isDescending)
        // SQLite uses one of two lower bounds, and would choose the bound of the filter, which comes before the place.
        let bound = isDescending ? "<=" : ">="
        let condition = selection.condition.replacing("\(key) \(bound) ?", with: "+\(key) \(bound) ?")
        func text(_ condition: String, _ order: String) -> String {
            """
            SELECT \(columns), \(key) FROM \(selection.source) WHERE \(condition)\(hasTwoParts ? " AND \(key) IS NOT NULL" : "") \
            ORDER BY \(order)u.id \(direction) LIMIT ? OFFSET ?
            """
        }
        return [
            (
                text("\(selection.condition) AND \(key) = ? AND u.id \(sign) ?", ""),
                selection.bindings + [place.keys[0], .integer(place.id)]
            ),
            (
                text("\(condition) AND \(key) \(sign) ?", "\(key) \(direction), "),
                selection.bindings + [place.keys[0]]
            ),
        ]
    }

    /// Whether SQLite reads the rows by the index of the order.
    private var isLedByOrder: Bool {
        guard case .candidates(let candidates, _) = access else { return query.orderColumn != nil }
        return candidates.column != nil && candidates.column == query.orderColumn
    }

    /// The condition that a row comes after a place in the order of some keys and the identifier.
    private func follows(
        _ place: Place, _ keys: ArraySlice<Key>, _ identifier: String, _ bindings: inout [Binding]
    ) -> String {
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
        return "(\(isAfter) OR (\(isEqual) AND \(follows(place, keys.dropFirst(), identifier, &bindings))))"
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
