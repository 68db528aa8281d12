/// Carries a call of `user(_:attributes:prefetch:)` of ``UserManager``.
struct ReadUser: ReadOperation {
    static let name = "user"
    static let isNarrow = true
    let user: UserReference
    let attributes: AttributeSelection
    let prefetch: Prefetch
    var isBrief: Bool { prefetch.isEmpty }
    var hasOneStatement: Bool { isBrief }

    init(_ user: UserReference, _ attributes: AttributeSelection, _ prefetch: Prefetch) {
        (self.user, self.attributes, self.prefetch) = (user, attributes, prefetch)
    }

    @inline(__always)
    func run(in transaction: Transaction) throws -> User { try transaction.users.user(user, attributes, prefetch) }
}

/// Carries a call of `find(_:attributes:prefetch:)` of ``UserManager``.
struct FindUser: ReadOperation {
    static let name = "findUser"
    static let isNarrow = true
    let user: UserReference
    let attributes: AttributeSelection
    let prefetch: Prefetch
    var isBrief: Bool { prefetch.isEmpty }
    var hasOneStatement: Bool { isBrief }

    func run(in transaction: Transaction) throws -> User? { try transaction.users.found(user, attributes, prefetch) }
}

/// Carries a call of `exists(_:)` of ``UserManager``.
struct UserExists: ReadOperation {
    static let name = "userExists"
    static let isNarrow = true
    let user: UserReference
    var isBrief: Bool { true }
    var hasOneStatement: Bool { true }

    func run(in transaction: Transaction) throws -> Bool { try transaction.users.findID(of: user) != nil }
}

/// Carries a call of `users(_:attributes:)` of ``UserManager``.
struct ReadUsers: ReadOperation {
    static let name = "users"
    static let isNarrow = true
    let users: [UserReference]
    let attributes: AttributeSelection

    func run(in transaction: Transaction) throws -> [User?] {
        try transaction.checkCount(users.count)
        return try users.map { try transaction.users.found($0, attributes, []) }
    }
}

/// Carries a call of `count(matching:)` of ``UserManager``.
struct CountUsers: ReadOperation {
    static let name = "countUsers"
    static let isNarrow = true
    let filter: Filter

    func run(in transaction: Transaction) throws -> Int {
        try transaction.search.total(SearchQuery(filter, of: .user, transaction))
    }
}

/// Carries a call of `search(_:)` of ``UserManager``.
struct SearchUsers: ReadOperation {
    static let name = "searchUsers"
    static let isNarrow = true
    let search: Search
    var hasOneStatement: Bool { search.prefetch.isEmpty && !search.includesTotal }

    func run(in transaction: Transaction) throws -> Page<User> { try transaction.search.users(search) }
}

/// Carries a call of `search(_:isSimpleSearch:attributes:pageSize:pagePosition:prefetch:)` of ``UserManager``.
struct SearchUsersByText: ReadOperation {
    static let name = "searchUsersByText"
    static let isNarrow = true
    let filter: [String: String]
    let isSimpleSearch: Bool
    let attributes: AttributeSelection
    let pageSize: Int
    let pagePosition: Int
    let prefetch: Prefetch

    func run(in transaction: Transaction) throws -> [User] {
        let filter = try Filter(matching: filter, isSimpleSearch: isSimpleSearch, transaction.vocabulary)
        try transaction.lines.checkPage(pageSize)
        return try transaction.search.users(
            Search(filter, attributes: attributes, pageSize: pageSize, from: .page(pagePosition), prefetch: prefetch)
        ).elements
    }
}

/// Carries a call of `create(_:attributes:manager:isActive:)` of ``UserManager``.
struct CreateUser: ChangeOperation {
    static let name = "createUser"
    let user: NewUser

    func run(in transaction: Transaction) throws -> User {
        try transaction.asEditor(to: "create users").users.create(user)
    }
}

/// Carries a call of `create(attributes:)` of ``UserManager``.
struct CreateUserOfAttributes: ChangeOperation {
    static let name = "createUserOfAttributes"
    let attributes: AttributeSet

    func run(in transaction: Transaction) throws -> User {
        try transaction.asEditor(to: "create users").users.create(
            NewUser(attributes: attributes, transaction.vocabulary))
    }
}

/// Carries a call of `upsert(_:attributes:)` of ``UserManager``.
struct UpsertUser: ChangeOperation {
    static let name = "upsertUser"
    let uid: String
    let attributes: AttributeSet

    struct Answer: WireValue {
        let user: User
        let wasCreated: Bool
    }

    func run(in transaction: Transaction) throws -> Answer {
        let (user, wasCreated) = try transaction.users.upsert(uid, attributes)
        return Answer(user: user, wasCreated: wasCreated)
    }
}

/// Carries a call of `modify(_:_:ifVersion:)` of ``UserManager``.
struct ModifyUser: ChangeOperation {
    static let name = "modifyUser"
    let user: UserReference
    let changes: [AttributeChange]
    let ifVersion: Int64?
    var expectations: [Expectation] { [.user(user)] }

    func prepared() -> ModifyUser {
        ModifyUser(user: user, changes: changes.map(\.withoutRepetitions), ifVersion: ifVersion)
    }

    func run(in transaction: Transaction) throws -> User {
        try transaction.users.modify(user, changes, ifVersion: ifVersion)
    }
}

/// Carries a call of `delete(_:reportees:ifVersion:erasing:)` of ``UserManager``.
struct DeleteUser: ChangeOperation {
    static let name = "deleteUser"
    let user: UserReference
    let reportees: ReporteePolicy
    let ifVersion: Int64?
    let isErasing: Bool
    var erased: [UserReference] { isErasing ? [user] : [] }
    var expectations: [Expectation] { [.user(user)] }

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asEditor(to: "delete users").users
            .delete(user, reportees, ifVersion: ifVersion, erasing: isErasing)
        return Nothing()
    }
}

/// Carries a call of `erase(_:)` of ``UserManager``.
struct EraseUsers: ChangeOperation {
    static let name = "eraseUsers"
    let users: [UserID]
    var isErasing: Bool { true }
    var erased: [UserReference] { users.map { .id($0) } }

    func run(in transaction: Transaction) throws -> Int {
        try transaction.checkCount(users.count)
        return try transaction.asPresentAdministrator(to: "erase what is known of users").erase(users)
    }
}

/// Carries a call of `deleted(_:)` of ``UserManager``.
struct DeletedUsers: ReadOperation {
    static let name = "deletedUsers"
    let user: String

    func run(in transaction: Transaction) throws -> [UserID] {
        try transaction.asAdministrator(to: "look for deleted users").deletedUsers(user)
    }
}
