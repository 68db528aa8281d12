import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import Roster
@testable import RosterREST

/// What the engine's tests start from.
enum Sample {
    static let vocabulary = Vocabulary(declared: [
        AttributeDefinition("tags", kind: .string, isMultiValued: true),
        AttributeDefinition("badge", kind: .integer, isUnique: true),
        AttributeDefinition("score", kind: .decimal),
        AttributeDefinition("startsAt", kind: .time),
        AttributeDefinition("key", kind: .binary, isMultiValued: true),
        AttributeDefinition("isRemote", kind: .boolean),
        AttributeDefinition("pin", kind: .string, isMultiValued: true, readers: .nobody),
        AttributeDefinition("origin", kind: .string, isCaseExact: true, writers: .nobody),
    ])
    static let users = SCIMResourceType.user(vocabulary)
    static let groups = SCIMResourceType.group(vocabulary)
    static let enterprise = SCIMResourceType.enterpriseURN
    static let directory = Vocabulary.extensionSchema

    static let jane: JSONValue = [
        "schemas": [.string(users.core.id), .string(enterprise)], "id": "2819c223", "userName": "jane",
        "name": ["familyName": "Doe", "givenName": "Jane"], "title": "Engineer", "active": true,
        "emails": [
            ["value": "jane@work.example", "type": "work", "primary": true],
            ["value": "jane@home.example", "type": "home"],
        ],
        "phoneNumbers": [["value": "555-1", "type": "work"]],
        "groups": [["value": "g1", "display": "Admins"]],
        .enterprise: [
            "department": "Research", "manager": ["value": "m1", "$ref": "/Users/m1", "displayName": "Max"],
        ],
        "meta": ["version": "W/\"1\""],
    ]
    static let group: JSONValue = [
        "schemas": [.string(groups.core.id)], "id": "g1", "displayName": "Admins",
        "members": [
            ["value": "a", "$ref": "/Users/a", "type": "User", "display": "Ann"],
            ["value": "b", "type": "User"], ["value": "c", "type": "Group"],
        ],
    ]
}

extension String {
    static let enterprise = SCIMResourceType.enterpriseURN
    static let directory = Vocabulary.extensionSchema
}

/// A request with these operations.
func patch(_ operations: JSONValue...) -> JSONValue {
    ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)]
}

/// Jane after these operations.
func jane(_ operations: JSONValue...) throws -> JSONValue {
    try SCIMPatch(
        ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)],
        for: Sample.users
    ).applied(to: Sample.jane)
}

/// The group after these operations.
func group(_ operations: JSONValue...) throws -> JSONValue {
    try SCIMPatch(
        ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)],
        for: Sample.groups
    ).applied(to: Sample.group)
}

/// The ids of a group's members.
func members(_ group: JSONValue) -> [String] { (group["members"]?.elements ?? []).compactMap { $0["value"]?.text } }

/// What the work is refused with.
func refusal(_ work: () throws -> Any) -> SCIMErrorType? {
    do {
        _ = try work()
        return nil
    } catch {
        return (error as? SCIMError)?.type
    }
}

extension SCIMProjection {
    /// The parts of a resource that a response shows.
    func applied(to resource: JSONValue, of type: SCIMResourceType = Sample.users) -> JSONValue {
        func shown(_ member: JSONValue.Member, in urn: String?) -> JSONValue.Member? {
            self.shown(member.name, in: urn).cut(member.value).map { JSONValue.Member(member.name, $0) }
        }
        let members = resource.members.compactMap { member -> JSONValue.Member? in
            guard type.extensions.contains(where: { $0.id == member.name }) else { return shown(member, in: nil) }
            let kept = member.value.members.compactMap { shown($0, in: member.name) }
            return kept.isEmpty ? nil : JSONValue.Member(member.name, .object(kept))
        }
        return type.withSchemas(.object(members))
    }
}
