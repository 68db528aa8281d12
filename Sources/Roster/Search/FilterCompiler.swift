import Foundation
import RosterStore
import RosterText

/// Compiles a filter to a condition of SQL over the row `u`. The text of the condition has constants only, because
/// values are bound. ``RowFunction`` decides the parts that no index answers.
struct FilterCompiler {
    let entity: AttributeDefinition.Entity
    let layout: Layout
    let vocabulary: Vocabulary
    let rights: Rights
    var bindings: [Binding] = []
    private(set) var residuals = Residuals()
    /// The form of the conditions.
    let form: Form
    /// Whether the text index may find rows; false while the rows that it found are checked.
    var usesTextIndex = true
    /// Whether the conditions are looked at for each of a few rows that others have found. The conditions then find no rows by
    /// themselves, and list nothing.
    var checksRows = false
    /// The column of users whose index may find rows nevertheless, because the rows come in its order.
    var leadingColumn: String?
    /// Whether the condition that is being compiled counts if it holds, as opposed to if it does not hold.
    private var isPositive = true
    /// The places in ``bindings`` of the rows for which each residual holds, in the form for known answers.
    private(set) var answerPlaces: [Int: Int] = [:]
    private var columnNumbers: [String: Int] = [:]
    var comparisons = 0

    /// The form of the conditions that a compiler makes.
    enum Form: Sendable {
        /// SQLite calls ``RowFunction`` for each residual.
        case calling
        /// PostgreSQL, where each residual counts as if it let the row pass: the rows that have to be asked about.
        case candidates
        /// PostgreSQL, where each residual holds for the rows that a binding lists.
        case answered
    }

    init(
        _ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary, _ rights: Rights, _ form: Form
    ) {
        self.entity = entity
        self.form = form
        layout = entity == .user ? .user : .role
        self.vocabulary = vocabulary
        self.rights = rights
    }

    // MARK: Filters

    /// A compiled filter.
    enum Compiled {
        /// A condition of SQL.
        case sql(String)
        /// A test of the record. No index helps with it. Only a record with the attribute `needs` can pass, if there is one.
        case test(@Sendable (ResidualRecord) throws -> Bool, needs: AttributeName? = nil)
    }

    /// The condition for a filter. It can be NULL, which counts as false.
    mutating func condition(_ filter: Filter, depth: Int = 0) throws -> String {
        let text = sql(try compiled(filter, depth: depth))
        guard ParserDepth.of(text) <= ParserDepth.maximum else {
            throw DirectoryError(.invalidFilter, "The filter is nested too deep.", advice: "Make it simpler.")
        }
        // PostgreSQL makes a join of each subquery that must hold, and plans a hundred joins for half a minute. It makes none here.
        let subqueries =
            form == .calling
            ? 0 : ["u.id IN (", "EXISTS ("].reduce(0) { $0 + text.components(separatedBy: $1).count - 1 }
        return subqueries > Self.maximumJoins ? "(\(text)) IS TRUE" : text
    }

    /// The number of subqueries that PostgreSQL plans as joins without taking noticeable time.
    private static let maximumJoins = 16

    private mutating func sql(_ compiled: Compiled) -> String {
        switch compiled {
        case .sql(let text): return text
        case .test(let holds, let needs): return residual(.condition(holds, needs: needs))
        }
    }

    mutating func residual(_ residual: Residual) -> String {
        residuals.all.append(residual)
        switch form {
        case .calling: return "roster_residual(\(residuals.all.count - 1), u.id, u.attributes)"
        case .candidates:
            if case .key = residual { return Residuals.keyExpression(residuals.all.count - 1) }
            return isPositive ? "TRUE" : "FALSE"
        case .answered:
            if case .key = residual { return Residuals.keyExpression(residuals.all.count - 1) }
            answerPlaces[residuals.all.count - 1] = bindings.count
            bindings.append(.text("{}"))
            return "u.id = ANY(CAST(? AS bigint[]))"
        }
    }

    /// The condition for a filter of which the text index finds candidates.
    mutating func checking(_ filter: Filter, depth: Int = 0) throws -> String {
        usesTextIndex = false
        defer { usesTextIndex = true }
        return sql(try compiled(filter, depth: depth))
    }

    mutating func compiled(_ filter: Filter, depth: Int) throws -> Compiled {
        // Parsers count brackets, and a bracket can become three levels here.
        guard depth <= Filter.maximumDepth * 3 else {
            throw DirectoryError(
                .invalidFilter, "The filter is nested more than \(Filter.maximumDepth) deep.",
                advice: "Make it simpler.")
        }
        if usesTextIndex, let match = textMatch(filter) {
            if checksRows { return try containing(match, filter, depth) }
            if isCertain(match, filter) {
                try checkSearchable(filter)
                return .sql(indexed(match))
            }
            return .sql("(\(indexed(match)) AND \(try checking(filter, depth: depth)))")
        }
        switch filter {
        case .everything: return .sql("TRUE")
        case .and(let filters):
            return try joined(filters, depth, "AND", empty: "TRUE") { tests in
                { record in try tests.allSatisfy { try $0(record) } }
            }
        case .or(let filters):
            return try joined(filters, depth, "OR", empty: "FALSE") { tests in
                { record in try tests.contains { try $0(record) } }
            }
        case .not(let filter): return try negated(filter, depth)
        case .present(let path):
            return try present(resolve(path))
        case .compare(let path, .notEqual, let value):
            return try negated(.compare(path, .equal, value), depth)
        case .compare(let path, let comparison, let value):
            return try compare(resolve(path), comparison, value)
        case .element(let name, let inner): return try element(name, inner)
        case .below(let top, let levels): return .sql(try below(top, levels))
        }
    }

    private mutating func negated(_ filter: Filter, _ depth: Int) throws -> Compiled {
        if case .present(let path) = filter, let absent = absence(resolved(path, try searchable(path.attribute))) {
            try countComparison()
            return .sql(absent)
        }
        isPositive.toggle()
        defer { isPositive.toggle() }
        return switch try compiled(filter, depth: depth + 1) {
        case .sql(let text): .sql("(\(text)) IS NOT TRUE")
        case .test(let holds, _): .test { record in try !holds(record) }
        }
    }

    /// Joins filters. The tests of the record become one test, so that SQLite calls the function once for all of them.
    private mutating func joined(
        _ filters: [Filter], _ depth: Int, _ word: String, empty: String,
        _ together: ([@Sendable (ResidualRecord) throws -> Bool]) -> @Sendable (ResidualRecord) throws -> Bool
    ) throws -> Compiled {
        var conditions: [String] = []
        var tests: [@Sendable (ResidualRecord) throws -> Bool] = []
        var needed: [AttributeName?] = []
        for filter in Self.deepestFirst(filters) {
            switch try compiled(filter, depth: depth + 1) {
            case .sql(let text): conditions.append(text)
            case .test(let holds, let needs):
                tests.append(holds)
                needed.append(needs)
            }
        }
        if !tests.isEmpty {
            let test = together(tests)
            // One of several tests is enough for 'or', so that all need the same attribute, or none does.
            let isAnd = word == "AND"
            let needs = isAnd ? needed.lazy.compactMap { $0 }.first : Set(needed).count == 1 ? needed[0] : nil
            if conditions.isEmpty { return .test(test, needs: needs) }
            conditions.append(residual(.condition(test, needs: needs)))
        }
        return .sql(Self.joined(conditions[...], word, empty: empty))
    }

    /// Puts deep filters first, because SQLite's parser has room for no more than some 100 open brackets.
    private static func deepestFirst(_ filters: [Filter]) -> [Filter] {
        guard filters.contains(where: { $0.isNested(deeperThan: 1) }) else { return filters }
        return filters.filter { $0.isNested(deeperThan: 1) } + filters.filter { !$0.isNested(deeperThan: 1) }
    }

    /// Joins conditions as a balanced tree, because SQLite limits the depth of an expression.
    static func joined(_ conditions: ArraySlice<String>, _ word: String, empty: String) -> String {
        guard conditions.count > 1 else { return conditions.first ?? empty }
        let middle = conditions.startIndex + conditions.count / 2
        let left = joined(conditions[..<middle], word, empty: empty)
        return "(\(left) \(word) \(joined(conditions[middle...], word, empty: empty)))"
    }

    mutating func resolve(_ path: AttributePath) throws -> ResolvedPath {
        try countComparison()
        return resolved(path, try searchable(path.attribute))
    }

    func resolved(_ path: AttributePath, _ definition: AttributeDefinition) -> ResolvedPath {
        ResolvedPath(path, definition, elementReaders(of: definition.element?.attribute ?? definition.name))
    }

    /// The readers of the elements of a list if the caller may not read all of them; nil otherwise.
    func elementReaders(of stored: AttributeName) -> ElementReaders? {
        guard entity == .user, !rights.readsEverything, let readers = vocabulary.elementReaders(of: stored),
            readers.narrowest < .signedIn
        else { return nil }
        return readers
    }

    /// The definition of an attribute that the caller may use in a filter or an order.
    func searchable(_ name: AttributeName) throws -> AttributeDefinition {
        guard let definition = vocabulary.definition(of: name, for: entity), rights.maySearch(definition) else {
            // The message suggests only attributes that the caller may search, so that it does not reveal hidden ones.
            let known = vocabulary.definitions(for: entity).filter(rights.maySearch)
            throw DirectoryError(
                .invalidFilter, "There is no attribute \(EntityName.shown(name.rawValue)) that can be searched.",
                advice: Vocabulary.advice(
                    vocabulary.similar(to: name.rawValue, among: known),
                    "Check the spelling, and whether the caller may read it."), attribute: name)
        }
        return definition
    }

    mutating func checkSearchable(_ filter: Filter) throws {
        switch filter {
        case .and(let filters), .or(let filters): for filter in filters { try checkSearchable(filter) }
        case .compare(let path, _, _): _ = try resolve(path)
        default: break
        }
    }

    // MARK: Comparisons

    private mutating func compare(_ path: ResolvedPath, _ comparison: Filter.Comparison, _ value: AttributeValue) throws
        -> Compiled
    {
        let definition = path.definition
        if definition.name == "memberOf", path.part == AttributePath.effectiveRoles.part {
            return .sql(try memberOf(.compare(AttributePath("value"), comparison, value), .effective))
        }
        if let condition = try system(definition, comparison, value) { return .sql(condition) }
        let operand = value.operandKey(isCaseExact: definition.isCaseExact)
        let isOfKind: Bool =
            switch (definition.kind, operand) {
            case (.string, .text), (.complex, .text), (.complex, .integer): true
            case (.integer, .integer), (.integer, .real), (.decimal, .integer), (.decimal, .real): true
            case (.boolean, .integer), (.time, .integer): true
            default: false
            }
        guard isOfKind else {
            throw DirectoryError(
                .invalidFilter, "'\(definition.name)' cannot be compared with a value of that type.",
                attribute: definition.name)
        }
        try checkComparable(definition, comparison, operand)
        if let column = layout.columns[path.stored], case .text(let folded) = operand {
            return .sql(keyed(self.column(column), comparison, folded))
        }
        if let entries = entries(of: path), usesEntries(for: comparison) {
            let found = values(entries.name, comparison, operand, of: definition)
            if entries.isExact, path.elementReaders == nil { return .sql(found) }
            return .sql("(\(found) AND \(residual(.condition(test(path, comparison, value), needs: path.stored))))")
        }
        return .test(test(path, comparison, value), needs: path.stored)
    }

    /// Whether the table of values answers a comparison. A scan of the table would take longer than a look at each row that others
    /// have found, and so does, on SQLite, a range of its entries.
    private func usesEntries(for comparison: Filter.Comparison) -> Bool {
        if comparison == .equal { return true }
        return checksRows ? form != .calling : usesTextIndex || comparison != .contains
    }

    /// A test of whether one of a record's values compares so with an operand.
    private mutating func test(
        _ path: ResolvedPath, _ comparison: Filter.Comparison, _ value: AttributeValue
    ) -> @Sendable (ResidualRecord) throws -> Bool {
        let isCaseExact = path.definition.isCaseExact
        let condition = Condition(
            comparison, value.operandKey(isCaseExact: isCaseExact), isCaseExact: isCaseExact)
        let number = number(of: path.column, "\(path.definition.name) \(path.part ?? "")")
        return { record in
            try record.keys(ofColumn: number).contains { key in
                try record.step()
                return key.map(condition.holds) ?? false
            }
        }
    }

    /// The number of a column. Conditions on the same values share a column.
    mutating func number(of column: ResidualColumn, _ name: String) -> Int {
        if let number = columnNumbers[name] { return number }
        let number = residuals.columns.count
        residuals.columns.append(column)
        columnNumbers[name] = number
        return number
    }

    /// Refuses to look inside numbers, times and booleans. A complex value can have parts of either kind.
    func checkComparable(
        _ definition: AttributeDefinition, _ comparison: Filter.Comparison, _ operand: Binding
    ) throws {
        guard [.contains, .starts, .ends].contains(comparison), definition.kind != .complex else { return }
        guard case .text = operand else { throw incomparable(definition, comparison) }
    }

    /// A comparison of an expression, whose value is text or a number.
    mutating func text(_ expression: String, _ comparison: Filter.Comparison, _ operand: Binding) -> String {
        func simple(_ sign: String) -> String {
            bindings.append(operand)
            return "\(expression) \(sign) ?"
        }
        switch comparison {
        case .equal, .notEqual: return simple("=")
        case .greater: return simple(">")
        case .greaterOrEqual: return simple(">=")
        case .less: return simple("<")
        case .lessOrEqual: return simple("<=")
        case .contains:
            bindings.append(operand)
            return "instr(\(expression), ?) > 0"
        case .starts:
            guard case .text(let prefix) = operand, !prefix.isEmpty else { return "\(expression) IS NOT NULL" }
            bindings.append(operand)
            guard let end = Self.end(ofPrefix: prefix) else { return "\(expression) >= ?" }
            bindings.append(.text(end))
            return "(\(expression) >= ? AND \(expression) < ?)"
        case .ends:
            guard case .text(let suffix) = operand, !suffix.isEmpty else { return "\(expression) IS NOT NULL" }
            let count = Int64(suffix.unicodeScalars.count)
            bindings += [.integer(form == .calling ? -count : count), operand]
            return "\(form == .calling ? "substr" : "right")(\(expression), ?) = ?"
        }
    }

    private mutating func present(_ path: ResolvedPath) throws -> Compiled {
        switch path.definition.name {
        case "id", "uid", "name", "active", "created", "modified", "version": return .sql("TRUE")
        case "manager": return .sql("\(column("manager")) IS NOT NULL")
        case "memberOf" where rights.narrowView != nil: return .sql(try memberOf(.everything, .direct))
        case "memberOf": return .sql("EXISTS (SELECT 1 FROM role_member_user m WHERE m.member = u.id)")
        case "members":
            return .sql("u.id IN (SELECT role FROM role_member_user UNION SELECT role FROM role_member_role)")
        case "externalId": return .sql(externalID { _ in "TRUE" })
        default: break
        }
        if let column = layout.columns[path.stored] { return .sql("\(self.column(column)) IS NOT NULL") }
        return .test(presenceTest(path), needs: path.stored)
    }

    /// A test of whether a record has a value.
    func presenceTest(_ path: ResolvedPath) -> @Sendable (ResidualRecord) throws -> Bool {
        { record in
            let elements = path.elements(in: record)
            return path.part == nil && path.element == nil
                ? !elements.isEmpty : elements.contains { path.value(in: $0) != nil }
        }
    }

    // MARK: Order

    /// The expression that sorts rows by an attribute.
    mutating func sortKey(_ name: AttributeName) throws -> (expression: String, isNullable: Bool) {
        let definition = try searchable(name)
        let path = resolved(AttributePath(name), definition)
        if let column = layout.columns[path.stored] { return (self.column(column), column != "name_key") }
        switch name {
        case "id": return ("u.id", false)
        case "created", "modified", "version", "active": return (column(name.rawValue), false)
        case "manager": return (column("manager"), true)
        // A row can have several values of these, or none.
        case "memberOf", "members", "externalId":
            throw DirectoryError(.invalidAttribute, "Nothing can be sorted by '\(name)'.", attribute: name)
        default: break
        }
        let key = residual(
            .key { record in
                let elements = path.elements(in: record)
                let first =
                    elements.first { $0.isPrimary }?.part(path.part ?? "value")
                    ?? elements.lazy.compactMap { path.value(in: $0) }.first
                return first.flatMap { definition.sortKey(of: $0) } ?? .null
            })
        return (key, true)
    }
}

extension Filter {
    fileprivate func isNested(deeperThan levels: Int) -> Bool {
        switch self {
        case .and(let filters), .or(let filters):
            levels <= 0 || filters.contains { $0.isNested(deeperThan: levels - 1) }
        case .not(let filter): levels <= 0 || filter.isNested(deeperThan: levels - 1)
        default: false
        }
    }
}
