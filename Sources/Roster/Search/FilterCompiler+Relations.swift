import RosterStore
import RosterText

/// Compiles conditions on rows beside the user's own: entries of the table of values, and reporting lines. Each has two forms: the
/// list of all users who satisfy the condition, and a look at one row that others have found.
extension FilterCompiler {
    /// A column of the row. SQLite finds no rows by an expression with a plus sign.
    func column(_ name: String) -> String {
        form == .calling && checksRows && name != leadingColumn ? "+u.\(name)" : "u.\(name)"
    }

    // MARK: The table of values

    /// The entries of the table of values that answer comparisons of a path; nil if there are none. Entries of a list do not tell the
    /// types of elements, so that they find too much for a path such as `mobile`.
    func entries(of path: ResolvedPath) -> (name: String, isExact: Bool)? {
        guard layout.hasValueTable, let name = vocabulary.entries(of: path.stored, part: path.part) else { return nil }
        return (name, path.element?.type == nil)
    }

    /// The condition that a user has an entry that compares so with an operand.
    mutating func values(
        _ name: String, _ comparison: Filter.Comparison, _ operand: Binding, of definition: AttributeDefinition
    ) -> String {
        let condition = entry(name, comparison, operand, of: definition)
        return checksRows && comparison == .equal
            ? "EXISTS (SELECT 1 FROM attribute_value v WHERE \(condition) AND v.user_id = u.id)"
            : "u.id IN (SELECT user_id FROM attribute_value v WHERE \(condition))"
    }

    /// The condition on an entry `v`.
    mutating func entry(
        _ name: String, _ comparison: Filter.Comparison, _ operand: Binding, of definition: AttributeDefinition
    ) -> String {
        bindings.append(.text(name))
        if case .text(let folded) = operand, !definition.isCaseExact {
            return "v.attribute = ? AND \(keyed("v.key", comparison, folded))"
        }
        return "v.attribute = ? AND "
            + text("v.key", comparison, form == .calling ? operand : StoredKey.inTable(operand))
    }

    /// The condition that an index answers by which a user has no value; nil if no index does.
    mutating func absence(_ path: ResolvedPath) -> String? {
        if let column = absentColumn(path) { return "\(self.column(column)) IS NULL" }
        guard hasAbsenceEntries(path), !checksRows else { return nil }
        bindings.append(.text(UserKeys.noEmails))
        let found = "u.id IN (SELECT user_id FROM attribute_value v WHERE v.attribute = ?)"
        // Addresses can be there without a value.
        if path.element != nil || path.part != nil { return found }
        let isPresent = presenceTest(path)
        return "(\(found) AND \(residual(.condition { record in try !isPresent(record) })))"
    }

    /// The column that is NULL if a user has no value of a path.
    func absentColumn(_ path: ResolvedPath) -> String? {
        if entity == .user, path.definition.name == "manager" { return "manager" }
        return path.definition.name == "uid" || path.definition.name == "name" ? nil : layout.columns[path.stored]
    }

    /// Whether entries mark the users without a value of a path.
    func hasAbsenceEntries(_ path: ResolvedPath) -> Bool {
        entity == .user && path.stored == "emails" && (path.part == nil || path.part == "value")
            && path.elementReaders == nil
    }

    // MARK: Reporting lines

    /// The condition that a user is below another one.
    mutating func below(_ top: UserReference, _ levels: Int?) throws -> String {
        try countComparison()
        guard entity == .user else {
            throw DirectoryError(.invalidFilter, "Roles have no reporting lines.", advice: "Search users.")
        }
        _ = try searchable("manager")
        if let levels, levels < 1 {
            throw DirectoryError(
                .invalidFilter, "\(levels) levels are not possible.",
                advice: "Ask for 1 or more, or leave it out for all.", attribute: "manager")
        }
        guard checksRows else {
            let head = self.head(top)
            bindings += Self.bindings(levels)
            return "u.id IN (\(Self.line(head, hasDepth: levels != nil, form)))"
        }
        // The managers above one user are few.
        let above =
            levels == nil
            ? """
            WITH RECURSIVE chain (id) AS (
                SELECT u.manager UNION SELECT m.manager FROM chain JOIN users m ON m.id = chain.id
            )
            """
            : """
            WITH RECURSIVE chain (id, depth) AS (
                SELECT u.manager, 1
                UNION SELECT m.manager, chain.depth + 1 FROM chain JOIN users m ON m.id = chain.id WHERE chain.depth < ?
            )
            """
        bindings += Self.bindings(levels).prefix(1)
        return "EXISTS (\(above) SELECT 1 FROM chain WHERE chain.id = \(head(top)))"
    }

    /// The two parameters of ``line(_:hasDepth:_:)`` for a number of levels.
    static func bindings(_ levels: Int?) -> [Binding] {
        levels.map { [Binding](repeating: .integer(Int64(min($0, Int(Int32.max)))), count: 2) } ?? []
    }

    /// The identifier of a user as an expression.
    mutating func head(_ user: UserReference) -> String {
        switch user {
        case .id(let id): bindings.append(.integer(id.rawValue))
        case .either(let text):
            guard let id = UserID(text) else { return head(.named(text)) }
            bindings.append(.integer(id.rawValue))
        case .named(let name):
            bindings.append(.text(TextKey.of(name)))
            return "(SELECT h.id FROM users h WHERE h.name_key = ?)"
        }
        return "CAST(? AS BIGINT)"
    }

    /// The statement for the identifiers of everyone below a user. The recursion follows managers only, because most people have no
    /// reportees. In a damaged database the lines can form a cycle, and the recursion ends nevertheless.
    static func line(_ head: String, hasDepth: Bool, _ form: Form) -> String {
        // PostgreSQL would otherwise read all users for each level, because it does not know how few managers a level has.
        let reportees =
            form == .calling
            ? "CROSS JOIN users m ON m.manager = heads.id"
            : "CROSS JOIN LATERAL (SELECT r.id FROM users r WHERE r.manager = heads.id OFFSET 0) m"
        let isHead = "EXISTS (SELECT 1 FROM users r WHERE r.manager = m.id)"
        guard hasDepth else {
            return """
                WITH RECURSIVE heads (id) AS (SELECT \(head) UNION SELECT m.id FROM heads \(reportees) WHERE \(isHead))
                SELECT m.id AS id FROM heads \(reportees)
                """
        }
        return """
            WITH RECURSIVE heads (id, depth) AS (
                SELECT \(head), 0 UNION SELECT m.id, heads.depth + 1 FROM heads \(reportees)
                WHERE heads.depth + 1 < ? AND \(isHead)
            )
            SELECT m.id AS id FROM heads \(reportees) WHERE heads.depth < ?
            """
    }
}
