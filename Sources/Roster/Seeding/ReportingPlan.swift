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

extension TransactionImport {
    /// The identifier of a user by the key of the name, or nil.
    func findUserID(key: String) throws -> UserID? {
        try transaction.connection.first(UserStatements.idByName, text: key) { UserID(rawValue: $0.integer(0)) }
    }

    /// The manager's identifier as it is stored, or nil.
    func storedManager(of user: Int64) throws -> Int64? {
        try transaction.connection.first(ReportingStatements.managerOf, [.integer(user)]) { $0.optionalInteger(0) }
            ?? nil
    }

    /// Stores a line that a ``ReportingPlan`` has checked. Returns false if the user already had that manager.
    func writeManager(_ manager: UserID?, of id: UserID) throws -> Bool {
        let old = try transaction.users.stored(.id(id))
        guard old.managerID != manager else { return false }
        try transaction.users.update(old, old.attributes, EntityName(old.uid), old.isActive, manager)
        return true
    }
}
