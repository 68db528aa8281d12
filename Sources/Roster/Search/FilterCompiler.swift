import Foundation

/// Turns a filter into a condition of SQL over the row `u`. Its text is made of constants only: values are bound, and
/// what no index answers is decided by ``ResidualFunction``.
struct FilterCompiler {
    /// Where the attributes of users, or of roles, are indexed.
    struct Layout: Sendable {
        let table: String
        let columns: [AttributeName: String]
        let textColumns: [AttributeName: String]
        let hasValueTable: Bool

        static let user = Layout(
            table: "user",
            columns: Dictionary(uniqueKeysWithValues: UserKeys.columns.map { ($0.attribute, $0.column) })
                .merging(["uid": "name_key"]) { $1 },
            textColumns: UserKeys.textColumns, hasValueTable: true)
        static let role = Layout(
            table: "role",
            columns: ["name": "name_key", "displayName": "display_name_key", "description": "description_key"],
            textColumns: [:], hasValueTable: false)
    }

    let entity: AttributeDefinition.Entity
    let layout: Layout
    let vocabulary: Vocabulary
    let rights: Rights
    var bindings: [Binding] = []
    private(set) var residuals: [Residual] = []
    var comparisons = 0

    init(_ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary, _ rights: Rights) {
        self.entity = entity
        layout = entity == .user ? .user : .role
        self.vocabulary = vocabulary
        self.rights = rights
    }

    // MARK: Filters

    /// The condition that a filter stands for. It may be NULL, which counts as false.
    mutating func condition(_ filter: Filter, depth: Int = 0) throws -> String {
        // Parsers count brackets, each of which can become three levels here.
        guard depth <= Filter.maximumDepth * 3 else {
            throw DirectoryError(
                .invalidFilter, "The filter is nested more than \(Filter.maximumDepth) deep.",
                advice: "Make it simpler.")
        }
        if let match = textMatch(filter) {
            if !mayMatchPrivately(filter) {
                try checkSearchable(filter)
                bindings.append(.text(match))
                return "u.id IN (SELECT rowid FROM text_index WHERE text_index MATCH ?)"
            }
            if case .compare(let path, let comparison, let value) = filter {
                bindings.append(.text(match))
                let condition = try residual(resolve(path), comparison, value)
                return "(u.id IN (SELECT rowid FROM text_index WHERE text_index MATCH ?) AND \(condition))"
            }
        }
        switch filter {
        case .everything: return "1"
        case .and(let filters):
            return Self.joined(
                try Self.deepestFirst(filters).map { try condition($0, depth: depth + 1) }[...], "AND", empty: "1")
        case .or(let filters):
            return Self.joined(
                try Self.deepestFirst(filters).map { try condition($0, depth: depth + 1) }[...], "OR", empty: "0")
        case .not(let filter): return "(\(try condition(filter, depth: depth + 1))) IS NOT TRUE"
        case .present(let path):
            return try present(resolve(path))
        case .compare(let path, .notEqual, let value):
            return "(\(try condition(.compare(path, .equal, value), depth: depth + 1))) IS NOT TRUE"
        case .compare(let path, let comparison, let value):
            return try compare(resolve(path), comparison, value)
        case .element(let name, let inner): return try element(name, inner)
        }
    }

    /// SQLite's parser keeps what stands before an open bracket in mind, and has room for some 100 such things: deep
    /// filters come first.
    private static func deepestFirst(_ filters: [Filter]) -> [Filter] {
        guard filters.contains(where: { $0.isNested(deeperThan: 3) }) else { return filters }
        return filters.filter { $0.isNested(deeperThan: 3) } + filters.filter { !$0.isNested(deeperThan: 3) }
    }

    /// Joins as a balanced tree, since SQLite limits how deep an expression is.
    static func joined(_ conditions: ArraySlice<String>, _ word: String, empty: String) -> String {
        guard conditions.count > 1 else { return conditions.first ?? empty }
        let middle = conditions.startIndex + conditions.count / 2
        let left = joined(conditions[..<middle], word, empty: empty)
        return "(\(left) \(word) \(joined(conditions[middle...], word, empty: empty)))"
    }

    private mutating func resolve(_ path: AttributePath) throws -> ResolvedPath {
        comparisons += 1
        guard comparisons <= Filter.maximumComparisons else {
            throw DirectoryError(
                .invalidFilter, "The filter has more than \(Filter.maximumComparisons) comparisons.",
                advice: "Make it simpler, or ask several times.")
        }
        return resolved(path, try searchable(path.attribute))
    }

    private func resolved(_ path: AttributePath, _ definition: AttributeDefinition) -> ResolvedPath {
        ResolvedPath(path, definition, elementReaders(of: definition.element?.attribute ?? definition.name))
    }

    /// Who may read the elements of a list, where the caller may not read all of them.
    private func elementReaders(of stored: AttributeName) -> ElementReaders? {
        guard entity == .user, !rights.readsEverything, let readers = vocabulary.elementReaders(of: stored),
            readers.narrowest < .signedIn
        else { return nil }
        return readers
    }

    /// Whether an index could find users by elements that the caller may not read: then what it finds is only a
    /// candidate.
    func mayMatchPrivately(_ filter: Filter) -> Bool {
        switch filter {
        case .compare(let path, _, _):
            let stored = vocabulary.definition(of: path.attribute, for: entity)?.element?.attribute ?? path.attribute
            return elementReaders(of: stored) != nil
        case .and(let filters), .or(let filters): return filters.contains(where: mayMatchPrivately)
        default: return false
        }
    }

    /// The definition of an attribute that may stand in a filter or an order.
    private func searchable(_ name: AttributeName) throws -> AttributeDefinition {
        guard let definition = vocabulary.definition(of: name, for: entity), rights.maySearch(definition) else {
            throw DirectoryError(
                .invalidFilter, "There is no attribute \(EntityName.shown(name.rawValue)) that can be searched.",
                advice: "Check the spelling, and whether the caller may read it.", attribute: name)
        }
        return definition
    }

    private mutating func checkSearchable(_ filter: Filter) throws {
        switch filter {
        case .and(let filters), .or(let filters): for filter in filters { try checkSearchable(filter) }
        case .compare(let path, _, _): _ = try resolve(path)
        default: break
        }
    }

    // MARK: The text index

    /// The text index's own language for a filter that it answers alone: text that is contained, and `and` and `or` of it.
    func textMatch(_ filter: Filter, depth: Int = 0) -> String? {
        guard depth < 32 else { return nil }
        switch filter {
        case .compare(let path, .contains, .string(let text)) where path.part == nil:
            let stored = vocabulary.definition(of: path.attribute, for: entity)?.element?.attribute ?? path.attribute
            guard let column = layout.textColumns[stored] else { return nil }
            let key = FoldedText.of(text)
            // The index knows runs of three characters; shorter text, and lines, it cannot find.
            guard key.unicodeScalars.count >= 3, !key.contains("\n"), !key.utf8.contains(0), key.utf8.count < 1_000
            else { return nil }
            return "\(column) : \"\(key.replacingOccurrences(of: "\"", with: "\"\""))\""
        case .and(let filters) where filters.count > 1: return textMatch(filters, "AND", depth)
        case .or(let filters) where filters.count > 1: return textMatch(filters, "OR", depth)
        default: return nil
        }
    }

    private func textMatch(_ filters: [Filter], _ word: String, _ depth: Int) -> String? {
        guard filters.count <= 64 else { return nil }
        var parts: [String] = []
        for filter in filters {
            guard let part = textMatch(filter, depth: depth + 1) else { return nil }
            parts.append("(\(part))")
        }
        return parts.joined(separator: " \(word) ")
    }

    // MARK: Comparisons

    private mutating func compare(_ path: ResolvedPath, _ comparison: Filter.Comparison, _ value: AttributeValue) throws
        -> String
    {
        let definition = path.definition
        if let condition = try system(definition, comparison, value) { return condition }
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
        if let column = layout.columns[path.stored] { return text("u.\(column)", comparison, operand) }
        if layout.hasValueTable, isInValueTable(path) {
            bindings.append(.text(path.stored.rawValue))
            let found =
                "u.id IN (SELECT user FROM attribute_value v WHERE v.attribute = ? AND \(text("v.key", comparison, operand)))"
            return path.elementReaders == nil ? found : "(\(found) AND \(residual(path, comparison, value)))"
        }
        return residual(path, comparison, value)
    }

    private mutating func residual(
        _ path: ResolvedPath, _ comparison: Filter.Comparison, _ value: AttributeValue
    ) -> String {
        let isCaseExact = path.definition.isCaseExact
        let condition = Condition(
            comparison: comparison, operand: value.operandKey(isCaseExact: isCaseExact), isCaseExact: isCaseExact)
        return residual { record in path.values(in: record, isCompared: true).contains(where: condition.holds) }
    }

    /// A number, a time or a boolean contains nothing, and has no beginning and no end. (A complex value may have parts
    /// of either kind.)
    func checkComparable(
        _ definition: AttributeDefinition, _ comparison: Filter.Comparison, _ operand: Binding
    ) throws {
        guard [.contains, .starts, .ends].contains(comparison), definition.kind != .complex else { return }
        guard case .text = operand else { throw incomparable(definition, comparison) }
    }

    private func isInValueTable(_ path: ResolvedPath) -> Bool {
        if path.stored == "emails" { return path.part == nil || path.part == "value" }
        return path.part == nil && path.definition.isSearchable && !StandardAttributes.isStandardUser(path.stored)
    }

    private mutating func residual(_ holds: @escaping @Sendable (AttributeSet) -> Bool) -> String {
        residuals.append(.condition(holds))
        return "roster_residual(\(residuals.count - 1), u.attributes)"
    }

    /// A comparison of an expression that is folded text, or a number.
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
            bindings += [.integer(Int64(-suffix.unicodeScalars.count)), operand]
            return "substr(\(expression), ?) = ?"
        }
    }

    /// The least text that is greater than everything with a prefix.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            if let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) {
                var end = String.UnicodeScalarView(scalars)
                end.append(next)
                return String(end)
            }
        }
        return nil
    }

    private mutating func present(_ path: ResolvedPath) throws -> String {
        switch path.definition.name {
        case "id", "uid", "name", "active", "created", "modified", "version": return "1"
        case "manager": return "u.manager IS NOT NULL"
        case "memberOf": return "EXISTS (SELECT 1 FROM role_member_user m WHERE m.member = u.id)"
        case "members":
            return "u.id IN (SELECT role FROM role_member_user UNION SELECT role FROM role_member_role)"
        case "externalId": return externalID { _ in "1" }
        default: break
        }
        if let column = layout.columns[path.stored] { return "u.\(column) IS NOT NULL" }
        return residual {
            !path.values(in: $0).isEmpty
                || (path.part == nil && !path.elements(in: $0).isEmpty && path.element == nil)
        }
    }

    // MARK: Elements

    private mutating func element(_ name: AttributeName, _ inner: Filter) throws -> String {
        let path = try resolve(AttributePath(name))
        if path.definition.name == "memberOf" { return try memberOf(inner) }
        if path.definition.name == "members" {
            guard case .compare(_, .equal, let value) = inner else {
                throw DirectoryError(.invalidFilter, "'members' is compared with one identifier by 'eq'.")
            }
            return try condition(.compare(AttributePath("members"), .equal, value))
        }
        let isCaseExact = path.definition.isCaseExact
        var condition = ""
        // An index finds the candidates where the element's value is given.
        if path.stored == "emails", let value = Self.requiredValue(inner) {
            bindings += [.text("emails"), .text(FoldedText.of(value))]
            condition = "u.id IN (SELECT user FROM attribute_value v WHERE v.attribute = ? AND v.key = ?) AND "
        }
        return "(\(condition)"
            + residual { record in
                path.elements(in: record).contains { inner.holds(forElement: $0, isCaseExact: isCaseExact) }
            } + ")"
    }

    private static func requiredValue(_ filter: Filter) -> String? {
        switch filter {
        case .compare(let path, .equal, .string(let text)) where path.partName == "value": text
        case .and(let filters): filters.lazy.compactMap(requiredValue).first
        default: nil
        }
    }

    // MARK: Order

    /// The expression by which rows are sorted.
    mutating func sortKey(_ name: AttributeName) throws -> (expression: String, isNullable: Bool) {
        let definition = try searchable(name)
        let path = resolved(AttributePath(name), definition)
        if let column = layout.columns[path.stored] { return ("u.\(column)", column != "name_key") }
        switch name {
        case "id": return ("u.id", false)
        case "created", "modified", "version", "active": return ("u.\(name)", false)
        case "manager": return ("u.manager", true)
        // Of these a row has none, or several.
        case "memberOf", "members", "externalId":
            throw DirectoryError(.invalidFilter, "Nothing can be sorted by '\(name)'.", attribute: name)
        default: break
        }
        residuals.append(
            .key { record in
                let elements = path.values(in: record)
                let first =
                    path.elements(in: record).first { $0.isPrimary }?.part(path.part ?? "value") ?? elements.first
                return first.flatMap { definition.key(of: $0) } ?? .null
            })
        return ("roster_residual(\(residuals.count - 1), u.attributes)", true)
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
