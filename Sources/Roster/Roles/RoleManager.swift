/// Reads and changes the roles of a directory with a caller's rights.
///
/// Mirrors Oracle Mobile and Social SDK's `OMRoleManager`, and adds search, nested roles, ownership and the roles of a
/// user. Every operation has a synchronous and an asynchronous form, and throws ``DirectoryError`` or
/// `CancellationError`.
public struct RoleManager: Sendable {
    var view: DirectoryView

    /// Finds a role (`getRoleByName:error:`).
    ///
    /// - Throws: `notFound`.
    public func role(_ role: some RoleReferenceConvertible, attributes: AttributeSelection = .usual) throws -> Role {
        try view.read(ReadRole(role: role.roleReference, attributes: attributes))
    }

    /// Finds a role, as the synchronous form does.
    public func role(
        _ role: some RoleReferenceConvertible, attributes: AttributeSelection = .usual
    ) async throws -> Role {
        try await view.read(ReadRole(role: role.roleReference, attributes: attributes))
    }

    /// Creates a role (`createAsynchronouslyRoleWithAttributes:`).
    ///
    /// - Throws: `alreadyExists`, `invalidName`, `invalidAttribute`, `notPermitted`.
    @discardableResult
    public func create(_ name: String, attributes: AttributeSet = [:]) throws -> Role {
        try view.change(CreateRole(role: name, attributes: attributes))
    }

    /// Creates a role, as the synchronous form does.
    @discardableResult
    public func create(_ name: String, attributes: AttributeSet = [:]) async throws -> Role {
        try await view.change(CreateRole(role: name, attributes: attributes))
    }

    /// Creates a role from attributes, which must include `name`.
    @discardableResult
    public func create(attributes: AttributeSet) throws -> Role {
        try view.change(CreateRoleOfAttributes(attributes: attributes))
    }

    /// Creates a role from attributes, as the synchronous form does.
    @discardableResult
    public func create(attributes: AttributeSet) async throws -> Role {
        try await view.change(CreateRoleOfAttributes(attributes: attributes))
    }

    /// Changes attributes of a role (`modifyAsynchronouslyRole:attributes:`); `name` renames it. Attributes without a
    /// change keep their values. If no value differs, nothing is stored.
    @discardableResult
    public func modify(
        _ role: some RoleReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) throws
        -> Role
    {
        try view.change(ModifyRole(role: role.roleReference, changes: changes, ifVersion: version))
    }

    /// Changes attributes of a role, as the synchronous form does.
    @discardableResult
    public func modify(
        _ role: some RoleReferenceConvertible, _ changes: [AttributeChange], ifVersion version: Int64? = nil
    ) async throws -> Role {
        try await view.change(ModifyRole(role: role.roleReference, changes: changes, ifVersion: version))
    }

    /// Sets attributes of a role; an empty value clears one.
    @discardableResult
    public func modify(_ role: some RoleReferenceConvertible, attributes: AttributeSet) throws -> Role {
        try modify(role, attributes.map { .set($0.name, $0.value) })
    }

    /// Sets attributes of a role, as the synchronous form does.
    @discardableResult
    public func modify(_ role: some RoleReferenceConvertible, attributes: AttributeSet) async throws -> Role {
        try await modify(role, attributes.map { .set($0.name, $0.value) })
    }

    /// Deletes a role (`deleteRoleByName:`). Its members stay, and lose the rights that the role gave them.
    public func delete(_ role: some RoleReferenceConvertible, ifVersion version: Int64? = nil) throws {
        _ = try view.change(DeleteRole(role: role.roleReference, ifVersion: version))
    }

    /// Deletes a role, as the synchronous form does.
    public func delete(_ role: some RoleReferenceConvertible, ifVersion version: Int64? = nil) async throws {
        _ = try await view.change(DeleteRole(role: role.roleReference, ifVersion: version))
    }

    // MARK: Members and owners

    /// Makes users and roles members or owners of a role (`addUserAsynchronouslyToRole:withAttributes:`). Existing
    /// members and owners stay as they are.
    ///
    /// - Throws: `circle` if a role would contain or own itself. Nobody is added then.
    public func add(
        _ subjects: [RoleSubject], to role: some RoleReferenceConvertible, as relation: RoleRelation = .member,
        ifVersion version: Int64? = nil
    ) throws {
        _ = try view.change(
            AddToRole(subjects: subjects, role: role.roleReference, relation: relation, ifVersion: version))
    }

    /// Makes users and roles members or owners of a role, as the synchronous form does.
    public func add(
        _ subjects: [RoleSubject], to role: some RoleReferenceConvertible, as relation: RoleRelation = .member,
        ifVersion version: Int64? = nil
    ) async throws {
        _ = try await view.change(
            AddToRole(subjects: subjects, role: role.roleReference, relation: relation, ifVersion: version))
    }

    /// Ends the direct membership or ownership of users and roles (`deleteMember:fromRole:`).
    ///
    /// - Throws: `notFound` if a subject is not a direct member or owner. Nobody is removed then.
    public func remove(
        _ subjects: [RoleSubject], from role: some RoleReferenceConvertible, as relation: RoleRelation = .member,
        ifVersion version: Int64? = nil
    ) throws {
        _ = try view.change(
            RemoveFromRole(subjects: subjects, role: role.roleReference, relation: relation, ifVersion: version))
    }

    /// Ends the direct membership or ownership of users and roles, as the synchronous form does.
    public func remove(
        _ subjects: [RoleSubject], from role: some RoleReferenceConvertible, as relation: RoleRelation = .member,
        ifVersion version: Int64? = nil
    ) async throws {
        _ = try await view.change(
            RemoveFromRole(subjects: subjects, role: role.roleReference, relation: relation, ifVersion: version))
    }

    /// Reads a member of a role, directly or through nested roles (`getUserInfo:fromRole:error:`).
    ///
    /// - Throws: `notFound` if the user is not a member.
    public func member(
        _ user: some UserReferenceConvertible, of role: some RoleReferenceConvertible,
        attributes: AttributeSelection = .usual
    ) throws
        -> User
    {
        try view.read(ReadMember(user: user.userReference, role: role.roleReference, attributes: attributes))
    }

    /// Reads a member of a role, as the synchronous form does.
    public func member(
        _ user: some UserReferenceConvertible, of role: some RoleReferenceConvertible,
        attributes: AttributeSelection = .usual
    ) async throws -> User {
        try await view.read(ReadMember(user: user.userReference, role: role.roleReference, attributes: attributes))
    }

    /// Whether a user is a member of a role.
    ///
    /// - Parameters:
    ///   - role: The role.
    ///   - user: The user.
    ///   - reach: Whether the members of roles that are nested in the role count too.
    /// - Throws: `notFound` if the role or the user does not exist.
    /// - Complexity: Reads the role, the user, and the roles that are nested in the role or that the user is in, but no list of members.
    public func contains(
        _ role: some RoleReferenceConvertible, _ user: some UserReferenceConvertible, reach: Reach = .effective
    ) throws -> Bool {
        try view.read(RoleContains(role: role.roleReference, user: user.userReference, reach: reach))
    }

    /// Whether a user is a member of a role, as the synchronous form tells it.
    public func contains(
        _ role: some RoleReferenceConvertible, _ user: some UserReferenceConvertible, reach: Reach = .effective
    ) async throws -> Bool {
        try await view.read(RoleContains(role: role.roleReference, user: user.userReference, reach: reach))
    }

    /// The users who are members or owners of a role, in the order of creation (`getRoleMembers:`).
    ///
    /// - Parameters:
    ///   - role: The role.
    ///   - relation: Members or owners.
    ///   - reach: Whether to follow nested roles.
    ///   - attributes: The attributes to fetch; ``AttributeSelection/usual`` by default.
    ///   - limit: The largest number of users to return, 1 to 10,000; nil for all of them.
    ///   - last: The last user of the previous page; nil for the first page.
    public func users(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .effective,
        attributes: AttributeSelection = .usual, limit: Int? = nil, after last: UserID? = nil
    ) throws -> [User] {
        try view.read(
            ReadRoleUsers(
                role: role.roleReference, relation: relation, reach: reach, attributes: attributes, limit: limit,
                after: last))
    }

    /// The users who are members or owners of a role, as the synchronous form does.
    public func users(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .effective,
        attributes: AttributeSelection = .usual, limit: Int? = nil, after last: UserID? = nil
    ) async throws -> [User] {
        try await view.read(
            ReadRoleUsers(
                role: role.roleReference, relation: relation, reach: reach, attributes: attributes, limit: limit,
                after: last))
    }

    /// Counts the users who are members or owners of a role.
    public func userCount(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .effective
    )
        throws -> Int
    { try view.read(CountRoleUsers(role: role.roleReference, relation: relation, reach: reach)) }

    /// Counts the users who are members or owners of a role.
    public func userCount(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .effective
    )
        async throws -> Int
    { try await view.read(CountRoleUsers(role: role.roleReference, relation: relation, reach: reach)) }

    /// The roles that are members or owners of a role.
    public func roles(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .direct,
        limit: Int? = nil,
        after last: RoleID? = nil
    ) throws -> [Role] {
        try view.read(
            ReadNestedRoles(role: role.roleReference, relation: relation, reach: reach, limit: limit, after: last))
    }

    /// The roles that are members or owners of a role.
    public func roles(
        of role: some RoleReferenceConvertible, as relation: RoleRelation = .member, reach: Reach = .direct,
        limit: Int? = nil,
        after last: RoleID? = nil
    ) async throws -> [Role] {
        try await view.read(
            ReadNestedRoles(role: role.roleReference, relation: relation, reach: reach, limit: limit, after: last))
    }

    /// The roles that a user or a role is a member (memberOf) or an owner (ownerOf) of.
    public func roles(
        having subject: RoleSubject, as relation: RoleRelation = .member, reach: Reach = .effective,
        limit: Int? = nil, after last: RoleID? = nil
    ) throws -> [Role] {
        try view.read(ReadRolesHaving(subject: subject, relation: relation, reach: reach, limit: limit, after: last))
    }

    /// The roles that a user or a role is a member (memberOf) or an owner (ownerOf) of.
    public func roles(
        having subject: RoleSubject, as relation: RoleRelation = .member, reach: Reach = .effective,
        limit: Int? = nil, after last: RoleID? = nil
    ) async throws -> [Role] {
        try await view.read(
            ReadRolesHaving(subject: subject, relation: relation, reach: reach, limit: limit, after: last))
    }
}
