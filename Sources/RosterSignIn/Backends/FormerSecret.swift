package import Foundation
package import Roster
import RosterCrypto
import RosterStore
package import RosterText

/// A secret of a backend that was replaced and is good until its end, so that the app can take the new one without a stop.
package struct FormerSecret: Sendable, Hashable {
    /// SHA-256 of the secret, in hexadecimal.
    let digest: String
    /// The secret itself, encrypted; nil unless secrets sign tokens of the backend.
    let sealed: String?
    package let replaced: Date
    package let expires: Date

    init(_ row: borrowing Row) {
        (digest, sealed) = (row.text(0), row.optionalText(1))
        (replaced, expires) = (Date(milliseconds: row.integer(2)), Date(milliseconds: row.integer(3)))
    }

    /// The times, as text for people.
    package var json: JSONValue { ["replaced": .time(replaced), "expires": .time(expires)] }

    /// The longest time for which a replaced secret may stay: 90 days.
    static let longestLife: Duration = .seconds(7_776_000)
    /// The number of former secrets that one backend may have at a time.
    static let most = 10
}

extension SignInRecords {
    /// The former secrets of a backend that are good now.
    func formerSecrets(of backend: BackendID) throws -> [FormerSecret] {
        let now = directory.now.milliseconds
        return try directory.store.read { connection in
            try connection.all(BackendStatements.formerSecrets, [.integer(backend.rawValue), .integer(now)]) {
                FormerSecret($0)
            }
        }
    }
}

extension Backend {
    /// Gives a backend a new secret. The present one stays good for a while, as do former ones that have not ended, and the anonymous
    /// key stays.
    ///
    /// - Returns: The new secret, which is shown once, and the former ones with their ends.
    /// - Throws: `DirectoryError` `invalidInput` for a public client, for a time out of range, and for too many former secrets.
    package static func addSecret(
        to id: BackendID, keepingOldFor time: Duration, keys: KeyRing, in view: DirectoryView
    ) async throws -> (secret: String, former: [FormerSecret]) {
        guard .seconds(1) <= time, time <= FormerSecret.longestLife else {
            throw DirectoryError(
                .invalidInput, "A replaced secret stays for one second to 90 days.", advice: "Give another time.")
        }
        return try await view.awaitWrite { transaction in
            let backends = try transaction.asPresentAdministrator(to: "change backends").backends
            var backend = try transaction.backends.backend(id)
            guard backend.secretDigest != nil else {
                throw DirectoryError(
                    .invalidInput, "A public client has no secret.", advice: "Make a confidential backend.")
            }
            let secret = try SecureRandom.token()
            try backends.keepSecret(of: id, for: time)
            backend.secretDigest = try SHA256.hex(secret)
            backend.sealedSecret = try keys.seal(secret, backend.clientID)
            _ = try backends.store(backend)
            return (secret, try transaction.backends.formerSecrets(of: id))
        }
    }
}

extension TransactionBackends {
    /// The former secrets of a backend that are good now.
    package func formerSecrets(of id: BackendID) throws -> [FormerSecret] {
        _ = try all()  // Only administrators may see them.
        return try transaction.connection.all(
            BackendStatements.formerSecrets, [.integer(id.rawValue), .integer(transaction.now().milliseconds)]
        ) { FormerSecret($0) }
    }
}
