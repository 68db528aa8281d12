public import Foundation
import RosterClient
import RosterCrypto
import RosterText

/// Hashes, authentication codes, encryption and random keys. Mirrors Oracle's `OMCryptoService`.
///
/// Insecure algorithms are in functions with a parameter `insecure`, for data of old apps. Those that write are deprecated.
/// Key pairs are in ``KeyPairs``; one-time passwords in ``HOTP`` and ``TOTP``.
///
/// For the passwords of users, a salted hash is too fast: keep those on the server, or in a ``CredentialStore``.
public enum CryptoService {
    /// The longest input of all functions in bytes: 1 GiB.
    public static let longestInput = 1 << 30

    /// Makes a random key. Mirrors `generateSymmetricKeyOfLength:outError:`.
    ///
    /// - Parameter length: The length in bytes, 16 to 1,024: 16, 24 or 32 for AES.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func key(length: Int = 32) throws -> Data {
        guard (16...1_024).contains(length) else {
            throw ClientError.invalidInput(
                "A key of \(length) bytes was asked for.", "Ask for 16 to 1,024 bytes: 16, 24 or 32 for AES.")
        }
        return Data(try ClientError.wrapping { try SecureRandom.bytes(length) })
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
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func authenticationCode(
        for message: some DataProtocol, key: some DataProtocol, with algorithm: HashAlgorithm = .sha256
    ) throws -> Data {
        Data(try code(message, key, algorithm.digest))
    }

    /// The authentication code of a message with an insecure hash function, for old peers.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The secret key, of any length.
    ///   - algorithm: The hash function.
    /// - Returns: The code, as long as a hash.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use a hash function of the SHA-2 family.")
    public static func authenticationCode(
        for message: some DataProtocol, key: some DataProtocol, insecure algorithm: InsecureHashAlgorithm
    ) throws -> Data {
        Data(try code(message, key, algorithm.digest))
    }

    /// Checks the authentication code of a message, in a time that tells nothing about the right code.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message.
    ///   - message: The message.
    ///   - key: The secret key.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the code is right.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func verify(
        authenticationCode code: some DataProtocol, of message: some DataProtocol, key: some DataProtocol,
        with algorithm: HashAlgorithm = .sha256
    ) throws -> Bool {
        constantTimeEqual(try Self.code(message, key, algorithm.digest), try code.bounded())
    }

    /// Checks an authentication code of an old peer, which was made with an insecure hash function.
    ///
    /// - Parameters:
    ///   - code: The code that came with the message.
    ///   - message: The message.
    ///   - key: The secret key.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the code is right.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func verify(
        authenticationCode code: some DataProtocol, of message: some DataProtocol, key: some DataProtocol,
        insecure algorithm: InsecureHashAlgorithm
    ) throws -> Bool {
        constantTimeEqual(try Self.code(message, key, algorithm.digest), try code.bounded())
    }

    private static func code(
        _ message: some DataProtocol, _ key: some DataProtocol, _ algorithm: DigestAlgorithm
    ) throws -> [UInt8] {
        let (message, key) = (try message.bounded(), try key.bounded())
        return try ClientError.wrapping { try HMACCode.code(for: message, key: key, with: algorithm) }
    }

    // MARK: Errors

    static func wrongKeyLength(_ length: Int, _ lengths: [Int]) -> ClientError {
        ClientError.invalidInput(
            "The key has \(length) bytes.",
            "Give a key of \(lengths.map(String.init).joined(separator: ", ")) bytes, as the cipher needs.")
    }

    static let notDecrypted = ClientError(
        .decryptionFailed, "The data was altered, or was encrypted with another key or in another way.",
        advice: "Check the key and the cipher.")
}
