import Foundation
import RosterStore
import RosterText

/// Attributes with their own tables: passwords, which no caller can read, and the external identifiers of provisioning
/// clients, which only the same client can read.
extension TransactionAccounts {
    static func isOutsideRecord(_ name: AttributeName) -> Bool { name == "password" || name == "externalId" }

    /// Stores the changes. An empty value removes the attribute.
    ///
    /// - Returns: The values for the change feed; empty if nothing changed.
    func storeOutsideRecord(_ changes: [AttributeChange], of subject: Int64) throws -> AttributeSet {
        var recorded = AttributeSet()
        for change in changes {
            let text = try TransactionUsers.newValue(of: change)?.text
            switch change.name {
            case "password": recorded["passwordChanged"] = try keep(password: text, of: subject)
            default: recorded["externalId"] = try keep(externalID: text, of: subject)
            }
        }
        return recorded
    }

    private func keep(password hash: String?, of user: Int64) throws -> AttributeValue? {
        try transaction.access.checkSettingPassword(of: UserID(rawValue: user))
        let time = transaction.now()
        guard let hash else {
            try transaction.connection.run(AccessStatements.clearPassword, [.integer(user)])
            guard transaction.connection.engine.changedRows > 0 else { return nil }
            try endSignIns(of: UserID(rawValue: user))
            return .time(time)
        }
        guard Self.looksHashed(hash), hash.utf8.count <= 1_024 else {
            throw DirectoryError(
                .invalidAttribute, "'password' takes a hash, never the password itself.",
                advice:
                    "Give it as '$scheme$…' or '{SCHEME}…', or have sign-in hash it: SignIn.load loads a seed with plain "
                    + "passwords, SignIn.setPassword sets one.", attribute: "password")
        }
        // A hash is not held against the policy for passwords, and can cost everybody's sign-in time and memory.
        guard transaction.clientLimits == nil || transaction.rights.keepsAccounts else {
            throw DirectoryError(
                .notPermitted,
                "Through a server, only administrators and provisioning clients can store the hash of a password.",
                advice: "Set the password itself, through SCIM or the profile service.", attribute: "password")
        }
        if let cost = PasswordCost(hash) {
            try cost.checkBounds()
            transaction.core.passwordCosts.note(cost)
        }
        try transaction.connection.run(
            AccessStatements.setPassword, [.integer(user), .text(hash), .integer(time.milliseconds)])
        // The same hash again is not a change, so that loading a seed again changes nothing.
        guard transaction.connection.engine.changedRows > 0 else { return nil }
        // A new password ends all sign-ins with the old one.
        try endSignIns(of: UserID(rawValue: user))
        return .time(time)
    }

    /// Whether the text names its hash scheme. The sign-in module checks the rest.
    static func looksHashed(_ text: String) -> Bool {
        if text.hasPrefix("$") || text.hasPrefix("pbkdf2_sha") { return true }
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else { return false }
        return !["{CLEAR", "{CLEARTEXT", "{PLAIN", "{"].contains(text[..<end].uppercased())
    }

    private func keep(externalID value: String?, of subject: Int64) throws -> AttributeValue? {
        guard let client = transaction.rights.client else {
            throw DirectoryError(
                .notPermitted, "Only a provisioning client can set external identifiers.", attribute: "externalId")
        }
        guard value != (try externalID(of: subject)) else { return nil }
        guard let value else {
            try transaction.connection.run(AccessStatements.clearExternalID, [.text(client), .integer(subject)])
            return .string("")
        }
        guard value.utf8.count <= 1_024, !value.utf8.contains(0) else {
            throw DirectoryError(
                .invalidAttribute, "'externalId' takes text of up to 1,024 bytes.", attribute: "externalId")
        }
        try transaction.connection.run(
            AccessStatements.setExternalID, [.text(client), .integer(subject), .text(value)])
        return .string(value)
    }

    private func externalID(of subject: Int64) throws -> String? {
        guard let client = transaction.rights.client else { return nil }
        return try transaction.connection.first(AccessStatements.externalID, [.text(client), .integer(subject)]) {
            $0.text(0)
        }
    }

    /// The calling client's identifier for a user.
    package func externalID(of user: UserID) throws -> String? { try externalID(of: user.rawValue) }
    /// The calling client's identifier for a role.
    package func externalID(of role: RoleID) throws -> String? { try externalID(of: role.rawValue) }

    /// Refuses a change that leaves no administrator. Runs in the transaction, after the change.
    func checkAdministratorsRemain() throws {
        guard
            try transaction.connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) }) ?? nil
                != nil
        else {
            return
        }
        guard
            try transaction.connection.first(
                AccessStatements.hasAdministrator, [.integer(transaction.now().milliseconds)], { _ in true })
                == true
        else {
            throw DirectoryError(
                .lastAdministrator, "The change would leave the directory without an administrator.",
                advice: "Make somebody else an administrator first.")
        }
    }
}
