import RosterStore

/// The users of a directory, as a caller may see and change them.
///
/// Mirrors `OMUserManager`, with what it lacks. Every operation comes synchronous and with `await`; in an asynchronous
/// context the compiler takes the latter. As a handle that can be cancelled, see ``searchAsynchronously(_:isSimpleSearch:attributes:pageSize:pagePosition:deliveringOn:completion:)``
/// and its siblings, and ``AsyncOperationHandle/init(deliveringOn:operation:completion:)`` for all others.
///
/// Every operation throws ``DirectoryError`` or `CancellationError`.
public struct UserManager: Sendable {
    let view: DirectoryView

    // MARK: Reading

    /// The user of a name (`searchUser:attributes:shouldPreFetch:error:`).
    ///
    /// - Parameters:
    ///   - name: The user's name; case, width and composition do not matter.
    ///   - attributes: Which to fetch; none for the usual ones, which are all but large ones such as `photo`, and the roles
    ///     (`memberOf`).
    ///   - prefetch: Whom to fetch along.
    /// - Throws: `notFound`.
    /// - Complexity: Some microseconds, whatever the size of the directory.
    public func user(_ name: String, attributes: [AttributeName] = [], prefetch: Prefetch = []) throws -> User {
        try view.read { try $0.user(.named(name), attributes, prefetch) }
    }

    /// The user of a name, as the synchronous form does.
    public func user(_ name: String, attributes: [AttributeName] = [], prefetch: Prefetch = []) async throws -> User {
        try await view.awaitRead(isBrief: prefetch.isEmpty) { try $0.user(.named(name), attributes, prefetch) }
    }

    /// The user that is meant, by name or by identifier.
    public func user(
        _ user: UserReference, attributes: [AttributeName] = [], prefetch: Prefetch = []
    ) throws -> User {
        try view.read { try $0.user(user, attributes, prefetch) }
    }

    /// The user that is meant, as the synchronous form does.
    public func user(
        _ user: UserReference, attributes: [AttributeName] = [], prefetch: Prefetch = []
    ) async throws -> User {
        try await view.awaitRead(isBrief: prefetch.isEmpty) { try $0.user(user, attributes, prefetch) }
    }

    /// How many users there are.
    public func count() throws -> Int {
        try view.read(isBrief: false) { try $0.total(SearchPlan(.everything, of: .user, $0)) }
    }
    /// How many users there are.
    public func count() async throws -> Int {
        try await view.awaitRead { try $0.total(SearchPlan(.everything, of: .user, $0)) }
    }

    // MARK: Changing

    /// Creates a user (`createUserWithAttributes:`).
    ///
    /// - Parameters:
    ///   - uid: The name, which nobody may have yet.
    ///   - attributes: The attributes to begin with.
    ///   - manager: Whom the user reports to.
    ///   - isActive: False to create the account disabled.
    /// - Throws: `alreadyExists`, `invalidName`, `invalidAttribute`, `notFound` (the manager), `notPermitted`.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true
    ) throws -> User {
        let new = NewUser(uid, attributes: attributes, manager: manager, isActive: isActive)
        return try view.write { try $0.create(new) }
    }

    /// Creates a user, as the synchronous form does.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true
    ) async throws -> User {
        let new = NewUser(uid, attributes: attributes, manager: manager, isActive: isActive)
        return try await view.awaitWrite { try $0.create(new) }
    }

    /// Creates a user of attributes alone, `uid` among them (`createUserWithAttributes:`). `active` and `manager` (a
    /// name or an identifier) may be among them too.
    @discardableResult
    public func create(attributes: AttributeSet) throws -> User {
        try view.write { try $0.create(NewUser(attributes: attributes)) }
    }

    /// Creates a user of attributes alone, as the synchronous form does.
    @discardableResult
    public func create(attributes: AttributeSet) async throws -> User {
        try await view.awaitWrite { try $0.create(NewUser(attributes: attributes)) }
    }

    /// Changes attributes of a user (`modifyAsynchronouslyUser:attributes:`). Only what is named changes; where
    /// nothing would, nothing is written and the version stays.
    ///
    /// - Parameters:
    ///   - user: Who is changed.
    ///   - changes: What is changed, in this order. All of it or, on an error, nothing.
    ///   - version: The version that the change is based on; nil to change whatever is there.
    /// - Returns: The user as it is now.
    /// - Throws: `notFound`, `versionConflict`, `alreadyExists`, `circle`, `invalidAttribute`, `notPermitted`.
    @discardableResult
    public func modify(
        _ user: UserReference, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) throws -> User {
        try view.write { try $0.modify(user, changes, ifVersion: version) }
    }

    /// Changes attributes of a user, as the synchronous form does.
    @discardableResult
    public func modify(
        _ user: UserReference, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) async throws -> User {
        try await view.awaitWrite { try $0.modify(user, changes, ifVersion: version) }
    }

    /// Sets attributes of a user; an empty value clears one.
    @discardableResult
    public func modify(
        _ user: UserReference, attributes: AttributeSet, ifVersion version: Int64? = nil
    ) throws -> User {
        try modify(user, attributes.map { .set($0.name, $0.value) }, ifVersion: version)
    }

    /// Sets attributes of a user, as the synchronous form does.
    @discardableResult
    public func modify(
        _ user: UserReference, attributes: AttributeSet, ifVersion version: Int64? = nil
    ) async throws -> User {
        try await modify(user, attributes.map { .set($0.name, $0.value) }, ifVersion: version)
    }

    /// Deletes a user, with their memberships and ownerships (`deleteUser:`).
    ///
    /// - Parameters:
    ///   - user: Who is deleted.
    ///   - reportees: What becomes of those who report to the user.
    ///   - version: The version that the decision is based on; nil to delete whatever is there.
    ///   - erasing: Whether the user's values leave the change feed as well, as ``erase(_:)-([UserID])`` does it.
    /// - Throws: `notFound`, `versionConflict`, `hasReportees`, `notPermitted`.
    public func delete(
        _ user: UserReference, reportees: ReporteePolicy = .refuse, ifVersion version: Int64? = nil,
        erasing: Bool = false
    ) throws {
        try view.write { try $0.delete(user, reportees, ifVersion: version, erasing: erasing) }
        if erasing { try view.core.store.rewrite() }
    }

    /// Deletes a user, as the synchronous form does.
    public func delete(
        _ user: UserReference, reportees: ReporteePolicy = .refuse, ifVersion version: Int64? = nil,
        erasing: Bool = false
    ) async throws {
        try await view.awaitWrite { try $0.delete(user, reportees, ifVersion: version, erasing: erasing) }
        if erasing { try await view.core.store.awaitRewrite() }
    }
}

/// A user to be created.
public struct NewUser: Sendable, Hashable {
    /// The name.
    public var uid: String
    /// The attributes to begin with.
    public var attributes: AttributeSet
    /// Whom the user reports to.
    public var manager: UserReference?
    /// False to create the account disabled.
    public var isActive: Bool

    /// Describes a user to be created.
    public init(_ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true) {
        self.uid = uid
        self.attributes = attributes
        self.manager = manager
        self.isActive = isActive
    }

    /// Takes `uid`, `active` and `manager` out of the attributes.
    package init(attributes: AttributeSet) throws {
        guard let uid = attributes["uid"]?.text else {
            throw DirectoryError(
                .invalidAttribute, "A user needs a name.", advice: "Give the attribute 'uid'.", attribute: "uid")
        }
        self.init(uid, attributes: attributes)
        isActive = try attributes["active"].map(Transaction.boolean) ?? true
        manager = attributes["manager"]?.text.map { .either($0) }
        for name in ["uid", "active", "manager"] as [AttributeName] { self.attributes[name] = nil }
    }
}

/// What becomes of those who report to a user who is deleted.
public enum ReporteePolicy: String, Sendable, Hashable, CaseIterable {
    /// The user is not deleted while somebody reports to them.
    case refuse
    /// They report to the deleted user's manager, or to nobody where there is none.
    case reassign
    /// They report to nobody.
    case leave
}
