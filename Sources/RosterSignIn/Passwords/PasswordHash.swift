import Foundation
import RosterCrypto
import RosterText

/// A stored hash of a password, with its parameters.
///
/// New hashes are scrypt in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. These hashes of other directories are accepted,
/// and replaced at the next sign-in (see ``needsRehash(_:)``):
/// - `{SHA}`, `{SHA256}`, `{SHA512}`, `{SSHA}`, `{SSHA256}`, `{SSHA512}`, `{SaltedSHA-512}` with base64 (RFC 2307, LDAP);
/// - `{PBKDF2}`, `{PBKDF2-SHA1}`, `{PBKDF2-SHA256}`, `{PBKDF2-SHA512}` (OpenLDAP), `$pbkdf2-sha256$…` and its sisters
///   (passlib), `pbkdf2_sha256$…`, `pbkdf2_sha1$…` (Django): at most 10,000,000 iterations;
/// - `$1$`, `$5$`, `$6$` (at most 5,000,000 rounds), `$2a$`, `$2b$`, `$2y$` (cost at most 16), `$y$` and `$7$` (at most
///   256 MiB), each with or without `{CRYPT}` before it, on systems with libcrypt;
/// - `{BCRYPT}` before a hash of bcrypt, and `{PBKDF2_SHA256}` of 389 Directory Server;
/// - `$argon2id$…`, `$argon2i$…`, `$argon2d$…`, with or without `{ARGON2}`, on systems with libargon2.
///
/// Text without a scheme, `{CLEAR}`, `{PLAIN}` and the 13 characters of DES are refused.
///
/// New passwords are hashed in their prepared form (``OpaqueString``), as UTF-8. A hash may also be of the password as it was sent,
/// because imported hashes and older ones of Roster are; see ``Form``. The limits of imported schemes stay: bcrypt uses the first
/// 72 bytes only, and for the other schemes of `crypt` a password of more than 511 bytes is wrong. A password with a NUL byte is always
/// wrong, because `crypt` stops there, and HMAC takes a short password with a NUL at its end for the one without.
package struct PasswordHash: Sendable, Hashable {
    /// The largest size of a password in bytes.
    package static let maximumPasswordBytes = 1_024
    /// The largest size of a password that is prepared. A decomposed letter takes at most three times as many bytes.
    private static let maximumSentBytes = 3 * maximumPasswordBytes
    /// The largest size of a stored text in bytes.
    package static let maximumTextBytes = 512

    /// The text to store, as it was read or made.
    package let text: String
    let scheme: PasswordScheme

    /// Reads a stored text. Costs about 5 µs.
    /// - Throws: ``StoredHashProblem``.
    package init(_ text: String) throws(StoredHashProblem) {
        guard text.utf8.count <= Self.maximumTextBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .unknownScheme
        }
        scheme = try PasswordScheme(text)
        self.text = text
    }

    /// Whether a text is a hash that can be stored and verified here.
    package static func isStorable(_ text: String) -> Bool { (try? PasswordHash(text)) != nil }

    /// Hashes a new password with 16 random bytes of salt. ``PasswordPolicy`` checks the password before.
    /// - Throws: ``PasswordProblem/tooLong(maximumBytes:)``, or ``PasswordProblem/tooShort(minimumCharacters:)`` for an empty
    ///   password.
    package static func make(_ password: String, _ parameters: PasswordParameters = .standard) throws -> PasswordHash {
        guard !password.isEmpty else { throw PasswordProblem.tooShort(minimumCharacters: 1) }
        try check(password)
        let password = OpaqueString.prepared(password)
        let salt = try SecureRandom.bytes(16)
        let key = try password.withUTF8Bytes {
            try Scrypt.key(
                password: $0, salt: salt, logN: parameters.logN, r: parameters.r, p: parameters.p, length: 32)
        }
        let costs = "ln=\(parameters.logN),r=\(parameters.r),p=\(parameters.p)"
        return PasswordHash(
            text: "$scrypt$\(costs)$\(Base64.text(salt, isPadded: false))$\(Base64.text(key, isPadded: false))",
            scheme: .scrypt(parameters, salt: salt, key: key))
    }

    private init(text: String, scheme: PasswordScheme) {
        self.text = text
        self.scheme = scheme
    }

    /// The form of a password of which a hash was made.
    package enum Form: Sendable, Hashable {
        /// The form of new hashes.
        case prepared
        /// The password as it was sent, which differs from the prepared form.
        case asSent
    }

    /// The form in which a password matches, compared in constant time; nil for a wrong password. An empty password and one with a NUL
    /// are wrong at once.
    ///
    /// It takes up to 3 s (bcrypt of cost 16), and twice as long if the prepared form of a wrong password is not the password itself.
    /// Run it in ``HashSlots``, and through ``DummyHash`` if the time must not tell whether there is such a user.
    /// - Throws: ``PasswordProblem/tooLong(maximumBytes:)`` before anything is hashed.
    package func match(_ password: String) throws -> Form? {
        try Self.checkLength(password)
        guard !password.isEmpty, !password.utf8.contains(0) else { return nil }
        let prepared = OpaqueString.prepared(password)
        if try prepared.withUTF8Bytes({ try scheme.verify($0, text: text) }) { return .prepared }
        guard !prepared.utf8.elementsEqual(password.utf8) else { return nil }
        return try password.withUTF8Bytes { try scheme.verify($0, text: text) } ? .asSent : nil
    }

    /// Whether a password matches in one of its forms. See ``match(_:)``.
    package func verify(_ password: String) throws -> Bool { try match(password) != nil }

    /// Whether the password should be hashed again at the next sign-in, because the scheme is another one, or the costs, the salt or the
    /// hash are smaller than those of new hashes.
    package func needsRehash(_ parameters: PasswordParameters = .standard) -> Bool {
        guard case .scrypt(let own, let salt, let key) = scheme else { return true }
        return own.memory < parameters.memory || own.steps < parameters.steps || salt.count < 16 || key.count < 32
    }

    /// Refuses a password that cannot be a new one.
    static func check(_ password: String) throws(PasswordProblem) {
        try checkLength(password)
        guard !password.utf8.contains(0) else { throw .nul }
    }

    /// Refuses a password that is too long to be hashed, in its prepared form and as it was sent.
    static func checkLength(_ password: String) throws(PasswordProblem) {
        let count = password.utf8.count
        if count <= maximumPasswordBytes { return }
        guard count <= maximumSentBytes, OpaqueString.prepared(password).utf8.count <= maximumPasswordBytes else {
            throw .tooLong(maximumBytes: maximumPasswordBytes)
        }
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the scheme; the hash itself belongs in no log.
    package var description: String { "PasswordHash(\(scheme.name))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["scheme": scheme.name]) }
}
