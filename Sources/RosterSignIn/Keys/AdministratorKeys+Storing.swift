import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterStore
import RosterText

/// A signing key that is not stored yet.
struct NewKey: Sendable {
    let id: String
    fileprivate let algorithm: SigningAlgorithm
    fileprivate let publicKey: String
    fileprivate let sealed: String

    init(_ algorithm: SigningAlgorithm, _ box: [UInt8]) throws {
        let key = try SigningKey(generating: algorithm.algorithm)
        self.algorithm = algorithm
        id = key.id
        publicKey = key.publicKey.written
        sealed = Base64URL.text(
            try SecretBox.seal(key.pkcs8(), key: box, context: SealedSecret.Owner.signingKey(key.id).context))
    }
}

extension AdministratorKeys {
    /// Stores a new key, and lets the older keys of its algorithm end.
    func insert(_ key: NewKey) throws {
        let time = transaction.now()
        try transaction.connection.run(
            GrantStatements.insertKey,
            [
                .text(key.id), .text(key.algorithm.rawValue), .text(key.publicKey), .text(key.sealed),
                .integer(time.milliseconds),
            ])
        try transaction.connection.run(
            GrantStatements.retireKeys,
            [
                .text(key.algorithm.rawValue), .text(key.id),
                .integer(time.addingTimeInterval(KeyRing.notice).milliseconds),
            ])
        try transaction.feed.record(
            .created, .signingKey, id: 0, name: key.id, before: nil,
            after: ["algorithm": .string(key.algorithm.rawValue)], at: time)
    }

    /// Removes a key.
    ///
    /// - Returns: Whether there was such a key.
    func remove(_ id: String) throws -> Bool {
        try transaction.connection.run(GrantStatements.deleteKey, [.text(id)])
        guard transaction.connection.engine.changedRows > 0 else { return false }
        try transaction.feed.record(.deleted, .signingKey, id: 0, name: id, before: nil, after: nil)
        return true
    }
}
