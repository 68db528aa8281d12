import Foundation
import RosterStore
import RosterText

/// Checks the reporting lines of a document for cycles, as the lines will be after the whole document.
///
/// If each line were checked against the directory alone, correct lines would be refused. For example, `a` reports to `b`
/// in the directory, and the document says that `b` reports to `a` and `a` to `c`. The first new line would form a cycle
/// with the old line that the second one replaces.
struct ReportingPlan {
    /// The users whose lines the document sets. Until a user's line is added, the user counts as reporting to nobody.
    private var pending: Set<Int64>
    private var added: [Int64: Int64] = [:]
    /// For each user on a chain that was followed before, a user further up, so that long chains are followed only once.
    private var shortcuts: [Int64: Int64] = [:]

    init(replacing users: some Sequence<UserID>) { pending = Set(users.map(\.rawValue)) }

    /// Adds a line. Returns false, and adds nothing, if the line would form a cycle.
    mutating func add(_ user: UserID, to manager: UserID, in transaction: Transaction) throws -> Bool {
        guard try top(above: manager.rawValue, transaction) != user.rawValue else { return false }
        added[user.rawValue] = manager.rawValue
        return true
    }

    /// The user at the top of the chain above a user, as far as lines are added.
    private mutating func top(above start: Int64, _ transaction: Transaction) throws -> Int64 {
        var passed: [Int64] = []
        var current = start
        while let next = try next(above: current, transaction) {
            passed.append(current)
            current = next
        }
        for user in passed { shortcuts[user] = current }
        return current
    }

    private func next(above user: Int64, _ transaction: Transaction) throws -> Int64? {
        if let further = shortcuts[user] ?? added[user] { return further }
        if pending.contains(user) { return nil }
        return try transaction.importing.storedManager(of: user)
    }
}
