import RosterStore
import RosterText

/// The narrow view of a reading program names the attributes that the program may read, and can name the role whose members it may read.
///
/// The program also reads what every user has: the name, the identifier, whether the account is enabled, the version, and the times of
/// creation and of the last change. With `memberOf` among the attributes, the program reads roles with their names and members, too: the
/// role of the view and the roles nested in it, or all roles. The program finds nobody by an attribute that it may not read.
public struct NarrowView: Sendable, Hashable, Codable {
    /// The names of the attributes. A list such as `addresses` is read as a whole; a part of an address, such as `country`, shows the whole
    /// address. A later attribute with one of the names is readable, too.
    public let attributes: Set<AttributeName>
    /// The role whose members, direct ones and through nested roles, the program reads; nil for all users. After the role was deleted, the
    /// program reads nobody.
    public let role: RoleID?

    /// - Parameters:
    ///   - attributes: The names of the attributes.
    ///   - role: The role whose members the program reads; nil for all users.
    public init(_ attributes: Set<AttributeName>, membersOf role: RoleID? = nil) {
        self.attributes = attributes
        self.role = role
    }

    /// Whether the program reads roles, as a view with `memberOf` allows.
    var showsRoles: Bool { attributes.contains("memberOf") }
}

extension NarrowView {
    /// The attributes that every view shows of each user.
    private static let always: Set<AttributeName> = ["id", "uid", "active", "created", "modified", "version"]

    /// Returns whether the view shows an attribute of users, or some elements of a list.
    func shows(_ definition: AttributeDefinition, of all: [AttributeDefinition]) -> Bool {
        let name = definition.name
        if Self.always.contains(name) || attributes.contains(name) { return true }
        // A list shows the elements of its views, and all views of a shown list are shown.
        return definition.element.map { attributes.contains($0.attribute) }
            ?? all.contains { $0.element?.attribute == name && attributes.contains($0.name) }
    }

    /// Checks the attributes of a new view. Returns each attribute by the name that the vocabulary has for it.
    ///
    /// - Throws: `invalidAttribute` for an unknown name, for an attribute that no program may read, and for a part of an address, whose
    ///   other parts would be shown, too; `invalidInput` for no attribute at all.
    package static func checked(_ names: [AttributeName], in vocabulary: Vocabulary) throws -> Set<AttributeName> {
        guard !names.isEmpty else {
            throw DirectoryError(
                .invalidInput, "A reading program without an attribute reads nothing.",
                advice: "Name the attributes, such as 'uid' and 'mail'.")
        }
        return Set(
            try names.map { name in
                guard let definition = vocabulary.definition(of: name) else {
                    throw vocabulary.unknownAttribute(name, of: .user)
                }
                guard definition.readers != .nobody, definition.name != "externalId" else {
                    throw DirectoryError(
                        .invalidAttribute, "No program reads '\(definition.name)'.", advice: "Leave it out.",
                        attribute: definition.name)
                }
                if let element = definition.element, element.part != "value" {
                    throw DirectoryError(
                        .invalidAttribute,
                        "'\(definition.name)' is a part of '\(element.attribute)', which is read as a whole.",
                        advice: "Name '\(element.attribute)', or leave it out.", attribute: definition.name)
                }
                return definition.name
            })
    }
}

/// The checks of whether a caller sees a user or a role. A reading program sees what its narrow view names; other callers see all.
extension TransactionAccess {
    /// Returns whether the caller sees a user. Runs one statement if the narrow view of a reading program has a role, and none otherwise.
    func sees(_ user: UserID) throws -> Bool {
        guard let role = transaction.narrowView?.role else { return true }
        return try transaction.connection.first(
            AccessStatements.isInside, [.integer(role.rawValue), .integer(user.rawValue)]
        ) { _ in true } ?? false
    }

    /// Returns whether the caller sees a role.
    func sees(_ role: RoleID) throws -> Bool { try visibleRoles()?.contains(role) ?? true }

    /// Returns the roles that the caller sees, or nil for a caller who sees all roles.
    func visibleRoles() throws -> Set<RoleID>? {
        guard let narrowView = transaction.narrowView else { return nil }
        guard narrowView.showsRoles else { return [] }
        guard let role = narrowView.role else { return nil }
        return Set(
            try transaction.connection.all(AccessStatements.rolesInside, [.integer(role.rawValue)]) {
                RoleID(rawValue: $0.integer(0))
            })
    }
}
