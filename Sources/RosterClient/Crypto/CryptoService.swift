import RosterCrypto
import RosterText

/// Hashes, authentication codes, encryption and random keys. Mirrors Oracle's `OMCryptoService`.
///
/// Old and weak algorithms decrypt and verify always. Functions that write with those are deprecated, and have a parameter
/// `old`. Key pairs are in ``KeyPairs``; one-time passwords in ``CounterPasswords`` and ``TimedPasswords``.
///
/// For the passwords of users, a salted hash is too fast: keep those on the server, or in a ``CredentialStore``.
public enum CryptoService {
    /// The longest input of all functions in bytes: 1 GiB.
    public static let longestInput = 1 << 30

    /// Makes a random key. Mirrors `generateSymmetricKeyOfLength:outError:`.
    ///
    /// - Parameter length: The length in bytes, 16 to 1,024: 16, 24 or 32 for AES.
    /// - Throws: ``ClientError``: `invalidInput`, `cryptographyFailed`.
    public static func key(length: Int = 32) throws -> [UInt8] {
        guard (16...1_024).contains(length) else {
            throw ClientError.invalidInput(
                "A key of \(length) bytes was asked for.", "Ask for 16 to 1,024 bytes: 16, 24 or 32 for AES.")
        }
        return try ClientError.wrapping { try SecureRandom.bytes(length) }
    }

    // MARK: Authentication codes

    /// The authentication code of a message (HMAC, RFC 2104). Mirrors
    /// `OMOTPService computeHashMACForData:usingHashingAlgoritm:andKey:base64EncodeHMAC:outError:`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The secret key, of any length.
    ///   - algorithm: The hash function.
    /// - Returns: The code, as long as a hash.
    /// - Throws: ``ClientError``: `invalidInput`, `cryptographyFailed`.
    public static func authenticationCode(
        for message: [UInt8], key: [UInt8], with algorithm: HashAlgorithm = .sha256
    ) throws -> [UInt8] {
        try code(message, key, algorithm.digest)
    }

    /// The authentication code of a message with a broken hash function, for old peers.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The secret key, of any length.
    ///   - algorithm: The hash function.
    /// - Returns: The code, as long as a hash.
    /// - Throws: ``ClientError``: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use a hash function of the SHA-2 family.")
    public static func authenticationCode(
        for message: [UInt8], key: [UInt8], old algorithm: OldHashAlgorithm
    ) throws -> [UInt8] {
        try code(message, key, algorithm.digest)
    }

    /// Checks the authentication code of a message, in a time that tells nothing about the right code.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message.
    ///   - message: The message.
    ///   - key: The secret key.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the code is right.
    /// - Throws: ``ClientError``: `invalidInput`, `cryptographyFailed`.
    public static func verify(
        authenticationCode code: [UInt8], of message: [UInt8], key: [UInt8], with algorithm: HashAlgorithm = .sha256
    ) throws -> Bool {
        constantTimeEqual(try Self.code(message, key, algorithm.digest), code)
    }

    /// Checks an authentication code of an old peer, which was made with a broken hash function.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message.
    ///   - message: The message.
    ///   - key: The secret key.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the code is right.
    /// - Throws: ``ClientError``: `invalidInput`, `cryptographyFailed`.
    public static func verify(
        authenticationCode code: [UInt8], of message: [UInt8], key: [UInt8], old algorithm: OldHashAlgorithm
    ) throws -> Bool {
        constantTimeEqual(try Self.code(message, key, algorithm.digest), code)
    }

    private static func code(_ message: [UInt8], _ key: [UInt8], _ algorithm: DigestAlgorithm) throws -> [UInt8] {
        try bounded(message)
        try bounded(key)
        return try ClientError.wrapping { try HMACCode.code(for: message, key: key, with: algorithm) }
    }

    // MARK: Bounds

    static func bounded(_ input: [UInt8]) throws {
        guard input.count <= longestInput else {
            throw ClientError.invalidInput("The input has more than 1 GiB.", "Divide the input.")
        }
    }

    static func wrongKeyLength(_ length: Int, _ lengths: [Int]) -> ClientError {
        ClientError.invalidInput(
            "The key has \(length) bytes.",
            "Give a key of \(lengths.map(String.init).joined(separator: ", ")) bytes, as the cipher needs.")
    }

    static let notDecrypted = ClientError(
        .decryptionFailed, "The data was altered, or was encrypted with another key or in another way.",
        advice: "Check the key and the cipher.")
}
