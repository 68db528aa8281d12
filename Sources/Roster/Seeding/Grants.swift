import RosterStore

/// The rights that a document may give to users, beyond their attributes.
public enum Grants: Int, Sendable, Hashable, Comparable {
    /// Nothing: no membership and no ownership of a role.
    case nothing
    /// Memberships and ownerships of roles, but nothing that makes somebody an administrator or gives another ``Power``.
    case roles
    /// Everything, including membership and ownership of the administrators' role and of roles with another power, and
    /// changes to the password, the addresses and the activation of their members.
    case administrators

    /// Orders grants from the least to the most.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension AdministratorImport {
    /// Makes users and roles of a document members or owners of a role, as far as the document may.
    ///
    /// - Throws: `notPermitted` if this would give somebody a power, and the document may not.
    func add(_ subjects: [RoleSubject], to role: RoleID, as relation: RoleRelation, _ grants: Grants) throws {
        if grants < .administrators,
            try transaction.connection.first(AccessStatements.givesPower, [.integer(role.rawValue)], { _ in true })
                == true
        {
            for (link, ids) in try transaction.roles.resolve(subjects, relation) {
                let present = Set(
                    try transaction.connection.all(link.statements.subjects, [.integer(role.rawValue)]) {
                        $0.integer(0)
                    })
                guard ids.allSatisfy(present.contains) else {
                    throw Self.notGranted("make somebody an administrator or give another power", attribute: "memberOf")
                }
            }
        }
        try transaction.asRoleOwner(of: .id(role), changing: relation).add(subjects)
    }

    /// Gives a user the values of a document, as far as the document may.
    ///
    /// - Throws: `notPermitted` if the change concerns who can sign in as a user with a power, and the document may not change
    ///   that. The error comes after the change: the caller must roll the change back.
    func modify(_ old: User, _ changes: [AttributeChange], _ grants: Grants) throws -> User {
        let new = try transaction.users.modify(stored: old, changes, ifVersion: nil)
        guard grants < .administrators, new.version != old.version else { return new }
        let stored = try transaction.users.stored(.id(old.id)).attributes
        let concernsSignIn =
            changes.contains { $0.name == "password" } || old.isActive != new.isActive
            || ["emails", "activeStartDate", "activeEndDate"].contains { old.attributes[$0] != stored[$0] }
        if concernsSignIn, try transaction.hasPower(old.id) {
            throw Self.notGranted("change who can sign in as an administrator or with another power")
        }
        return new
    }

    private static func notGranted(_ action: String, attribute: AttributeName? = nil) -> DirectoryError {
        DirectoryError(
            .notPermitted, "A document may not \(action) unless that is asked for.",
            advice: "Allow it with Grants.administrators.", attribute: attribute)
    }
}
