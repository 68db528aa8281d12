/// The number of the latest change.
struct ReadLastSequence: ReadOperation {
    static let name = "lastChange"
    let isForAdministrators: Bool
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Int64 {
        try transaction.feed.check(isForAdministrators)
        return try transaction.feed.lastSequence()
    }
}

/// A page of the change feed.
struct ReadChanges: ReadOperation {
    static let name = "changes"
    let since: Int64
    let limit: Int
    let isForAdministrators: Bool

    func run(in transaction: Transaction) throws -> ChangePage {
        try transaction.feed.check(isForAdministrators)
        return try transaction.feed.changes(since: since, limit: limit)
    }
}

/// Runs `memberships(of:before:limit:)` of ``ChangeFeed``, on a file or at a server.
struct ReadMembershipChanges: ReadOperation {
    static let name = "membershipChanges"
    let user: UserReference
    let before: MembershipChange.Position?
    let limit: Int

    func run(in transaction: Transaction) throws -> [MembershipChange] {
        try transaction.feed.membershipChanges(of: user, before: before, limit: limit)
    }
}

/// Carries a call of `compact(through:)` of ``ChangeFeed``.
struct CompactChanges: ChangeOperation {
    static let name = "compactChanges"
    let through: Int64

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asPresentAdministrator(to: "compact the changes").compactChanges(through: through)
        return Nothing()
    }
}

/// Carries a call of `retention()` of ``ChangeFeed``.
struct ReadRetention: ReadOperation {
    static let name = "retention"

    func run(in transaction: Transaction) throws -> Retention {
        try transaction.asAdministrator(to: "read how long changes are kept").retention.read()
    }
}

/// Carries a call of `setRetention(_:)` of ``ChangeFeed``.
struct SetRetention: ChangeOperation {
    static let name = "setRetention"
    let retention: Retention

    func run(in transaction: Transaction) throws -> Nothing {
        try transaction.asPresentAdministrator(to: "set how long changes are kept").setRetention(retention)
        return Nothing()
    }
}

/// One step of `prune()`.
struct PruneChanges: ChangeOperation {
    static let name = "pruneChanges"

    struct Answer: WireValue, Codable {
        let count: Int
        let isLast: Bool
    }

    func run(in transaction: Transaction) throws -> Answer {
        let (count, isLast) = try transaction.asAdministrator(to: "prune the changes").retention.prune()
        return Answer(count: count, isLast: isLast)
    }
}

/// Carries a call of `perform(_:)` of ``DirectoryView``.
struct PerformBatch: ChangeOperation {
    static let name = "perform"
    let batch: Batch

    func prepared() -> PerformBatch { PerformBatch(batch: batch.prepared) }

    func run(in transaction: Transaction) throws -> [Batch.Outcome] {
        try transaction.checkCount(batch.operations.count)
        return try transaction.perform(batch)
    }
}

/// Carries a call of `may(_:)` of ``DirectoryView``.
struct MayDo: ReadOperation {
    static let name = "may"
    let action: DirectoryAction
    var isBrief: Bool { true }

    func run(in transaction: Transaction) throws -> Bool { try transaction.access.may(action) }
}
