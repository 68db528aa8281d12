import Foundation
import RosterStore
import RosterText

/// Attributes that are set like others but kept apart: passwords, which nobody reads, and the identifiers of provisioning
/// clients, which only they read.
extension Transaction {
    static func isKeptAside(_ name: AttributeName) -> Bool { name == "password" || name == "externalId" }

    /// Keeps what is set; an empty value, or clearing, removes it.
    ///
    /// - Returns: What the change feed is to tell of it; empty where nothing changed.
    func keepAside(_ changes: [AttributeChange], of subject: Int64) throws -> AttributeSet {
        var told = AttributeSet()
        for change in changes {
            let text = try Self.newValue(of: change)?.text
            switch change.name {
            case "password": told["passwordChanged"] = try keep(password: text, of: subject)
            default: told["externalId"] = try keep(externalID: text, of: subject)
            }
        }
        return told
    }

    private func keep(password hash: String?, of user: Int64) throws -> AttributeValue? {
        try checkSettingPassword(of: UserID(rawValue: user))
        let time = now()
        guard let hash else {
            try connection.run(AccessStatements.clearPassword, [.integer(user)])
            guard connection.changedRows > 0 else { return nil }
            try endSignIns(of: UserID(rawValue: user))
            return .time(time)
        }
        guard Self.looksHashed(hash), hash.utf8.count <= 1_024 else {
            throw DirectoryError(
                .invalidAttribute, "'password' takes a hash, never the password itself.",
                advice: "Give it as '$scheme$…' or '{SCHEME}…', or set the password over REST.", attribute: "password")
        }
        if let cost = PasswordCost(hash) {
            try cost.checkBounds()
            view.core.passwordCosts.note(cost)
        }
        try connection.run(
            AccessStatements.setPassword, [.integer(user), .text(hash), .integer(time.milliseconds)])
        // Whoever signed in with the old one must do so again.
        try endSignIns(of: UserID(rawValue: user))
        return .time(time)
    }

    /// Whether text says by which scheme it was hashed. What the scheme makes of it is for those who verify passwords.
    private static func looksHashed(_ text: String) -> Bool {
        if text.hasPrefix("$") || text.hasPrefix("pbkdf2_sha") { return true }
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else { return false }
        return !["{CLEAR", "{CLEARTEXT", "{PLAIN", "{"].contains(text[..<end].uppercased())
    }

    private func keep(externalID value: String?, of subject: Int64) throws -> AttributeValue? {
        guard let client = rights.client else {
            throw DirectoryError(
                .notPermitted, "Only a provisioning client has identifiers of its own.", attribute: "externalId")
        }
        guard value != (try externalID(of: subject)) else { return nil }
        guard let value else {
            try connection.run(AccessStatements.clearExternalID, [.text(client), .integer(subject)])
            return .string("")
        }
        guard value.utf8.count <= 1_024, !value.utf8.contains(0) else {
            throw DirectoryError(
                .invalidAttribute, "'externalId' takes text of up to 1,024 bytes.", attribute: "externalId")
        }
        try connection.run(AccessStatements.setExternalID, [.text(client), .integer(subject), .text(value)])
        return .string(value)
    }

    private func externalID(of subject: Int64) throws -> String? {
        guard let client = rights.client else { return nil }
        return try connection.first(AccessStatements.externalID, [.text(client), .integer(subject)]) { $0.text(0) }
    }

    /// How the calling client knows a user.
    package func externalID(of user: UserID) throws -> String? { try externalID(of: user.rawValue) }
    /// How the calling client knows a role.
    package func externalID(of role: RoleID) throws -> String? { try externalID(of: role.rawValue) }

    /// Refuses to leave a directory without anyone who can administer it. Called in the transaction, after the change.
    func checkAdministratorsRemain() throws {
        guard try connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) }) ?? nil != nil else {
            return
        }
        guard try connection.first(AccessStatements.hasAdministrator, [], { _ in true }) == true else {
            throw DirectoryError(
                .lastAdministrator, "That would leave nobody who can administer the directory.",
                advice: "Make somebody else an administrator first.")
        }
    }
}
