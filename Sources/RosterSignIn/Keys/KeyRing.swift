package import Foundation
package import Roster
import RosterCrypto
import RosterStore
package import RosterText

/// The keys that sign tokens, and those that did: a retired one is published until the last token that it signed has ended.
package final class KeyRing: Sendable {
    private struct Ring: Sendable {
        /// Those that sign, of each algorithm one after the other: each until it is retired.
        var signing: [SignatureAlgorithm: [(key: SigningKey, until: Date)]] = [:]
        var verifying = VerificationKeySet([])
        var published: [JSONValue] = []
    }

    /// How long a retired key is still published, in seconds: as long as the longest token lives.
    static let overlap: TimeInterval = 31_536_000
    /// How long clients may keep the published keys before they look again, in seconds: a new key signs that much later.
    package static let notice: TimeInterval = 300

    /// What the master key is used for where it encrypts secrets.
    static let boxPurpose = "signing keys"

    let directory: Directory
    private let box: [UInt8]
    /// What refresh tokens are made with.
    let refreshKey: [UInt8]
    /// What binds a visit to a provider to the browser that made it.
    let visitKey: [UInt8]
    private let ring = Locked(Ring())

    /// Reads the keys.
    ///
    /// - Throws: `DirectoryError` `unusableKey` where they were encrypted with another master key.
    package init(_ directory: Directory, master: MasterKey) throws {
        self.directory = directory
        box = try master.key(for: Self.boxPurpose)
        refreshKey = try master.key(for: "refresh tokens")
        visitKey = try master.key(for: "visits to providers")
        try reload()
    }

    package func reload() throws {
        var new = Ring()
        var verifying: [VerificationKey] = []
        let now = directory.now
        for stored in try directory.signingKeys() {
            guard stored.retired.map({ now.timeIntervalSince($0) < Self.overlap }) ?? true,
                let key = VerificationKey(stored.publicKey)
            else { continue }
            verifying.append(key)
            new.published.append(stored.publicKey)
            let until = stored.retired ?? .distantFuture
            guard now < until else { continue }
            let secret = try opened(stored.sealedKey ?? "", SealedSecret.Owner.signingKey(stored.id).context)
            new.signing[stored.algorithm, default: []].append((try stored.opened(secret), until))
        }
        for algorithm in new.signing.keys { new.signing[algorithm]?.sort { $0.until < $1.until } }
        new.verifying = VerificationKeySet(verifying)
        ring.withLock { $0 = new }
    }

    /// The JSON Web Key Set that is published.
    package var published: JSONValue { ["keys": .array(ring.withLock { $0.published })] }

    /// Makes the first key of an algorithm where there is none.
    package func prepare(_ algorithm: SignatureAlgorithm) throws {
        if signer(algorithm) == nil { try rotate(algorithm, by: "first use") }
    }

    /// Makes the first key that a backend's tokens are signed with where there is none: so that clients know it before.
    func prepare(for settings: BackendSettings) throws {
        let algorithm = SignatureAlgorithm(rawValue: settings.signing.rawValue) ?? .es256
        try prepare(algorithm == .hs256 ? .es256 : algorithm)
    }

    private func signer(_ algorithm: SignatureAlgorithm) -> SigningKey? {
        let now = directory.now
        return ring.withLock { $0.signing[algorithm]?.first { now < $0.until }?.key }
    }

    /// Makes a new key, which is published at once and signs when clients had the time to see it; at once where the others
    /// are taken away. What the old ones signed is good until it ends.
    ///
    /// - Parameter actor: Who does it, as the change feed shows them.
    package func rotate(_ algorithm: SignatureAlgorithm, by actor: String) throws {
        let key = try SigningKey(generating: algorithm)
        let sealed = try SecretBox.seal(
            key.pkcs8(), key: box, context: SealedSecret.Owner.signingKey(key.id).context)
        try directory.acting(as: .administrator(actor)).write { transaction in
            let time = transaction.now()
            try transaction.connection.run(
                GrantStatements.insertKey,
                [
                    .text(key.id), .text(algorithm.rawValue), .text(key.publicKey.written), .text(Base64URL.text(sealed)),
                    .integer(time.milliseconds),
                ])
            try transaction.connection.run(
                GrantStatements.retireKeys,
                [.text(algorithm.rawValue), .text(key.id), .integer(time.addingTimeInterval(Self.notice).milliseconds)])
            try transaction.record(
                .created, .signingKey, id: 0, name: key.id, before: nil,
                after: ["algorithm": .string(algorithm.rawValue)], at: time)
        }
        try reload()
    }

    /// Takes a key away, such as one that was stolen: what it signed is not accepted any more.
    package func remove(_ id: String, by actor: String) throws {
        try directory.acting(as: .administrator(actor)).write { transaction in
            try transaction.connection.run(GrantStatements.deleteKey, [.text(id)])
            guard transaction.connection.changedRows > 0 else { return }
            try transaction.record(.deleted, .signingKey, id: 0, name: id, before: nil, after: nil)
        }
        try reload()
    }

    // MARK: Signing

    func sign(
        _ claims: [JSONValue.Member], type: String, with signing: BackendSettings.Signing, secret: [UInt8]?
    ) throws -> String {
        if signing == .hs256 {
            guard let secret else {
                throw DirectoryError(
                    .unusableKey, "The secret of the backend, which signs its tokens, was lost with a key file.",
                    advice: "Give the backend a new secret: roster backend secret.")
            }
            return try SigningKey.sign(claims, type: type, sharedSecret: secret)
        }
        let algorithm = SignatureAlgorithm(rawValue: signing.rawValue) ?? .es256
        try prepare(algorithm)
        guard let key = signer(algorithm) else {
            throw DirectoryError(
                .storageFailed, "There is no key to sign with.", advice: "Make one: roster key rotate.")
        }
        return try key.sign(claims, type: type)
    }

    /// The claims of a token that one of these keys signed; nil for any other text. Times are the caller's to check.
    func verify(_ text: String, type: String) throws -> JSONValue? {
        guard let token = try? JSONWebToken(text), token.type == type.lowercased() else { return nil }
        let keys = ring.withLock { $0.verifying }
        return try token.isSigned(by: keys, allowing: [.es256, .rs256, .edDSA]) ? token.claims : nil
    }

    // MARK: Secrets

    /// Encrypts what must be read again.
    ///
    /// - Parameter context: What it belongs to; it opens for the same only.
    package func seal(_ text: String, _ context: String) throws -> String {
        Base64URL.text(try SecretBox.seal(Array(text.utf8), key: box, context: context))
    }

    /// Decrypts what ``seal(_:_:)`` made.
    package func open(_ text: String, _ context: String) throws -> String {
        String(decoding: try opened(text, context), as: UTF8.self)
    }

    private func opened(_ text: String, _ context: String) throws -> [UInt8] {
        guard let sealed = Base64URL.bytes(text), let bytes = try SecretBox.open(sealed, key: box, context: context)
        else {
            throw DirectoryError(
                .unusableKey, "The directory's secrets were encrypted with another key file.",
                advice: "Put the key file that belongs to it beside the directory's file, or see 'roster key reset'.")
        }
        return bytes
    }
}
