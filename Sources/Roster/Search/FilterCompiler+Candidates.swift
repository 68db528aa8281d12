import RosterStore
import RosterText

/// The part of a statement that finds by an index the users who can satisfy a filter.
struct Candidates: Sendable {
    /// The tables with the identifiers; nil if an index of the users' own rows finds them.
    var source: String?
    /// The expression of the identifier.
    var identifier: String
    /// The condition on the rows of the tables, or on the users' own rows.
    var condition: String
    /// The values of the parameters, in the tables and in the condition.
    var bindings: [Binding]
    /// Whether each user comes once.
    var isDistinct = true
    /// Whether the users come in the order of their identifiers.
    var isSorted = false
    /// Whether each user who is found satisfies the filter.
    var isExact = true
    /// Whether the filter is satisfied by one user, or by as few users as share an address.
    var isFew = false
    /// Whether the identifiers can be those of roles, too.
    var mayHaveRoles = false
    /// The column of the table of users whose index finds the candidates.
    var column: String?
    /// Whether the index keeps the users with one value in the order of their identifiers, so that a statement finds the next user after
    /// any identifier by one look.
    var hasNext = false
    /// The name of the index for people.
    var name: String

    /// How likely the candidates are few: 0 for hardly any, 1 for the users with one value, 2 for others.
    var rank: Int { isFew ? 0 : isDistinct && isSorted ? 1 : 2 }

    /// The statement for the identifiers. A user can come several times.
    var identifiers: String { "SELECT \(identifier) AS id FROM \(source ?? "users u") WHERE \(condition)" }
}

extension FilterCompiler {
    /// The candidates for a filter; nil if no index finds them.
    func candidates(_ filter: Filter, depth: Int = 0) throws -> Candidates? {
        guard entity == .user, depth < 8 else { return nil }
        if let match = textMatch(filter) {
            var compiler = fresh
            try compiler.checkSearchable(filter)
            let (condition, operands) = match.condition(form)
            return Candidates(
                source: "text_index t", identifier: TextMatch.identifier(form), condition: condition,
                bindings: operands, isSorted: true, isExact: isCertain(match, filter),
                name: "the text index")
        }
        switch filter {
        case .compare(let path, let comparison, let value) where comparison != .notEqual:
            return try compared(path, comparison, value)
        case .not(.present(let path)): return try absent(path)
        case .element(let name, let inner):
            let definition = try searchable(name)
            if definition.name == "memberOf" { return try members(inner, .direct) }
            guard let entry = requiredEntry(inner, of: definition.name) else { return nil }
            var found = entries(entry.name, .equal, .text(FoldedText.of(entry.value)), of: definition)
            found.isExact = false
            return found
        case .below(let top, let levels):
            var compiler = fresh
            _ = try compiler.below(top, levels)
            compiler.bindings = []
            let head = compiler.head(top)
            compiler.bindings += Self.bindings(levels)
            return Candidates(
                source: "(\(Self.line(head, hasDepth: levels != nil, form))) c", identifier: "c.id", condition: "TRUE",
                bindings: compiler.bindings, name: "the reporting lines below \(top)")
        case .or(let filters) where (1...Self.maximumUnion).contains(filters.count):
            return try union(filters, depth)
        case .and(let filters):
            let found = try filters.compactMap { try candidates($0, depth: depth + 1) }
            var best = found.first { $0.isFew } ?? found.first { $0.isDistinct && $0.isSorted } ?? found.first
            if filters.count > 1 { best?.isExact = false }
            return best
        default: return nil
        }
    }

    /// The most filters of which the candidates are found one after the other. SQLite joins up to 500 statements.
    private static let maximumUnion = 64

    private var fresh: FilterCompiler { FilterCompiler(entity, vocabulary, rights, form) }

    /// The users whom one of several filters finds. Each filter needs an index.
    private func union(_ filters: [Filter], _ depth: Int) throws -> Candidates? {
        var all: [Candidates] = []
        for filter in filters {
            guard let next = try candidates(filter, depth: depth + 1) else { return nil }
            all.append(next)
        }
        if all.count == 1 { return all[0] }
        let parts = all.enumerated().map { "SELECT id FROM (\($1.identifiers)) c\($0)" }
        return Candidates(
            source: "(\(parts.joined(separator: " UNION "))) c", identifier: "c.id", condition: "TRUE",
            bindings: all.flatMap(\.bindings), isExact: all.allSatisfy(\.isExact),
            isFew: all.allSatisfy(\.isFew), mayHaveRoles: all.contains(where: \.mayHaveRoles),
            name: all.reduce(into: [String]()) { if !$0.contains($1.name) { $0.append($1.name) } }
                .joined(separator: " and "))
    }

    private func compared(
        _ path: AttributePath, _ comparison: Filter.Comparison, _ value: AttributeValue
    ) throws -> Candidates? {
        // Candidates that need no further check must not hide a mistake in the filter.
        var check = fresh
        _ = try check.compiled(.compare(path, comparison, value), depth: 0)
        let path = resolved(path, try searchable(path.attribute))
        let definition = path.definition
        var compiler = fresh
        func own(_ condition: String, isSorted: Bool = false, isFew: Bool = false, column: String? = nil) -> Candidates
        {
            Candidates(
                source: nil, identifier: "u.id", condition: condition, bindings: compiler.bindings, isSorted: isSorted,
                isFew: isFew, column: column, hasNext: comparison == .equal, name: "the index of '\(definition.name)'")
        }
        switch definition.name {
        case "id", "manager", "modified":
            guard let condition = try compiler.system(definition, comparison, value) else { return nil }
            return own(
                condition, isSorted: definition.name != "modified", isFew: definition.name == "id",
                column: definition.name.rawValue)
        case "memberOf":
            let reach: Reach = path.part == AttributePath.effectiveRoles.part ? .effective : .direct
            return try members(.compare(AttributePath("value"), comparison, value), reach)
        case "externalId":
            guard comparison == .equal, case .text(let text) = value.operandKey(isCaseExact: true) else { return nil }
            return Candidates(
                source: "external_id x", identifier: "x.subject", condition: "x.client = ? AND x.value = ?",
                bindings: [.text(rights.client ?? ""), .text(text)], isFew: true, mayHaveRoles: true,
                name: "the index of 'externalId'")
        case "active", "created", "version", "password": return nil
        default: break
        }
        guard comparison != .contains, comparison != .ends else { return nil }
        let operand = value.operandKey(isCaseExact: definition.isCaseExact)
        if let column = layout.columns[path.stored], case .text(let folded) = operand {
            let condition = compiler.keyed("u.\(column)", comparison, folded)
            return own(condition, isFew: column == "name_key" && comparison == .equal, column: column)
        }
        guard let entries = entries(of: path), definition.kind == .string || operand != .null else { return nil }
        if case .text = operand {} else if definition.kind == .string || definition.kind == .complex { return nil }
        var found = self.entries(entries.name, comparison, operand, of: definition)
        found.isExact = entries.isExact && path.elementReaders == nil
        found.isFew = comparison == .equal && (path.stored == "emails" || definition.isUnique)
        return found
    }

    /// The users with an entry in the table of values that compares so.
    private func entries(
        _ name: String, _ comparison: Filter.Comparison, _ operand: Binding, of definition: AttributeDefinition
    ) -> Candidates {
        var compiler = fresh
        let condition = compiler.entry(name, comparison, operand, of: definition)
        return Candidates(
            source: "attribute_value v", identifier: "v.user_id", condition: condition, bindings: compiler.bindings,
            isDistinct: comparison == .equal, isSorted: comparison == .equal, hasNext: comparison == .equal,
            name: "the index of '\(name)'")
    }

    private func absent(_ path: AttributePath) throws -> Candidates? {
        let path = resolved(path, try searchable(path.attribute))
        let name = "the index of users without '\(path.definition.name)'"
        if let column = absentColumn(path) {
            return Candidates(
                source: nil, identifier: "u.id", condition: "u.\(column) IS NULL", bindings: [], isSorted: true,
                column: column, name: name)
        }
        guard hasAbsenceEntries(path) else { return nil }
        return Candidates(
            source: "attribute_value v", identifier: "v.user_id", condition: "v.attribute = ? AND v.key = ?",
            bindings: [.text(UserKeys.noEmails), .text("")], isSorted: true,
            isExact: path.element != nil || path.part != nil, name: name)
    }

    private func members(_ filter: Filter, _ reach: Reach) throws -> Candidates {
        var compiler = fresh
        let roles = try compiler.roles(filter, reach)
        var isOne = false
        if reach == .direct, case .compare(_, .equal, _) = filter { isOne = true }
        return Candidates(
            source: "role_member_user m", identifier: "m.member",
            condition: isOne ? "m.role = (\(roles) LIMIT 1)" : "m.role IN (\(roles))", bindings: compiler.bindings,
            isDistinct: isOne, isSorted: isOne, hasNext: isOne, name: "the list of members")
    }
}
