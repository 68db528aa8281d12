/// Carries a call of `manager(of:attributes:)` of ``UserManager``.
struct ReadManager: ReadOperation {
    static let name = "manager"
    let user: UserReference
    let attributes: AttributeSelection
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> User? { try transaction.lines.manager(of: user, attributes) }
}

/// Carries a call of `reportees(of:attributes:limit:after:)` of ``UserManager``.
struct ReadReportees: ReadOperation {
    static let name = "reportees"
    static let isNarrow = true
    let user: UserReference
    let attributes: AttributeSelection
    let limit: Int?
    let after: UserID?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.lines.reportees(of: user, attributes, limit: limit, after: after)
    }
}

/// Carries a call of `chain(of:attributes:levels:upTo:)` of ``UserManager``.
struct ReadChain: ReadOperation {
    static let name = "chain"
    let user: UserReference
    let attributes: AttributeSelection
    let levels: Int?
    let upTo: ChainEnd?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.lines.chain(of: user, attributes, levels: levels, upTo: upTo)
    }
}

/// Carries a call of `below(_:attributes:levels:limit:offset:)` of ``UserManager``.
struct ReadBelow: ReadOperation {
    static let name = "below"
    let user: UserReference
    let attributes: AttributeSelection
    let levels: Int?
    let limit: Int?
    let offset: Int

    func run(in transaction: Transaction) throws -> [Subordinate] {
        try transaction.lines.below(user, attributes, levels: levels, limit: limit, offset: offset)
    }
}

/// Carries a call of `reporteeCounts(of:)` of ``UserManager``.
struct CountReportees: ReadOperation {
    static let name = "reporteeCounts"
    let user: UserReference

    struct Answer: WireValue, Codable {
        let direct: Int
        let all: Int
    }

    func run(in transaction: Transaction) throws -> Answer {
        let (direct, all) = try transaction.lines.reporteeCounts(of: user)
        return Answer(direct: direct, all: all)
    }
}

/// Carries a call of `isBelow(_:_:)` of ``UserManager``.
struct IsBelow: ReadOperation {
    static let name = "isBelow"
    let user: UserReference
    let manager: UserReference
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Bool { try transaction.lines.isBelow(user, manager) }
}

/// Carries a call of `lowestCommonManager(of:)` of ``UserManager``.
struct ReadLowestCommonManager: ReadOperation {
    static let name = "lowestCommonManager"
    let users: [UserReference]

    func run(in transaction: Transaction) throws -> User? {
        try transaction.checkCount(users.count)
        return try transaction.lines.lowestCommonManager(of: users)
    }
}

/// Carries a call of `withoutManager(attributes:limit:after:)` of ``UserManager``.
struct ReadWithoutManager: ReadOperation {
    static let name = "withoutManager"
    let attributes: AttributeSelection
    let limit: Int?
    let after: UserID?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.lines.withoutManager(attributes, limit: limit, after: after)
    }
}

/// Carries a call of `setManager(_:of:ifVersion:)` of ``UserManager``.
struct SetManager: ChangeOperation {
    static let name = "setManager"
    let manager: UserReference?
    let user: UserReference
    let ifVersion: Int64?

    func run(in transaction: Transaction) throws -> User {
        try transaction.lines.setManager(manager, of: user, ifVersion: ifVersion)
    }
}
