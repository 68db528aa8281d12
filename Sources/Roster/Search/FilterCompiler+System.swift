import RosterStore
import RosterText

/// Compiles conditions on values outside of the record: columns, memberships, and the identifiers of clients.
extension FilterCompiler {
    /// The condition on a value outside of the record; nil if the attribute is in the record.
    mutating func system(
        _ definition: AttributeDefinition, _ comparison: Filter.Comparison, _ value: AttributeValue
    ) throws -> String? {
        switch definition.name {
        case "active":
            bindings.append(.integer(try TransactionUsers.boolean(value) ? 1 : 0))
            guard comparison == .equal else { throw incomparable(definition, comparison) }
            return "u.active = ?"
        case "created", "modified", "version":
            guard case .integer = value.operandKey(isCaseExact: true) else {
                throw incomparable(definition, comparison)
            }
            try checkComparable(definition, comparison, value.operandKey(isCaseExact: true))
            return text(column(definition.name.rawValue), comparison, value.operandKey(isCaseExact: true))
        case "id":
            guard comparison == .equal else { throw incomparable(definition, comparison) }
            bindings.append(.integer(UserID(value.text ?? "")?.rawValue ?? 0))
            return "\(column("id")) = ?"
        case "manager":
            guard comparison == .equal, let text = value.text else { throw incomparable(definition, comparison) }
            bindings += [.text(TextKey.of(text)), .integer(UserID(text)?.rawValue ?? 0)]
            return "\(column("manager")) \(Self.isManager)"
        case "memberOf":
            return try memberOf(.compare(AttributePath("value"), comparison, value), .direct)
        case "members":
            guard comparison == .equal else { throw incomparable(definition, comparison) }
            let id = Binding.integer(UserID(value.text ?? "")?.rawValue ?? 0)
            bindings += [id, id]
            return """
                u.id IN (SELECT role FROM role_member_user WHERE member = ? UNION ALL \
                SELECT role FROM role_member_role WHERE member = ?)
                """
        case "externalId":
            guard case .text = value.operandKey(isCaseExact: true) else { throw incomparable(definition, comparison) }
            return externalID { $0.text("x.value", comparison, value.operandKey(isCaseExact: true)) }
        default: return nil
        }
    }

    /// A condition on the identifier that the calling client has for a user or role.
    mutating func externalID(_ condition: (inout FilterCompiler) -> String) -> String {
        bindings.append(.text(rights.client ?? ""))
        if checksRows {
            return "EXISTS (\(AccessStatements.subjects) AND \(condition(&self)) AND x.subject = u.id)"
        }
        return "u.id IN (\(AccessStatements.subjects) AND \(condition(&self)))"
    }

    /// The comparison of a manager with the user of a name or an identifier, the two parameters.
    static let isManager = "= coalesce((SELECT m.id FROM users m WHERE m.name_key = ?), CAST(? AS BIGINT))"

    func incomparable(_ definition: AttributeDefinition, _ comparison: Filter.Comparison) -> DirectoryError {
        DirectoryError(
            .invalidFilter, "'\(definition.name)' cannot be compared by '\(comparison.rawValue)' with that value.",
            attribute: definition.name)
    }

    /// The condition that a user is a member of one of the roles that a filter selects.
    mutating func memberOf(_ filter: Filter, _ reach: Reach) throws -> String {
        isMember(of: try roles(filter, reach))
    }

    /// Makes the condition that a user is a direct member of one of the roles that the statement `roles` selects.
    func isMember(of roles: String) -> String {
        // SQL lists the roles once, and looks up the few memberships of each user. A list of all members could be long.
        if checksRows {
            return "EXISTS (SELECT 1 FROM role_member_user m WHERE m.member = u.id AND m.role IN (\(roles)))"
        }
        return "u.id IN (SELECT m.member FROM role_member_user m WHERE m.role IN (\(roles)))"
    }

    /// The statement for the roles whose direct members are the members of the roles that a filter selects.
    mutating func roles(_ filter: Filter, _ reach: Reach) throws -> String {
        var roles = "SELECT r.id FROM role r WHERE \(try roleCondition(filter))"
        if let visible = visibleRoles() { roles += " AND r.id IN (\(visible))" }
        return reach == .direct ? roles : RoleStatements.rolesInside(roles)
    }

    /// A condition on the role `r` by its name or its identifier.
    mutating func roleCondition(_ filter: Filter, depth: Int = 0) throws -> String {
        guard depth <= Filter.maximumDepth else {
            throw DirectoryError(.invalidFilter, "The filter is nested too deep.", advice: "Make it simpler.")
        }
        switch filter {
        case .everything, .present: return "TRUE"
        case .and(let filters):
            return Self.joined(try filters.map { try roleCondition($0, depth: depth + 1) }[...], "AND", empty: "TRUE")
        case .or(let filters):
            return Self.joined(try filters.map { try roleCondition($0, depth: depth + 1) }[...], "OR", empty: "FALSE")
        case .not(let filter): return "((\(try roleCondition(filter, depth: depth + 1))) IS NOT TRUE)"
        case .element, .below: throw DirectoryError(.invalidFilter, "A role's name has no parts.")
        case .compare(let path, .notEqual, let value):
            return "((\(try roleCondition(.compare(path, .equal, value), depth: depth + 1))) IS NOT TRUE)"
        case .compare(_, let comparison, let value):
            comparisons += 1
            guard let name = value.text, comparisons <= Filter.maximumComparisons else {
                throw DirectoryError(.invalidFilter, "'memberOf' is compared with the name or identifier of a role.")
            }
            let condition = keyed("r.name_key", comparison, FoldedText.of(name))
            guard comparison == .equal, let id = RoleID(name) else { return condition }
            bindings.append(.integer(id.rawValue))
            return "(\(condition) OR r.id = ?)"
        }
    }
}
