import Roster
import RosterCrypto
import RosterSignIn

extension LDAPService {
    /// Deletes a user or a role (RFC 4511, section 4.8).
    func delete(_ dn: String, _ message: LDAPMessage, in view: DirectoryView) async throws -> [LDAPControl] {
        let place = try tree.place(dn)
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let controls = try await ChangeControls(message, .user, self, view)
            let (answer, version) = try await controls.reading(user.id)
            try await view.transaction { view in
                try controls.check(user.id, version: version, in: view)
                try view.users.delete(.id(user.id))
            }
            return answer
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let controls = try await ChangeControls(message, .role, self, view)
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
        _ dn: String, _ newRDN: String, _ deletesOld: Bool, _ newSuperior: String?, _ message: LDAPMessage,
        in view: DirectoryView
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
            let controls = try await ChangeControls(message, .user, self, view)
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
            let controls = try await ChangeControls(message, .role, self, view)
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

    /// Sets a password (RFC 3062). A client that gives no new password gets a generated one.
    ///
    /// - Returns: The value of the answer; nil if the client gave the password.
    func modifyPassword(_ value: [UInt8]?, in session: LDAPSession) async throws -> [UInt8]? {
        let view = try view(of: session, isChange: true)
        var (identity, old, new): (String?, String?, String?)
        if let value {
            do {
                (identity, old, new) = try BERReader.reading(value) { reader in
                    try reader.container(BERReader.Tag.sequence) { reader in
                        (
                            try reader.optionalText(0x80),
                            try reader.optionalText(0x81),
                            try reader.optionalText(0x82)
                        )
                    }
                }
            } catch {
                throw LDAPResult(.protocolError, "The value of the request cannot be read.")
            }
        }
        let user = try await person(identity ?? "", view, session)
        let password = try new ?? Self.generatedPassword()
        guard !password.isEmpty else { throw LDAPResult(.constraintViolation, "The new password is empty.") }
        try await setPassword(password, of: user, replacing: old, view, session)
        guard new == nil else { return nil }
        var writer = BERWriter()
        writer.container { $0.text(password, 0x80) }
        return writer.finish()
    }

    /// The user whose password changes: that of a distinguished name, of `u:name`, or the bound one.
    private func person(_ text: String, _ view: DirectoryView, _ session: LDAPSession) async throws -> User {
        guard !text.isEmpty else {
            guard case .user(let id) = view.caller else { throw LDAPResult(.unwillingToPerform, "Name the user.") }
            return try await view.users.user(.id(id), attributes: ["uid"])
        }
        let name = text.hasPrefix("dn:") ? String(text.dropFirst(3)) : text
        if EntryName.isOne(name) {
            let place = try tree.place(name)
            guard case .user(let part) = place, let user = try await tree.user(part, ["uid"], in: view) else {
                throw tree.noSuch(place)
            }
            return user
        }
        return try await view.users.user(
            .named(text.hasPrefix("u:") ? String(text.dropFirst(2)) : text), attributes: ["uid"])
    }
}

extension LDAPService {
    /// A password of 120 random bits.
    private static func generatedPassword() throws -> String { try SecureRandom.token(bytes: 15) }
}
