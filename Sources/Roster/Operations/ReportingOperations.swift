/// `manager(of:attributes:)`.
struct ReadManager: ReadOperation {
    static let name = "manager"
    let user: UserReference
    let attributes: AttributeSelection
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> User? { try transaction.manager(of: user, attributes) }
}

/// `reportees(of:attributes:limit:after:)`.
struct ReadReportees: ReadOperation {
    static let name = "reportees"
    let user: UserReference
    let attributes: AttributeSelection
    let limit: Int?
    let after: UserID?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.reportees(of: user, attributes, limit: limit, after: after)
    }
}

/// `chain(of:attributes:levels:upTo:)`.
struct ReadChain: ReadOperation {
    static let name = "chain"
    let user: UserReference
    let attributes: AttributeSelection
    let levels: Int?
    let upTo: ChainEnd?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.chain(of: user, attributes, levels: levels, upTo: upTo)
    }
}

/// `below(_:attributes:levels:limit:offset:)`.
struct ReadBelow: ReadOperation {
    static let name = "below"
    let user: UserReference
    let attributes: AttributeSelection
    let levels: Int?
    let limit: Int?
    let offset: Int

    func run(in transaction: Transaction) throws -> [Subordinate] {
        try transaction.below(user, attributes, levels: levels, limit: limit, offset: offset)
    }
}

/// `reporteeCounts(of:)`.
struct CountReportees: ReadOperation {
    static let name = "reporteeCounts"
    let user: UserReference

    struct Answer: WireValue, Codable {
        let direct: Int
        let all: Int
    }

    func run(in transaction: Transaction) throws -> Answer {
        let (direct, all) = try transaction.reporteeCounts(of: user)
        return Answer(direct: direct, all: all)
    }
}

/// `lowestCommonManager(of:)`.
struct ReadLowestCommonManager: ReadOperation {
    static let name = "lowestCommonManager"
    let users: [UserReference]

    func run(in transaction: Transaction) throws -> User? { try transaction.lowestCommonManager(of: users) }
}

/// `withoutManager(attributes:limit:after:)`.
struct ReadWithoutManager: ReadOperation {
    static let name = "withoutManager"
    let attributes: AttributeSelection
    let limit: Int?
    let after: UserID?

    func run(in transaction: Transaction) throws -> [User] {
        try transaction.withoutManager(attributes, limit: limit, after: after)
    }
}

/// `setManager(_:of:ifVersion:)`.
struct SetManager: ChangeOperation {
    static let name = "setManager"
    let manager: UserReference?
    let user: UserReference
    let ifVersion: Int64?

    func run(in transaction: Transaction) throws -> User {
        try transaction.setManager(manager, of: user, ifVersion: ifVersion)
    }
}
