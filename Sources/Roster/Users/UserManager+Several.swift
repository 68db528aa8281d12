extension UserManager {
    // MARK: A user who may not exist

    /// Finds a user. Returns nil if there is no such user.
    public func find(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) throws -> User? {
        try view.read(FindUser(user: user.userReference, attributes: attributes, prefetch: prefetch))
    }

    /// Finds a user. Returns nil if there is no such user.
    public func find(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) async throws -> User? {
        try await view.read(FindUser(user: user.userReference, attributes: attributes, prefetch: prefetch))
    }

    /// Whether the user exists.
    public func exists(_ user: some UserReferenceConvertible) throws -> Bool {
        try view.read(UserExists(user: user.userReference))
    }

    /// Whether the user exists.
    public func exists(_ user: some UserReferenceConvertible) async throws -> Bool {
        try await view.read(UserExists(user: user.userReference))
    }

    // MARK: Several

    /// Reads several users from one snapshot. The array has the order of the references, and nil for each user who does not exist.
    ///
    /// - Complexity: One look-up for each.
    public func users(_ users: [UserReference], attributes: AttributeSelection = .usual) throws -> [User?] {
        try view.read(ReadUsers(users: users, attributes: attributes))
    }

    /// Reads several users, as the synchronous form does.
    public func users(_ users: [UserReference], attributes: AttributeSelection = .usual) async throws -> [User?] {
        try await view.read(ReadUsers(users: users, attributes: attributes))
    }

    /// Reads several users who are given by names, by identifiers or as they were read before.
    public func users(
        _ users: [some UserReferenceConvertible], attributes: AttributeSelection = .usual
    ) throws -> [User?] {
        try self.users(users.map(\.userReference), attributes: attributes)
    }

    /// Reads several users, as the synchronous form does.
    public func users(
        _ users: [some UserReferenceConvertible], attributes: AttributeSelection = .usual
    ) async throws -> [User?] {
        try await self.users(users.map(\.userReference), attributes: attributes)
    }

    /// Counts the users that a filter selects.
    ///
    /// - Throws: `invalidFilter`, or `limitExceeded` if it takes too long.
    public func count(matching filter: Filter) throws -> Int {
        try view.read(CountUsers(filter: filter))
    }

    /// Counts the users that a filter selects.
    public func count(matching filter: Filter) async throws -> Int {
        try await view.read(CountUsers(filter: filter))
    }

    /// Iterates over all results of a search. The loop reads each page when it comes to the page, by cursor, so that it neither
    /// skips nor repeats a user who stays and keeps the value that sorts the results.
    ///
    /// ```swift
    /// for try await user in view.users.all(Search(.active)) { print(user.label) }
    /// ```
    ///
    /// Synchronous code goes through the results by ``SearchResults/forEach(_:)``.
    ///
    /// - Parameter search: The search. ``Search/pageSize`` says how many users are read at a time.
    public func all(_ search: Search = Search(pageSize: 500)) -> SearchResults<User> {
        SearchResults(search) {
            try await self.search($0)
        } atOnce: {
            try self.search($0)
        }
    }

    // MARK: Creating or changing

    /// Creates a user. If a user has the name already, sets the attributes of that user.
    ///
    /// - Returns: The user as it is now, and whether it was created.
    /// - Throws: What `create(_:attributes:manager:isActive:)` and
    ///   `modify(_:attributes:ifVersion:)` throw.
    @discardableResult
    public func upsert(_ uid: String, attributes: AttributeSet = [:]) throws -> (user: User, wasCreated: Bool) {
        let answer = try view.change(UpsertUser(uid: uid, attributes: attributes))
        return (answer.user, answer.wasCreated)
    }

    /// Creates a user or changes the user who has the name, as the synchronous form does.
    @discardableResult
    public func upsert(_ uid: String, attributes: AttributeSet = [:]) async throws -> (user: User, wasCreated: Bool) {
        let answer = try await view.change(UpsertUser(uid: uid, attributes: attributes))
        return (answer.user, answer.wasCreated)
    }
}
