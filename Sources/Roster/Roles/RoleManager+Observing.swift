extension RoleManager {
    /// Observes the result of a search, as ``UserManager/observe(_:)`` does for users.
    public func observe(_ search: Search = Search()) -> ObservedAnswers<Page<Role>> {
        ObservedAnswers(view, SearchRoles(search: search))
    }

    /// Observes one role, as ``UserManager/observe(user:attributes:prefetch:)`` does for a user. A new member or owner
    /// changes ``Role/version``, and so is a new answer.
    public func observe(role: some RoleReferenceConvertible, attributes: AttributeSelection = .usual)
        -> ObservedAnswers<Role?>
    {
        ObservedAnswers(view, FindRole(role: role.roleReference, attributes: attributes))
    }
}
