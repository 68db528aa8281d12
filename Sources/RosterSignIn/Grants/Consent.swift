package import Roster
import RosterStore

package struct Consent: Sendable, Hashable {
    /// The `client_id` of the backend.
    package let clientID: String
    package let name: String
    /// The version of that name.
    package let version: String
    package let scopes: [Scope]

    init(_ row: borrowing Row) {
        clientID = row.text(0)
        name = row.text(1)
        version = row.text(2)
        scopes = row.text(3).scopes
    }
}

extension DirectoryConsents {
    /// The scopes that a user allows a backend; nil for a user who was not asked yet, or has withdrawn the consent.
    package func consent(of user: UserID, to backend: BackendID) throws -> [Scope]? {
        try directory.store.read { try Self.consent([.integer(user.rawValue), .integer(backend.rawValue)], on: $0) }
    }

    private static func consent(_ key: [Binding], on connection: Connection) throws -> [Scope]? {
        try connection.first(GrantStatements.consent, key) { $0.text(0).scopes }
    }

    /// All consents of a user, by the names of the backends.
    package func consents(of user: UserID) throws -> [Consent] {
        try directory.store.read { try $0.all(GrantStatements.consents, [.integer(user.rawValue)]) { Consent($0) } }
    }

    /// Adds scopes to those that a user allows a backend.
    package func add(_ scopes: [Scope], of user: UserID, to backend: BackendID) async throws {
        try directory.accounts.countChange(of: user)
        let key: [Binding] = [.integer(user.rawValue), .integer(backend.rawValue)]
        try await directory.store.awaitWrite { connection in
            let before = try Self.consent(key, on: connection) ?? []
            let all = before + scopes.filter { !before.contains($0) }
            try connection.run(GrantStatements.setConsent, key + [.text(all.text)])
        }
    }

    /// Withdraws a user's consent to a backend, and ends the backend's tokens for the user.
    ///
    /// - Returns: Whether there was a consent or a token.
    package func withdraw(of user: UserID, to backend: BackendID) async throws -> Bool {
        let key: [Binding] = [.integer(user.rawValue), .integer(backend.rawValue)]
        return try await directory.store.awaitWrite { connection in
            try connection.run(GrantStatements.clearConsent, key)
            let hadConsent = connection.engine.changedRows > 0
            try connection.run(GrantStatements.deleteOfUserAndBackend, key)
            return hadConsent || connection.engine.changedRows > 0
        }
    }
}
