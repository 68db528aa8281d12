public import Foundation
import RosterStore
import RosterText

/// A role as of the moment it was read. Mirrors Oracle Mobile and Social SDK's `OMRole`.
public struct Role: Sendable, Identifiable {
    /// The permanent identifier.
    public let id: RoleID
    /// The unique name (`OMRole roleName`).
    public let name: String
    /// The number of changes, memberships included. Pass it as `ifVersion` to detect concurrent changes.
    public let version: Int64
    /// The time of creation, to the millisecond.
    public let created: Date
    /// The time of the last change to the role, its members or its owners, to the millisecond.
    public let modified: Date
    /// The fetched attributes.
    public package(set) var attributes: AttributeSet
    /// The attributes that the caller asked for.
    var requested = AttributeSelection.usual
    /// The view that fetched the role. Later fetches use its caller's rights.
    var view: DirectoryView

    init(
        id: RoleID, name: String, version: Int64, created: Date, modified: Date, attributes: AttributeSet,
        view: DirectoryView
    ) {
        (self.id, self.name, self.version, self.created, self.modified) = (id, name, version, created, modified)
        (self.attributes, self.view) = (attributes, view)
    }

    /// Decodes a row of ``RoleStatements/columns``.
    init(_ row: borrowing Row, view: DirectoryView) throws {
        id = RoleID(rawValue: row.integer(0))
        name = row.text(1)
        version = row.integer(2)
        created = Date(milliseconds: row.integer(3))
        modified = Date(milliseconds: row.integer(4))
        attributes = try row.bytes(5) { try AttributeSet(stored: $0) }
        self.view = view
    }

    /// The fetched value of an attribute, `name` and `id` included; nil if there is none.
    public subscript(name: AttributeName) -> AttributeValue? {
        switch name.rawValue {
        case "id": .string(id.description)
        case "name": .string(self.name)
        case "version": .integer(version)
        case "created": .time(created)
        case "modified": .time(modified)
        default: attributes[name] ?? view.vocabulary.otherName(of: name, for: .role).flatMap { self[$0] }
        }
    }

    /// Whether the caller asked for an attribute when the role was read. A fetched attribute without a value has none, or
    /// has none that the caller may read.
    public func isFetched(_ name: AttributeName) -> Bool { requested.includes(name, of: .role, view.vocabulary) }

    /// The name to display: the display name, or else the role's name.
    public var displayName: String { attributes["displayName"]?.text ?? name }
    /// `OMRole roleDescription`.
    public var description: String? { attributes[.description]?.text }
    /// The e-mail address.
    public var mail: String? { attributes.mail }
    /// The organization.
    public var organization: String? { attributes.organization }
    /// The category.
    public var category: String? { attributes.category }

    /// The users who are members directly or through nested roles (`getRoleMembers:`), all of them.
    /// `users(of:)` of ``RoleManager`` reads them in pages.
    public func members() throws -> [User] { try view.roles.users(of: .id(id)) }
    /// The users who are members, as the synchronous form does.
    public func members() async throws -> [User] { try await view.roles.users(of: .id(id)) }
}

extension Role: Hashable {
    /// Compares the fetched values and ignores the view that fetched them.
    public static func == (left: Role, right: Role) -> Bool {
        left.id == right.id && left.name == right.name && left.version == right.version
            && left.created == right.created && left.modified == right.modified && left.attributes == right.attributes
    }
    /// Hashes the identifier and the version.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(version)
    }
}

extension Role: CustomDebugStringConvertible, CustomReflectable {
    /// The name and the identifier.
    public var debugDescription: String { "\(name) (\(id))" }
    /// A mirror with the name and the identifier only, so that `dump` shows no other data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id.description, "name": name]) }
}

/// The relation of a user or a role to a role. Each relation has an inverse: members ↔ memberOf, owner ↔ ownerOf.
public enum RoleRelation: String, Sendable, Hashable, Codable, CaseIterable {
    /// The subject is a member. Members of a nested role are members too.
    case member
    /// The subject owns the role. Members of an owning role own it too.
    case owner
}

/// Whether a query follows a relation through nested roles.
public enum Reach: String, Sendable, Hashable, Codable, CaseIterable {
    /// Only direct members or owners (level 1 of the identity service).
    case direct
    /// Members or owners through nested roles as well (level −1 of the identity service).
    case effective
}

/// A user or a role as a member or an owner.
public enum RoleSubject: Sendable, Hashable {
    /// A user.
    case user(UserReference)
    /// A role, whose members count too.
    case role(RoleReference)

    /// A user.
    @_disfavoredOverload
    public static func user(_ user: some UserReferenceConvertible) -> RoleSubject { .user(user.userReference) }
    /// A role, whose members count too.
    @_disfavoredOverload
    public static func role(_ role: some RoleReferenceConvertible) -> RoleSubject { .role(role.roleReference) }
}
