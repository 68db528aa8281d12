import Roster
import RosterSignIn

/// A change of one entry, with the rights of the client who asks for the change.
struct EntryChange {
    let tree: DirectoryTree
    let vocabulary: Vocabulary
    let signIn: SignIn
    let message: LDAPMessage
    let session: LDAPSession
    let view: DirectoryView

    static let sudoAdvice = "The entry follows from a role. Change the role below ou=groups instead."

    func controls(_ entity: AttributeDefinition.Entity) async throws -> ChangeControls {
        try await ChangeControls(message, entity, tree, vocabulary, view)
    }

    func input(_ entity: AttributeDefinition.Entity) -> EntryInput {
        EntryInput(tree: tree, vocabulary: vocabulary, entity: entity)
    }

    /// Deletes a user or a role (RFC 4511, section 4.8).
    func delete(_ dn: String) async throws -> [LDAPControl] {
        let place = try tree.place(dn)
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.user)
            let (answer, version) = try await controls.reading(user.id)
            try await view.transaction { view in
                try controls.check(user.id, version: version, in: view)
                try view.users.delete(.id(user.id))
            }
            return answer
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.role)
            let (answer, version) = try await controls.reading(role.id)
            try await view.transaction { view in
                try controls.check(role.id, version: version, in: view)
                try view.roles.delete(.id(role.id))
            }
            return answer
        case .sudoRole: throw LDAPResult(.unwillingToPerform, Self.sudoAdvice)
        case .base, .people, .groups, .sudoers: throw LDAPResult(.notAllowedOnNonLeaf, "The entry has others below.")
        case .root, .subschema: throw LDAPResult(.unwillingToPerform, "This entry belongs to the server.")
        }
    }

    /// Renames a user or a role (RFC 4511, section 4.9). Users stay below `ou=people`, roles below `ou=groups`.
    func rename(
        _ dn: String, _ newRDN: String, _ deletesOld: Bool, _ newSuperior: String?
    ) async throws -> [LDAPControl] {
        let place = try tree.place(dn)
        guard let part = try EntryName(newRDN).own, try EntryName(newRDN).components.count == 1 else {
            throw LDAPResult(.invalidDNSyntax, "The new name is one part, such as uid=jane.")
        }
        // The attribute that names an entry has one value, so that the old one cannot stay beside the new one.
        guard deletesOld else {
            throw LDAPResult(.unwillingToPerform, "The old name cannot stay. Set 'deleteoldrdn' to true.")
        }
        func check(_ attribute: String, under parent: DirectoryTree.Place) throws {
            guard part.attribute == attribute else {
                throw LDAPResult(.namingViolation, "The entry is named by '\(attribute)'.")
            }
            if let newSuperior, try tree.place(newSuperior) != parent {
                throw LDAPResult(
                    .unwillingToPerform, "Users stay below \(tree.people), and groups below \(tree.groups).")
            }
        }
        switch place {
        case .user(let old):
            try check("uid", under: .people)
            guard let user = try await tree.user(old, ["uid"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.user)
            let (answer, version) = try await controls.reading(user.id)
            let renamed = try await view.transaction { view in
                try controls.check(user.id, version: version, in: view)
                try view.users.modify(.id(user.id), [.set("uid", .string(part.value))])
                return try controls.afterwards(user.id, in: view)
            }
            return try await answer + controls.answer(renamed)
        case .role(let old):
            try check("cn", under: .groups)
            guard let role = try await tree.role(old, ["name"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.role)
            let (answer, version) = try await controls.reading(role.id)
            let renamed = try await view.transaction { view in
                try controls.check(role.id, version: version, in: view)
                try view.roles.modify(.id(role.id), [.set("name", .string(part.value))])
                return try controls.afterwards(role.id, in: view)
            }
            return try await answer + controls.answer(renamed)
        case .sudoRole: throw LDAPResult(.unwillingToPerform, Self.sudoAdvice)
        case .root, .subschema, .base, .people, .groups, .sudoers:
            throw LDAPResult(.unwillingToPerform, "This entry belongs to the server, and cannot be renamed.")
        }
    }
}
