import RosterStore

/// Reads and changes the users of a directory with a caller's rights.
///
/// Mirrors Oracle Mobile and Social SDK's `OMUserManager`. Every operation has a synchronous and an asynchronous form;
/// the compiler picks the asynchronous one in an asynchronous context. For cancellable handles, see
/// ``searchAsynchronously(_:isSimpleSearch:attributes:pageSize:pagePosition:prefetch:deliveringOn:delegate:completion:)`` and its
/// siblings, and ``AsyncOperationHandle/init(deliveringOn:operation:completion:)`` for all other operations.
///
/// Every operation throws ``DirectoryError`` or `CancellationError`.
public struct UserManager: Sendable {
    var view: DirectoryView

    // MARK: Reading

    /// Finds a user (`searchUser:attributes:shouldPreFetch:error:`).
    ///
    /// - Parameters:
    ///   - user: The user's name or identifier. Case, width and composition of a name do not matter.
    ///   - attributes: The attributes to fetch. An empty list fetches all except the roles (`memberOf`) and large
    ///     ones such as `photo`.
    ///   - prefetch: The related users to fetch.
    /// - Throws: `notFound`.
    /// - Complexity: Some microseconds for any size of the directory.
    public func user(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) throws -> User {
        try view.read(ReadUser(user.userReference, attributes, prefetch))
    }

    /// Finds a user, as the synchronous form does.
    public func user(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = []
    ) async throws -> User {
        try await view.read(ReadUser(user.userReference, attributes, prefetch))
    }

    /// Counts the users.
    public func count() throws -> Int {
        try view.read(CountUsers(filter: .everything))
    }
    /// Counts the users.
    public func count() async throws -> Int {
        try await view.read(CountUsers(filter: .everything))
    }

    // MARK: Changing

    /// Creates a user (`createUserWithAttributes:`).
    ///
    /// - Parameters:
    ///   - uid: The name, which must be free.
    ///   - attributes: The initial attributes.
    ///   - manager: The user's manager.
    ///   - isActive: `false` creates a disabled account.
    /// - Throws: `alreadyExists`, `invalidName`, `invalidAttribute`, `notFound` (the manager), `notPermitted`.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true
    ) throws -> User {
        let new = NewUser(uid, attributes: attributes, manager: manager, isActive: isActive)
        return try view.change(CreateUser(user: new))
    }

    /// Creates a user, as the synchronous form does.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true
    ) async throws -> User {
        let new = NewUser(uid, attributes: attributes, manager: manager, isActive: isActive)
        return try await view.change(CreateUser(user: new))
    }

    /// Creates a user who has a manager from the start.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: some UserReferenceConvertible, isActive: Bool = true
    ) throws -> User {
        try create(uid, attributes: attributes, manager: Optional(manager.userReference), isActive: isActive)
    }

    /// Creates a user who has a manager from the start, as the synchronous form does.
    @discardableResult
    public func create(
        _ uid: String, attributes: AttributeSet = [:], manager: some UserReferenceConvertible, isActive: Bool = true
    ) async throws -> User {
        try await create(uid, attributes: attributes, manager: Optional(manager.userReference), isActive: isActive)
    }

    /// Creates a user from attributes, which must include `uid` (`createUserWithAttributes:`). They can include
    /// `active` and `manager` (a name or an identifier).
    @discardableResult
    public func create(attributes: AttributeSet) throws -> User {
        try view.change(CreateUserOfAttributes(attributes: attributes))
    }

    /// Creates a user from attributes, as the synchronous form does.
    @discardableResult
    public func create(attributes: AttributeSet) async throws -> User {
        try await view.change(CreateUserOfAttributes(attributes: attributes))
    }

    /// Changes attributes of a user (`modifyAsynchronouslyUser:attributes:`). Attributes without a change keep their
    /// values. If no value differs, nothing is stored and the version stays.
    ///
    /// - Parameters:
    ///   - user: The user to change.
    ///   - changes: The changes, applied in this order. After an error none of them is kept.
    ///   - version: The version that the change is based on; nil skips the check.
    /// - Returns: The changed user.
    /// - Throws: `notFound`, `versionConflict`, `alreadyExists`, `circle` (a reporting cycle), `invalidAttribute`,
    ///   `notPermitted`.
    @discardableResult
    public func modify(
        _ user: some UserReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) throws -> User {
        try view.change(ModifyUser(user: user.userReference, changes: changes, ifVersion: version))
    }

    /// Changes attributes of a user, as the synchronous form does.
    @discardableResult
    public func modify(
        _ user: some UserReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) async throws -> User {
        try await view.change(ModifyUser(user: user.userReference, changes: changes, ifVersion: version))
    }

    /// Sets attributes of a user; an empty value clears one.
    @discardableResult
    public func modify(
        _ user: some UserReferenceConvertible, attributes: AttributeSet, ifVersion version: Int64? = nil
    ) throws -> User {
        try modify(user, attributes.map { .set($0.name, $0.value) }, ifVersion: version)
    }

    /// Sets attributes of a user, as the synchronous form does.
    @discardableResult
    public func modify(
        _ user: some UserReferenceConvertible, attributes: AttributeSet, ifVersion version: Int64? = nil
    ) async throws -> User {
        try await modify(user, attributes.map { .set($0.name, $0.value) }, ifVersion: version)
    }

    /// Deletes a user with all memberships and ownerships (`deleteUser:`).
    ///
    /// - Parameters:
    ///   - user: The user to delete.
    ///   - reportees: The rule for the user's reportees.
    ///   - version: The version that the decision is based on; nil skips the check.
    ///   - erasing: Whether to remove the user's values from the change feed as well, as `erase(_:)`
    ///     does.
    /// - Throws: `notFound`, `versionConflict`, `hasReportees`, `notPermitted`.
    public func delete(
        _ user: some UserReferenceConvertible, reportees: ReporteePolicy = .refuse, ifVersion version: Int64? = nil,
        erasing: Bool = false
    ) throws {
        _ = try view.change(
            DeleteUser(user: user.userReference, reportees: reportees, ifVersion: version, isErasing: erasing))
    }

    /// Deletes a user, as the synchronous form does.
    public func delete(
        _ user: some UserReferenceConvertible, reportees: ReporteePolicy = .refuse, ifVersion version: Int64? = nil,
        erasing: Bool = false
    ) async throws {
        _ = try await view.change(
            DeleteUser(user: user.userReference, reportees: reportees, ifVersion: version, isErasing: erasing))
    }
}

/// The description of a user to create.
public struct NewUser: Sendable, Hashable, Codable {
    /// The user's name.
    public var uid: String
    /// The initial attributes.
    public var attributes: AttributeSet
    /// The user's manager.
    public var manager: UserReference?
    /// Whether the account starts enabled.
    public var isActive: Bool
    /// Whether an identity provider named the user. Such a name contains the provider's address, as Sync Gateway writes the name, so
    /// that no path of an address can carry the name.
    package var isNamedByProvider = false

    private enum CodingKeys: CodingKey {
        case uid, attributes, manager, isActive
    }

    /// Describes a user to create.
    public init(_ uid: String, attributes: AttributeSet = [:], manager: UserReference? = nil, isActive: Bool = true) {
        self.uid = uid
        self.attributes = attributes
        self.manager = manager
        self.isActive = isActive
    }

    /// Describes a user to create who has a manager from the start.
    public init(
        _ uid: String, attributes: AttributeSet = [:], manager: some UserReferenceConvertible, isActive: Bool = true
    ) {
        self.init(uid, attributes: attributes, manager: Optional(manager.userReference), isActive: isActive)
    }

    /// Moves `uid`, `active` and `manager` from the attributes to their own properties.
    package init(attributes: AttributeSet, _ vocabulary: Vocabulary) throws {
        let attributes = attributes.withOwnNames(in: vocabulary, .user)
        guard let uid = attributes["uid"]?.text else {
            throw DirectoryError(
                .invalidAttribute, "A user needs a name.", advice: "Give the attribute 'uid'.", attribute: "uid")
        }
        self.init(uid, attributes: attributes)
        isActive = try attributes["active"].map(TransactionUsers.boolean) ?? true
        manager = attributes["manager"]?.text.map { .either($0) }
        for name in ["uid", "active", "manager"] as [AttributeName] { self.attributes[name] = nil }
    }
}

/// The rule for the reportees of a deleted user.
public enum ReporteePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Refuses the deletion of a user with reportees.
    case refuse
    /// Assigns the reportees to the deleted user's manager. They have no manager if the user had none.
    case reassign
    /// Leaves the reportees without a manager.
    case leave
}
