package import Foundation
package import Roster
import RosterCrypto
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

    /// Reads the keys again.
    package func reload() throws {
        var new = Ring()
        var verifying: [VerificationKey] = []
        let now = directory.now
        for record in try directory.signingKeys() {
            let published = try JSONValue(strictly: Array(record.publicKey.utf8))
            guard record.retired.map({ now.timeIntervalSince($0) < Self.overlap }) ?? true,
                let key = VerificationKey(published), let algorithm = SignatureAlgorithm(rawValue: record.algorithm)
            else { continue }
            verifying.append(key)
            new.published.append(published)
            let until = record.retired ?? .distantFuture
            guard now < until else { continue }
            let secret = try opened(record.sealedKey, SealedSecret.Owner.signingKey(record.id).context)
            new.signing[algorithm, default: []].append((try SigningKey(algorithm, pkcs8: secret), until))
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
        guard let id = key.id, let secret = try key.pkcs8(), let shown = try key.publicKey() else {
            throw CryptoFailure(operation: "making a key")
        }
        try directory.rotateSigningKey(
            to: id, algorithm: algorithm.rawValue, publicKey: String(decoding: shown.bytes, as: UTF8.self),
            sealedKey: Base64URL.text(
                try SecretBox.seal(secret, key: box, context: SealedSecret.Owner.signingKey(id).context)),
            after: Self.notice,
            by: actor)
        try reload()
    }

    /// Takes a key away, such as one that was stolen: what it signed is good for nothing any more.
    package func remove(_ id: String, by actor: String) throws {
        try directory.deleteSigningKey(id, by: actor)
        try reload()
    }

    // MARK: Signing

    /// A signed token.
    func sign(
        _ claims: [JSONValue.Member], type: String, with signing: BackendSettings.Signing, secret: [UInt8]?
    ) throws -> String {
        if signing == .hs256 {
            guard let secret else {
                throw DirectoryError(
                    .unusableKey, "The secret of the backend, which signs its tokens, was lost with a key file.",
                    advice: "Give the backend a new secret: roster backend secret.")
            }
            return try SigningKey(sharedSecret: secret).sign(claims, type: type)
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
