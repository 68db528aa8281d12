extension UserManager {
    // MARK: One who may not be there

    /// The user that is meant, or nil where there is none.
    public func find(
        _ user: UserReference, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) throws -> User? {
        try view.read { try $0.found(user, attributes, prefetch) }
    }

    /// The user that is meant, or nil where there is none.
    public func find(
        _ user: UserReference, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) async throws -> User? {
        try await view.awaitRead(isBrief: prefetch.isEmpty) { try $0.found(user, attributes, prefetch) }
    }

    /// Whether there is such a user.
    public func exists(_ user: UserReference) throws -> Bool { try view.read { try $0.findID(of: user) != nil } }

    /// Whether there is such a user.
    public func exists(_ user: UserReference) async throws -> Bool {
        try await view.awaitRead(isBrief: true) { try $0.findID(of: user) != nil }
    }

    // MARK: Several

    /// The users that are meant, from one snapshot, in the order in which they are named; nil for one that is not there.
    ///
    /// - Complexity: One look-up for each.
    public func users(_ users: [UserReference], attributes: AttributeSelection = .usual) throws -> [User?] {
        try view.read(isBrief: false) { transaction in try users.map { try transaction.found($0, attributes, []) } }
    }

    /// The users that are meant, as the synchronous form does.
    public func users(_ users: [UserReference], attributes: AttributeSelection = .usual) async throws -> [User?] {
        try await view.awaitRead { transaction in try users.map { try transaction.found($0, attributes, []) } }
    }

    /// How many users a filter selects.
    ///
    /// - Throws: `invalidFilter`, or `limitExceeded` if it takes too long.
    public func count(matching filter: Filter) throws -> Int {
        try view.read(isBrief: false) { try $0.total(SearchPlan(filter, of: .user, $0)) }
    }

    /// How many users a filter selects.
    public func count(matching filter: Filter) async throws -> Int {
        try await view.awaitRead { try $0.total(SearchPlan(filter, of: .user, $0)) }
    }

    /// All results of a search, page after page. Each page is read when the loop comes to it, by cursor: a user who stays and
    /// keeps the value that sorts is neither left out nor repeated, whatever others write meanwhile.
    ///
    /// ```swift
    /// for try await user in view.users.all(Search(.active)) { print(user.label) }
    /// ```
    ///
    /// - Parameter search: The search. ``Search/pageSize`` says how many users are read at a time.
    public func all(_ search: Search = Search(pageSize: 500)) -> SearchResults<User> {
        SearchResults(search) { try await self.search($0) }
    }

    // MARK: Creating or changing

    /// Creates a user or, where there is one of that name, sets the attributes of that one.
    ///
    /// - Returns: The user as it is now, and whether it was created.
    /// - Throws: What ``create(_:attributes:manager:isActive:)-(String,_,_,_)`` and
    ///   ``modify(_:attributes:ifVersion:)-(UserReference,AttributeSet,_)`` throw.
    @discardableResult
    public func upsert(_ uid: String, attributes: AttributeSet = [:]) throws -> (user: User, wasCreated: Bool) {
        try view.write { try $0.upsert(uid, attributes) }
    }

    /// Creates a user or sets the attributes of the one of that name, as the synchronous form does.
    @discardableResult
    public func upsert(_ uid: String, attributes: AttributeSet = [:]) async throws -> (user: User, wasCreated: Bool) {
        try await view.awaitWrite { try $0.upsert(uid, attributes) }
    }
}

extension Transaction {
    fileprivate func found(
        _ reference: UserReference, _ attributes: AttributeSelection, _ prefetch: Prefetch
    ) throws -> User? {
        let selection = try Selection(attributes, of: .user, vocabulary)
        guard var user = try find(reference) else { return nil }
        try present(&user, selection)
        if !prefetch.isEmpty { try self.prefetch(prefetch, for: &user, selection) }
        return user
    }

    fileprivate func upsert(_ uid: String, _ attributes: AttributeSet) throws -> (user: User, wasCreated: Bool) {
        if let old = try findID(of: .named(uid)) {
            return (try modify(.id(old), attributes.map { .set($0.name, $0.value) }, ifVersion: nil), false)
        }
        var attributes = attributes
        attributes[.uid] = .string(uid)
        return (try create(NewUser(attributes: attributes, vocabulary)), true)
    }
}
