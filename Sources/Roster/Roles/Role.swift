public import Foundation
import RosterStore
import RosterText

/// A role, as it was when it was read. Mirrors `OMRole`.
public struct Role: Sendable {
    /// The permanent identifier.
    public let id: RoleID
    /// The unique name (`OMRole roleName`).
    public let name: String
    /// Counts the changes, memberships among them; give it back as `ifVersion` so that nobody's change is lost.
    public let version: Int64
    /// When the role was created, to the millisecond.
    public let created: Date
    /// When the role or its members or owners were last changed, to the millisecond.
    public let modified: Date
    /// The attributes that were fetched.
    public package(set) var attributes: AttributeSet
    /// Who asked, for what is fetched later.
    let view: DirectoryView

    /// Decodes a row of ``RoleStatements/columns``.
    init(_ row: borrowing Row, view: DirectoryView) throws {
        id = RoleID(rawValue: row.integer(0))
        name = row.text(1)
        version = row.integer(2)
        created = Date(milliseconds: row.integer(3))
        modified = Date(milliseconds: row.integer(4))
        attributes = try row.bytes(5) { try AttributeSet(json: $0) }
        self.view = view
    }

    /// The value of an attribute that was fetched, also of `name` and `id`; nil where it has none.
    public subscript(name: AttributeName) -> AttributeValue? {
        switch name.rawValue {
        case "id": .string(id.description)
        case "name": .string(self.name)
        case "version": .integer(version)
        case "created": .time(created)
        case "modified": .time(modified)
        default: attributes.value(of: name)
        }
    }

    /// What people call the role: its display name, or else its name.
    public var displayName: String { attributes["displayName"]?.text ?? name }
    /// `OMRole roleDescription`.
    public var description: String? { attributes["description"]?.text }

    /// The users who are members, nested roles included (`getRoleMembers:`), at most 10,000; for more of them see
    /// ``RoleManager/users(of:as:reach:attributes:limit:after:)``.
    public func members() throws -> [User] { try view.roles.users(of: .id(id)) }
    /// The users who are members, as the synchronous form does.
    public func members() async throws -> [User] { try await view.roles.users(of: .id(id)) }
}

extension Role: Equatable {
    /// Compares what was fetched, not who fetched it.
    public static func == (left: Role, right: Role) -> Bool {
        left.id == right.id && left.name == right.name && left.version == right.version
            && left.created == right.created && left.modified == right.modified && left.attributes == right.attributes
    }
}

/// Says which role is meant.
public enum RoleReference: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The one of that name.
    case named(String)
    /// The one with that identifier.
    case id(RoleID)
    /// The one with that identifier, or else of that name: no role takes another one's place by a name.
    case either(String)

    /// The one of that name.
    public init(stringLiteral value: String) { self = .named(value) }
    /// As it stands in messages.
    public var description: String {
        switch self {
        case .named(let name), .either(let name): EntityName.shown(name)
        case .id(let id): id.description
        }
    }
}

/// How somebody belongs to a role. Each has its inverse: members ↔ memberOf, owner ↔ ownerOf.
public enum RoleRelation: String, Sendable, Hashable, CaseIterable {
    /// Is a member. Members of a role that is itself a member are members too.
    case member
    /// Owns the role. Members of a role that owns it own it too.
    case owner
}

/// Whether a relation is followed through nested roles.
public enum Reach: String, Sendable, Hashable, CaseIterable {
    /// Only those who are named themselves (level 1 of the identity service).
    case direct
    /// Through nested roles, all the way (level −1 of the identity service).
    case effective
}

/// A user or a role that is, or becomes, a member or an owner.
public enum RoleSubject: Sendable, Hashable {
    case user(UserReference)
    case role(RoleReference)
}
