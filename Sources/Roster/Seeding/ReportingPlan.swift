import Foundation
import RosterStore
import RosterText

/// The reporting lines that a document draws, checked as they will be in the end.
///
/// One after the other they could not be drawn: while a department is turned around (`a` reported to `b`, now `b`
/// reports to `a` and `a` to `c`), the first new line would close a circle with an old one that is about to go.
struct ReportingPlan {
    /// Whose line is drawn anew; until it is, they report to nobody.
    private var pending: Set<Int64>
    private var drawn: [Int64: Int64] = [:]
    /// A way up that has been gone before, so that long chains are not gone again and again.
    private var shortcuts: [Int64: Int64] = [:]

    init(redrawing users: some Sequence<UserID>) { pending = Set(users.map(\.rawValue)) }

    /// Draws a line, or says that it would lead back to its beginning.
    mutating func draw(_ user: UserID, to manager: UserID, in session: Session) throws -> Bool {
        guard try top(above: manager.rawValue, session) != user.rawValue else { return false }
        drawn[user.rawValue] = manager.rawValue
        return true
    }

    /// Who stands above all others there as far as lines are drawn.
    private mutating func top(above start: Int64, _ session: Session) throws -> Int64 {
        var way: [Int64] = []
        var current = start
        while let next = try next(above: current, session) {
            way.append(current)
            current = next
        }
        for passed in way { shortcuts[passed] = current }
        return current
    }

    private func next(above user: Int64, _ session: Session) throws -> Int64? {
        if let further = shortcuts[user] ?? drawn[user] { return further }
        if pending.contains(user) { return nil }
        return try session.connection.first(ReportingStatements.managerOf, [.integer(user)]) {
            $0.optionalInteger(0)
        } ?? nil
    }
}

extension Session {
    /// The identifier of a user by name, or nil.
    func findUserID(_ name: String) throws -> UserID? {
        try connection.first(UserStatements.idByName, text: FoldedText.of(name)) { UserID(rawValue: $0.integer(0)) }
    }

    /// Writes a line that a ``ReportingPlan`` has checked.
    func writeManager(_ manager: UserID?, of id: UserID) throws -> Bool {
        let old = try stored(.id(id))
        guard old.managerID != manager else { return false }
        try update(old, old.attributes, EntityName(old.uid), old.isActive, manager)
        return true
    }

    static func circle(_ name: String) -> DirectoryError {
        DirectoryError(
            .circle, "\(EntityName.shown(name)) cannot report to somebody who reports to them.",
            advice: "Choose another manager.", attribute: "manager")
    }

    static func unknownManager(_ manager: String) -> DirectoryError {
        DirectoryError(
            .notFound, "There is no user \(EntityName.shown(manager)) to report to.",
            advice: "Check the spelling, or give the manager a row.", attribute: "manager")
    }
}
