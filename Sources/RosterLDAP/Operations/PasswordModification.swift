import Roster
import RosterCrypto
import RosterSignIn

/// A change of a password: by the operation for it, or as a modification of an entry.
struct PasswordModification {
    let signIn: SignIn
    let tree: DirectoryTree
    let session: LDAPSession
    let view: DirectoryView

    /// Sets a password (RFC 3062). A client that gives no new password gets a generated one.
    ///
    /// - Returns: The value of the answer; nil if the client gave the password.
    func run(_ value: [UInt8]?) async throws -> [UInt8]? {
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
        let user = try await user(identity ?? "")
        let password = try new ?? Self.generatedPassword()
        guard !password.isEmpty else { throw LDAPResult(.constraintViolation, "The new password is empty.") }
        try await set(password, of: user, replacing: old)
        guard new == nil else { return nil }
        var writer = BERWriter()
        writer.container { $0.text(password, 0x80) }
        return writer.finish()
    }

    /// The user whose password changes: that of a distinguished name, of `u:name`, or the bound one.
    private func user(_ text: String) async throws -> User {
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

    /// A password of 120 random bits.
    private static func generatedPassword() throws -> String { try SecureRandom.token(bytes: 15) }

    /// Sets a password. Users who set their own one prove the old one, in the request or by their bind.
    func set(_ new: String, of user: User, replacing old: String?) async throws {
        if old == nil, view.caller == .user(user.id) {
            let hash = try await signIn.passwords.hash(new, in: view) {
                try $0.users.namesToSetPassword(of: .id(user.id))
            }
            _ = try await view.users.modify(.id(user.id), attributes: ["password": .string(hash)])
            return
        }
        try await signIn.setPassword(new, of: .id(user.id), replacing: old, in: view, from: session.peer)
    }
}
