extension UserManager {
    /// Observes the result of a search: delivers the present page, then each new page after a change.
    ///
    /// - Parameter search: The search. Each answer costs as much as one search, and every commit costs one answer.
    public func observe(_ search: Search = Search()) -> ObservedAnswers<Page<User>> {
        ObservedAnswers(view, SearchUsers(search: search))
    }

    /// Observes one user: delivers the user as it is now, then each new state after a change. An answer is nil while there
    /// is no such user, for example after the deletion.
    ///
    /// - Parameters:
    ///   - user: The user. A name represents the user who has the name at that moment; use `.id` to follow a user through
    ///     renames.
    ///   - attributes: The attributes to fetch.
    ///   - prefetch: The related users to fetch. A change to one of them is a new answer.
    public func observe(
        user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) -> ObservedAnswers<User?> {
        ObservedAnswers(view, FindUser(user: user.userReference, attributes: attributes, prefetch: prefetch))
    }
}
