import Foundation
package import RosterText

extension TransactionFeed {
    /// Returns a page of the changes of a user's roles as JSON, newest first. `elements` has the changes. `next` has the place of the next
    /// page if there may be one.
    ///
    /// - Throws: See ``membershipChanges(of:before:limit:)``.
    package func membershipPage(
        of user: UserReference, before position: MembershipChange.Position?, count: Int
    ) throws -> JSONValue {
        let changes = try membershipChanges(of: user, before: position, limit: count)
        let names = try transaction.references.names(of: Set(changes.compactMap { UserID($0.actor) }))
        var page: JSONValue = ["elements": .array(changes.map { $0.json(names) })]
        if changes.count == count, let last = changes.last { page["next"] = .string(last.position.description) }
        return page
    }
}

extension MembershipChange {
    /// Returns the change as JSON.
    ///
    /// - Parameter names: The names of the users who made changes.
    fileprivate func json(_ names: [UserID: String]) -> JSONValue {
        let (isAdded, isOfOwner) =
            switch kind {
            case .joined: (true, false)
            case .left: (false, false)
            case .becameOwner: (true, true)
            case .ceasedToBeOwner: (false, true)
            }
        var element: JSONValue = [
            "sequence": .integer(sequence), "time": .string(Timestamp.text(time)),
            "actor": .string(actor), "kind": .string(isAdded ? "added" : "removed"),
            "relation": .string(isOfOwner ? "owner" : "member"), "role": .string(role.description),
            "role_name": .text(roleName), "role_display": .text(displayName),
            "role_exists": .boolean(isRoleThere), "role_deleted": .boolean(isOfDeletion),
        ]
        if let name = UserID(actor).flatMap({ names[$0] }) { element["actor_name"] = .string(name) }
        return element
    }
}
