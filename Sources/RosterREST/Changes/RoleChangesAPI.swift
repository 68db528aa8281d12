import Roster
import RosterText

/// The part of a user's history that tells of roles.
enum RoleChangesAPI {
    static let list = Endpoint(
        "The roles that a user came to or left, directly, as a member or an owner, latest first; for administrators, and for the user. The "
            + "name of a deleted role and of who made a change are for administrators.",
        parameters: [
            .init(
                name: "count", summary: "How many at most, 1 to 200; 20 unless given.",
                schema: ["type": "integer", "minimum": 1, "maximum": 200]),
            .init(name: "before", summary: "'next' of the page before.", schema: ["type": "string"]),
        ],
        answer: .init(schema: [
            "type": "object", "required": ["elements"],
            "properties": [
                "elements": ["type": "array", "items": ["type": "object"]], "next": ["type": "string"],
            ],
        ])
    ) { call in
        let count = try call.integer("count") ?? 20
        guard (1...200).contains(count) else { throw RequestError(.badRequest, "'count' takes 1 to 200.") }
        let position = try call.parameter("before").map(position)
        let user = UserReference.either(call.arguments[0])
        return call.reading { transaction in
            let changes = try transaction.feed.membershipChanges(of: user, before: position, limit: count)
            let names = try transaction.references.names(of: Set(changes.compactMap { UserID($0.actor) }))
            var body: JSONValue = ["elements": .array(changes.map { shown($0, names) })]
            if changes.count == count, let last = changes.last?.position {
                body["next"] = .string("\(last.sequence).\(last.kind)")
            }
            return .json(body)
        }
    }

    private static func position(_ text: String) throws -> MembershipChange.Position {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let sequence = numbers[0], let kind = numbers[1] else {
            throw RequestError(.badRequest, "'before' takes the 'next' of the page before.")
        }
        return .init(sequence: sequence, kind: kind)
    }

    private static func shown(_ change: MembershipChange, _ names: [UserID: String]) -> JSONValue {
        let (isAdded, isOfOwner) =
            switch change.kind {
            case .joined: (true, false)
            case .left: (false, false)
            case .becameOwner: (true, true)
            case .ceasedToBeOwner: (false, true)
            }
        var element: JSONValue = [
            "sequence": .integer(change.sequence), "time": .string(Timestamp.text(change.time)),
            "actor": .string(change.actor), "kind": .string(isAdded ? "added" : "removed"),
            "relation": .string(isOfOwner ? "owner" : "member"), "role": .string(change.role.description),
            "role_name": .text(change.roleName), "role_display": .text(change.displayName),
            "role_exists": .boolean(change.isRoleThere), "role_deleted": .boolean(change.isOfDeletion),
        ]
        if let name = UserID(change.actor).flatMap({ names[$0] }) { element["actor_name"] = .string(name) }
        return element
    }
}
