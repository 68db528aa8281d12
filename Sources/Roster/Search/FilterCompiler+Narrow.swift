import RosterStore

/// The conditions that limit a search to what a reading program sees; see ``NarrowView``.
extension FilterCompiler {
    /// Makes the condition on the rows of a search: the condition of the filter and, for a reading program, that the program sees the row.
    mutating func rows(_ filter: Filter) throws -> String {
        let condition = try condition(filter)
        guard let narrow = rights.narrowView, let visible = visible(narrow) else { return condition }
        return condition == "TRUE" ? visible : "(\(condition)) AND \(visible)"
    }

    /// Makes the condition that a reading program sees a row; returns nil if the program sees all rows.
    private mutating func visible(_ narrow: NarrowView) -> String? {
        if entity == .role, !narrow.showsRoles { return "FALSE" }
        guard let roles = visibleRoles() else { return nil }
        return entity == .user ? isMember(of: roles) : "u.id IN (\(roles))"
    }

    /// Makes the statement for the role of a reading program's narrow view and the roles nested in that role; returns nil for callers
    /// without such a role.
    mutating func visibleRoles() -> String? {
        guard let role = rights.narrowView?.role else { return nil }
        bindings.append(.integer(role.rawValue))
        return RoleStatements.rolesInside("VALUES (CAST(? AS BIGINT))")
    }
}
