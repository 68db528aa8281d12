extension UserManager {
    /// Creates many users in one transaction: all of them, or none after an error.
    ///
    /// Managers must precede their reportees in `people`. In an empty directory this is many times faster than creating
    /// users one by one, because the indexes are created at the end.
    ///
    /// - Parameters:
    ///   - people: The users to create. The sequence is iterated once, or again after another change in the same
    ///     commit was interrupted. Memory use does not grow with its length. The sequence must not call the directory
    ///     it is loaded into: a change, and for a directory in memory any call, throws `reentrantCall`.
    ///   - progress: Called occasionally with the number of created users. It must not call the directory either.
    /// - Returns: The number of created users.
    /// - Throws: The errors of `create(_:attributes:manager:isActive:)`.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> Int {
        try view.write { try UserLoading.load(people, as: $0.asEditor(to: "create users"), progress) }
    }

    /// Creates many users in one transaction, as the synchronous form does.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> Int {
        try await view.awaitWrite { try UserLoading.load(people, as: $0.asEditor(to: "create users"), progress) }
    }
}
