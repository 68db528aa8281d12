import Roster
import RosterAdministration
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
        return call.answering(
            ListRoleChanges(of: .either(call.arguments[0]), count: count, before: try call.parameter("before")))
    }
}
