import Foundation
import Roster

/// A user or a role, where an interface treats both in the same way.
enum DirectoryEntity: Sendable {
    case user(User)
    case role(Role)

    /// Reads an entity by its identifier, or else its name.
    init(
        _ kind: AttributeDefinition.Entity, _ reference: String, _ attributes: AttributeSelection,
        _ transaction: Transaction
    ) throws {
        switch kind {
        case .user: self = .user(try transaction.users.user(.either(reference), attributes))
        case .role: self = .role(try transaction.roles.role(.either(reference), attributes))
        }
    }

    var kind: AttributeDefinition.Entity { if case .user = self { .user } else { .role } }

    var id: String {
        switch self {
        case .user(let user): user.id.description
        case .role(let role): role.id.description
        }
    }

    var version: Int64 {
        switch self {
        case .user(let user): user.version
        case .role(let role): role.version
        }
    }

    /// The times of its creation and of its last change.
    var times: (created: Date, modified: Date) {
        switch self {
        case .user(let user): (user.created, user.modified)
        case .role(let role): (role.created, role.modified)
        }
    }

    /// The value of an attribute that was fetched.
    subscript(name: AttributeName) -> AttributeValue? {
        switch self {
        case .user(let user): user[name]
        case .role(let role): role[name]
        }
    }
}
