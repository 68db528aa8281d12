/// Carries a call of `role(_:attributes:)` of ``RoleManager``.
struct ReadRole: ReadOperation {
    static let name = "role"
    static let isNarrow = true
    let role: RoleReference
    let attributes: AttributeSelection
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Role { try transaction.roles.role(role, attributes) }
}

/// Carries a call of `find(_:attributes:)` of ``RoleManager``.
struct FindRole: ReadOperation {
    static let name = "findRole"
    static let isNarrow = true
    let role: RoleReference
    let attributes: AttributeSelection
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Role? { try transaction.roles.found(role, attributes) }
}

/// Carries a call of `count(matching:)` of ``RoleManager``.
struct CountRoles: ReadOperation {
    static let name = "countRoles"
    static let isNarrow = true
    let filter: Filter

    func run(in transaction: Transaction) throws -> Int {
        try transaction.search.total(SearchQuery(filter, of: .role, transaction))
    }
}

/// Carries a call of `search(_:)` of ``RoleManager``.
struct SearchRoles: ReadOperation {
    static let name = "searchRoles"
    static let isNarrow = true
    let search: Search

    func run(in transaction: Transaction) throws -> Page<Role> { try transaction.search.roles(search) }
}

/// Carries a call of `create(_:attributes:)` of ``RoleManager``.
struct CreateRole: ChangeOperation {
    static let name = "createRole"
    let role: String
    let attributes: AttributeSet

    func run(in transaction: Transaction) throws -> Role {
        try transaction.asProvisioning(to: "create roles").roles.create(role, attributes)
    }
}

/// Carries a call of `create(attributes:)` of ``RoleManager``.
struct CreateRoleOfAttributes: ChangeOperation {
    static let name = "createRoleOfAttributes"
    let attributes: AttributeSet

    func run(in transaction: Transaction) throws -> Role {
        try transaction.asProvisioning(to: "create roles").roles.create(attributes)
    }
}

/// Carries a call of `modify(_:_:ifVersion:)` of ``RoleManager``.
struct ModifyRole: ChangeOperation {
    static let name = "modifyRole"
    let role: RoleReference
    let changes: [AttributeChange]
    let ifVersion: Int64?

    func prepared() -> ModifyRole {
        ModifyRole(role: role, changes: changes.map(\.withoutRepetitions), ifVersion: ifVersion)
    }

    func run(in transaction: Transaction) throws -> Role {
        try transaction.asProvisioning(to: "modify roles").roles.modify(role, changes, ifVersion: ifVersion)
    }
}

/// Carries a call of `delete(_:ifVersion:)` of ``RoleManager``.
struct DeleteRole: ChangeOperation {
    static let name = "deleteRole"
    let role: RoleReference
    let ifVersion: Int64?

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asProvisioning(to: "delete roles").roles.delete(role, ifVersion: ifVersion)
        return Nothing()
    }
}

/// Carries a call of `add(_:to:as:ifVersion:)` of ``RoleManager``.
struct AddToRole: ChangeOperation {
    static let name = "addToRole"
    let subjects: [RoleSubject]
    let role: RoleReference
    let relation: RoleRelation
    let ifVersion: Int64?

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asRoleOwner(of: role, changing: relation, ifVersion: ifVersion).add(subjects)
        return Nothing()
    }
}

/// Carries a call of `remove(_:from:as:ifVersion:)` of ``RoleManager``.
struct RemoveFromRole: ChangeOperation {
    static let name = "removeFromRole"
    let subjects: [RoleSubject]
    let role: RoleReference
    let relation: RoleRelation
    let ifVersion: Int64?

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asRoleOwner(of: role, changing: relation, ifVersion: ifVersion).remove(subjects)
        return Nothing()
    }
}

/// Carries a call of `power(of:)` of ``RoleManager``.
struct ReadPower: ReadOperation {
    static let name = "power"
    let role: RoleReference
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Power? { try transaction.access.power(of: role) }
}

/// Carries a call of `setPower(_:of:)` of ``RoleManager``.
struct SetPower: ChangeOperation {
    static let name = "setPower"
    let power: Power?
    let role: RoleReference

    func run(in transaction: Transaction) throws -> Role {
        try transaction.asPresentAdministrator(to: "set the powers of roles").powers.set(power, of: role)
    }
}

/// Carries a call of `member(_:of:attributes:)` of ``RoleManager``.
struct ReadMember: ReadOperation {
    static let name = "member"
    static let isNarrow = true
    let user: UserReference
    let role: RoleReference
    let attributes: AttributeSelection

    func run(in transaction: Transaction) throws -> User { try transaction.roles.member(user, of: role, attributes) }
}

/// Carries a call of `contains(_:_:reach:)` of ``RoleManager``.
struct RoleContains: ReadOperation {
    static let name = "roleContains"
    static let isNarrow = true
    let role: RoleReference
    let user: UserReference
    let reach: Reach
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Bool { try transaction.roles.contains(role, user, reach) }
}

/// Carries a call of `users(of:as:reach:attributes:limit:after:)` of ``RoleManager``.
struct ReadRoleUsers: ReadOperation {
    static let name = "roleUsers"
    static let isNarrow = true
    let role: RoleReference
    let relation: RoleRelation
    let reach: Reach
    let attributes: AttributeSelection
    let limit: Int?
    let after: UserID?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.roles.users(of: role, relation, reach, attributes, limit: limit, after: after)
    }
}

/// Carries a call of `userCount(of:as:reach:)` of ``RoleManager``.
struct CountRoleUsers: ReadOperation {
    static let name = "roleUserCount"
    static let isNarrow = true
    let role: RoleReference
    let relation: RoleRelation
    let reach: Reach

    func run(in transaction: Transaction) throws -> Int { try transaction.roles.userCount(of: role, relation, reach) }
}

/// Carries a call of `roles(of:as:reach:limit:after:)` of ``RoleManager``.
struct ReadNestedRoles: ReadOperation {
    static let name = "nestedRoles"
    static let isNarrow = true
    let role: RoleReference
    let relation: RoleRelation
    let reach: Reach
    let limit: Int?
    let after: RoleID?

    func run(in transaction: Transaction) throws -> [Role] {
        try transaction.roles.roles(.inside(role), relation, reach, limit: limit, after: after)
    }
}

/// Carries a call of `roles(having:as:reach:limit:after:)` of ``RoleManager``.
struct ReadRolesHaving: ReadOperation {
    static let name = "rolesHaving"
    static let isNarrow = true
    let subject: RoleSubject
    let relation: RoleRelation
    let reach: Reach
    let limit: Int?
    let after: RoleID?

    func run(in transaction: Transaction) throws -> [Role] {
        try transaction.roles.roles(.having(subject), relation, reach, limit: limit, after: after)
    }
}
