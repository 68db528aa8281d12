package import Foundation
package import Roster
import RosterCrypto
import RosterOpenID
import RosterStore
package import RosterText

/// The keys that sign tokens, and retired keys. A retired key is published until the last token that it signed has ended.
package final class KeyRing: Sendable {
    private struct Ring: Sendable {
        /// The signing keys of each algorithm, by the time when they retire. The first that is not retired signs.
        var signing: [SignatureAlgorithm: [(key: SigningKey, until: Date)]] = [:]
        var verifying = VerificationKeySet([])
        var published: [JSONValue] = []
        /// The stored keys: their identifiers, and the times when they retire.
        var stored: [String] = []
        /// The number of times that the keys have changed since the start.
        var generation = 0
        var lastCheck = ContinuousClock.now
    }

    /// How long a change of the keys by another server or program can stay unnoticed.
    package static let freshness: Duration = .seconds(2)

    /// The seconds for which a retired key is still published: the lifetime of the longest token.
    static let overlap: TimeInterval = 31_536_000
    /// The seconds for which clients may keep the published keys. A new key begins to sign after this time.
    package static let notice: TimeInterval = 300

    /// The purpose of the key that encrypts secrets, see ``MasterKey/key(for:)``.
    static let boxPurpose = "signing keys"

    let directory: Directory
    private let box: [UInt8]
    let refreshKey: [UInt8]
    /// Signs the state of a visit to an identity provider.
    let visitKey: [UInt8]
    /// Makes the digests of app passwords.
    let appPasswordKey: [UInt8]
    private let ring = Locked(Ring())

    /// Reads the keys.
    ///
    /// - Throws: `DirectoryError` `unusableKey` if they were encrypted with another master key.
    package init(_ directory: Directory, master: MasterKey) throws {
        self.directory = directory
        box = try master.key(for: Self.boxPurpose)
        refreshKey = try master.key(for: "refresh tokens")
        visitKey = try master.key(for: "visits to providers")
        appPasswordKey = try master.key(for: "app passwords")
        try reload()
    }

    private func reload() throws { try take(directory.signInRecords.signingKeys()) }

    private static func outline(_ keys: [SigningKey]) -> [String] {
        keys.map { "\($0.id) \($0.retired?.timeIntervalSince1970 ?? 0)" }
    }

    private func take(_ keys: [SigningKey]) throws {
        var new = Ring()
        var verifying: [VerificationKey] = []
        let now = directory.now
        new.stored = Self.outline(keys)
        for stored in keys {
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
        ring.withLock { [new] ring in
            let generation = ring.generation + 1
            ring = new
            ring.generation = generation
        }
    }

    /// The keys, as they were at most ``freshness`` ago: another server or program may have changed them.
    private var present: Ring {
        let (known, isOld) = ring.withLock { ring in
            let isOld = .now - ring.lastCheck >= Self.freshness
            // One caller looks, and the others go on with what is known.
            if isOld { ring.lastCheck = .now }
            return (ring, isOld)
        }
        // While the directory cannot be read, the last keys count.
        guard isOld, let keys = try? directory.signInRecords.signingKeys(), Self.outline(keys) != known.stored,
            (try? take(keys)) != nil
        else { return known }
        return ring.withLock { $0 }
    }

    /// A number that changes with the keys. What was found out with the keys is valid while the number is the same.
    var generation: Int { present.generation }

    package var published: JSONValue { ["keys": .array(present.published)] }

    package func prepare(_ algorithm: SigningAlgorithm) throws {
        if signer(algorithm) == nil { try rotate(algorithm, in: directory.acting(as: .administrator("first use"))) }
    }

    /// Makes the first key for a backend's tokens, so that clients see the key before its first token.
    func prepare(for signature: TokenSignature) throws {
        try prepare(signature.keyAlgorithm)
    }

    private func signer(_ algorithm: SigningAlgorithm) -> SigningKey? {
        let now = directory.now
        return present.signing[algorithm.algorithm]?.first { now < $0.until }?.key
    }

    /// Makes a new key. It is published at once, and signs after ``notice``, or at once if there is no other key. Tokens that old
    /// keys signed are valid until they end.
    ///
    /// - Parameter view: The view of an administrator, who is the actor of the change.
    /// - Returns: The identifier of the new key.
    /// - Throws: `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    @discardableResult
    package func rotate(_ algorithm: SigningAlgorithm, in view: DirectoryView) throws -> String {
        // Making a key is costly, and only who may store one has one made.
        try view.read { _ = try $0.asPresentAdministrator(to: "change signing keys") }
        let key = try NewKey(algorithm, box)
        try view.write { try $0.asPresentAdministrator(to: "change signing keys").keys.insert(key) }
        try reload()
        return key.id
    }

    /// Makes a new key, as the synchronous form does.
    @discardableResult
    package func rotate(_ algorithm: SigningAlgorithm, in view: DirectoryView) async throws -> String {
        try await view.awaitRead(isBrief: true) { _ = try $0.asPresentAdministrator(to: "change signing keys") }
        let key = try NewKey(algorithm, box)
        try await view.awaitWrite { try $0.asPresentAdministrator(to: "change signing keys").keys.insert(key) }
        try reload()
        return key.id
    }

    /// Removes a key, such as a stolen one. Tokens that the key signed are not accepted any more.
    ///
    /// - Parameter view: The view of an administrator, who is the actor of the change.
    /// - Returns: Whether there was such a key.
    /// - Throws: `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    @discardableResult
    package func remove(_ id: String, in view: DirectoryView) async throws -> Bool {
        let wasThere = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "change signing keys").keys.remove(id)
        }
        try reload()
        return wasThere
    }

    // MARK: Signing

    /// Signs a token with the key of an algorithm.
    ///
    /// - Parameter type: `typ`, such as `at+jwt`.
    package func sign(
        _ claims: [JSONValue.Member], type: String, with algorithm: SigningAlgorithm
    ) throws -> String {
        try prepare(algorithm)
        guard let key = signer(algorithm) else {
            throw DirectoryError(.storageFailed, "There is no key to sign with.", advice: "Make a new signing key.")
        }
        return try key.sign(claims, type: type)
    }

    /// The claims of a token that one of these keys signed; nil for any other text. Times are the caller's to check.
    package func verify(_ text: String, type: String) throws -> JSONValue? {
        guard let token = try? JSONWebToken(text), token.type == type.lowercased() else { return nil }
        let keys = present.verifying
        return try token.isSigned(by: keys, allowing: Set(SigningAlgorithm.allCases.map(\.algorithm)))
            ? token.claims : nil
    }

    // MARK: Secrets

    /// Encrypts a text.
    ///
    /// - Parameter context: The owner of the text. ``open(_:_:)`` needs the same one.
    package func seal(_ text: String, _ context: String) throws -> String {
        Base64URL.text(try SecretBox.seal(Array(text.utf8), key: box, context: context))
    }

    /// Decrypts the result of ``seal(_:_:)``.
    package func open(_ text: String, _ context: String) throws -> String {
        String(decoding: try opened(text, context), as: UTF8.self)
    }

    private func opened(_ text: String, _ context: String) throws -> [UInt8] {
        guard let sealed = Base64URL.bytes(text), let bytes = try SecretBox.open(sealed, key: box, context: context)
        else {
            throw DirectoryError(
                .unusableKey, "The directory's secrets were encrypted with another key file.",
                advice: "Put the directory's own key file beside the directory's file. If it is lost for good, the "
                    + "command-line tool makes a new one.")
        }
        return bytes
    }
}
