import RosterStore
import RosterText

/// A relation without cycles: no object is above itself, directly or through others.
enum Hierarchy {
    /// A manager is above the reportees.
    case reporting
    /// A role is above the roles that are its members.
    case membership
    /// A role is above the roles that own it.
    case ownership

    /// Refuses links that close a cycle. Runs in the transaction that stores the links, so that concurrent changes cannot close
    /// a cycle together.
    ///
    /// - Parameters:
    ///   - lower: The objects that come directly below another one.
    ///   - upper: The object above them.
    ///   - name: The name of the object that the message is about: the user, or the role with the members or owners.
    func check(_ lower: [Int64], below upper: Int64, named name: String, in transaction: Transaction) throws {
        guard try closesCycle(lower, below: upper, in: transaction) else { return }
        throw error(name)
    }

    /// Whether an object of `lower` is `upper` or is above it. All roles above a role are read once.
    private func closesCycle(_ lower: [Int64], below upper: Int64, in transaction: Transaction) throws -> Bool {
        func isAnyAbove(_ statement: SQL) throws -> Bool {
            let above = try transaction.connection.all(statement, [.integer(upper)]) { $0.integer(0) }
            return !Set(above).isDisjoint(with: lower)
        }
        return switch self {
        case .reporting:
            try lower.contains { try transaction.lines.isAbove(UserID(rawValue: $0), UserID(rawValue: upper)) }
        case .membership: try isAnyAbove(RoleStatements.containing)
        case .ownership: try isAnyAbove(RoleStatements.ownedBy)
        }
    }

    /// The error for a link that would close a cycle.
    func error(_ name: String) -> DirectoryError {
        DirectoryError(
            .circle, "\(EntityName.shown(name)) would \(action), directly or through others.",
            advice: "Choose another one, or end the relation in the other direction first.",
            attribute: self == .reporting ? "manager" : nil)
    }

    private var action: String {
        switch self {
        case .reporting: "report to themselves"
        case .membership: "contain itself"
        case .ownership: "own itself"
        }
    }
}
