package import Foundation
package import Roster
import RosterStore
import RosterText

/// A key that signs tokens, as the directory keeps it: the private part is encrypted with a key that is not in the file.
package struct SigningKeyRecord: Sendable, Hashable {
    /// The thumbprint of RFC 7638.
    package let id: String
    /// JWA's name, such as `ES256`.
    package let algorithm: String
    /// The public key as JSON Web Key.
    package let publicKey: String
    /// The private key, encrypted.
    package let sealedKey: String
    /// When it was made.
    package let created: Date
    /// From when on it signs no more, which may be soon; nil where it does.
    package let retired: Date?

    init(_ row: borrowing Row) {
        id = row.text(0)
        algorithm = row.text(1)
        publicKey = row.text(2)
        sealedKey = row.text(3)
        created = Date(milliseconds: row.integer(4))
        retired = row.optionalInteger(5).map { Date(milliseconds: $0) }
    }
}

extension Directory {
    /// The keys, the oldest first.
    package func signingKeys() throws -> [SigningKeyRecord] {
        try store.read { try $0.all(GrantStatements.keys) { SigningKeyRecord($0) } }
    }

    /// Keeps a new key, and retires the others of its algorithm.
    ///
    /// - Parameter delay: How long the others still sign, in seconds.
    package func rotateSigningKey(
        to id: String, algorithm: String, publicKey: String, sealedKey: String, after delay: TimeInterval,
        by actor: String
    ) throws {
        let view = acting(as: .administrator(actor))
        try view.write { transaction in
            let time = transaction.now()
            try transaction.connection.run(
                GrantStatements.insertKey,
                [.text(id), .text(algorithm), .text(publicKey), .text(sealedKey), .integer(time.milliseconds)])
            try transaction.connection.run(
                GrantStatements.retireKeys,
                [.text(algorithm), .text(id), .integer(time.addingTimeInterval(delay).milliseconds)])
            try transaction.record(
                .created, .signingKey, id: 0, name: id, before: nil, after: ["algorithm": .string(algorithm)], at: time)
        }
    }

    /// Forgets a key: what it signed is taken no more.
    package func deleteSigningKey(_ id: String, by actor: String) throws {
        let view = acting(as: .administrator(actor))
        try view.write { transaction in
            try transaction.connection.run(GrantStatements.deleteKey, [.text(id)])
            guard transaction.connection.changedRows > 0 else { return }
            try transaction.record(.deleted, .signingKey, id: 0, name: id, before: nil, after: nil)
        }
    }

    /// A user's second factor, encrypted; nil where there is none.
    package func secondFactor(of user: UserID) throws -> String? {
        try store.read { connection in
            try connection.first(GrantStatements.secondFactor, [.integer(user.rawValue)]) { $0.text(0) }
        }
    }

    /// Keeps a user's second factor, encrypted; nil to remove it. It is kept only where the old one is still what it was:
    /// a code that two requests bring at once is used once.
    ///
    /// - Returns: Whether it was kept.
    package func setSecondFactor(_ sealed: String?, of user: UserID, replacing old: String?) async throws -> Bool {
        try await store.awaitWrite { connection in
            let stored = try connection.first(GrantStatements.secondFactor, [.integer(user.rawValue)]) { $0.text(0) }
            guard stored == old else { return false }
            if let sealed {
                try connection.run(GrantStatements.setSecondFactor, [.integer(user.rawValue), .text(sealed)])
            } else {
                try connection.run(GrantStatements.clearSecondFactor, [.integer(user.rawValue)])
            }
            return true
        }
    }
}

extension Transaction {
    /// Refuses whoever may not make or take away keys that sign tokens.
    package func checkChangingKeys() throws { try checkPresentAdministrator(to: "change signing keys") }

    /// The keys that sign tokens, the oldest first.
    package func signingKeys() throws -> [SigningKeyRecord] {
        try checkAdministrator(to: "manage keys")
        return try connection.all(GrantStatements.keys) { SigningKeyRecord($0) }
    }

    /// Removes a user's second factor, for who has lost it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `notFound`, `notPermitted` for who is no administrator.
    package func removeSecondFactor(of user: UserReference) throws -> Bool {
        try checkPresentAdministrator(to: "remove second factors")
        let user = try self.user(user, ["uid"])
        try connection.run(GrantStatements.clearSecondFactor, [.integer(user.id.rawValue)])
        guard connection.changedRows > 0 else { return false }
        try record(
            .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": "second factor"])
        return true
    }
}
