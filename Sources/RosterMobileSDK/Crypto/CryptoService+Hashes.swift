public import Foundation
import RosterClient
import RosterCrypto
import RosterText

extension CryptoService {
    // MARK: Writing

    /// Makes a random salt. Mirrors `generateSaltOfBitLength:outError:`.
    ///
    /// - Parameter bits: A multiple of 8 from 8 to 1,024. Oracle's SDK writes salts as hexadecimal digits, and so takes other
    ///   multiples of 4 as well.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func salt(bits: Int) throws -> Data {
        guard (8...1_024).contains(bits), bits % 8 == 0 else {
            throw ClientError.invalidInput(
                "A salt of \(bits) bits was asked for.", "Ask for a multiple of 8 from 8 to 1,024.")
        }
        return Data(try ClientError.wrapping { try SecureRandom.bytes(bits / 8) })
    }

    /// The hash of data and of a salt after the data. Mirrors `SHA256HashData:outError:` and its siblings, and
    /// `hashData:withSalt:algorithm:appendSaltToOutput:base64Encode:prefixOutputWithAlgorithmName:outError:`.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - algorithm: The hash function.
    ///   - salt: The salt; empty for none.
    ///   - isSaltAppended: Whether the salt follows the hash in the result.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func hash(
        _ data: some DataProtocol, with algorithm: HashAlgorithm, salt: some DataProtocol = Data(),
        isSaltAppended: Bool = false
    ) throws -> Data {
        Data(try digest(data, algorithm.digest, salt)) + (isSaltAppended ? Data(salt) : Data())
    }

    /// The hash of data with an insecure hash function, for old peers. Mirrors `SHA1HashData:outError:` and
    /// `MD5HashData:outError:`.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - algorithm: The hash function.
    ///   - salt: The salt; empty for none.
    ///   - isSaltAppended: Whether the salt follows the hash in the result.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use a hash function of the SHA-2 family.")
    public static func hash(
        _ data: some DataProtocol, insecure algorithm: InsecureHashAlgorithm, salt: some DataProtocol = Data(),
        isSaltAppended: Bool = false
    ) throws -> Data {
        Data(try digest(data, algorithm.digest, salt)) + (isSaltAppended ? Data(salt) : Data())
    }

    /// A hash as text: base64 of the hash of data and a new random salt, followed by the salt, after a name such as
    /// `{SSHA512}`. Mirrors `SHA512HashAndBase64EncodeData:withSaltOfBitLength:outSalt:outError:` and its siblings.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - algorithm: The hash function.
    ///   - saltBits: The length of the salt as in ``salt(bits:)``; 0 for no salt.
    ///   - isPrefixed: Whether the name of the hash function is written.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func hashText(
        _ data: some DataProtocol, with algorithm: HashAlgorithm = .sha512, saltBits: Int = 128,
        isPrefixed: Bool = true
    ) throws -> String {
        try text(data, algorithm.digest, algorithm.rawValue, saltBits, isPrefixed)
    }

    /// A hash with an insecure hash function as text, for old peers.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - algorithm: The hash function.
    ///   - saltBits: The length of the salt as in ``salt(bits:)``; 0 for no salt.
    ///   - isPrefixed: Whether the name of the hash function is written: `{SSHA}` or `{SMD5}` with a salt.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use a hash function of the SHA-2 family.")
    public static func hashText(
        _ data: some DataProtocol, insecure algorithm: InsecureHashAlgorithm, saltBits: Int = 128,
        isPrefixed: Bool = true
    ) throws -> String {
        try text(data, algorithm.digest, algorithm.rawValue, saltBits, isPrefixed)
    }

    // MARK: Checking

    /// Checks data against a hash as text, with the name of the hash function.
    ///
    /// All names are known that LDAP servers and Oracle's SDK write, such as `{SSHA}`, `{SHA256}`, `{SaltedSHA-512}`,
    /// `{SHA-1}` and `{MD5}`. The comparison takes the same time for all wrong data.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - text: The text of ``hashText(_:with:saltBits:isPrefixed:)`` or another program.
    /// - Returns: Whether the hash is that of the data.
    /// - Throws: `ClientError` `invalidInput` if the text is not such a hash, so that nobody takes that for wrong data.
    public static func verify(_ data: some DataProtocol, hashText text: String) throws -> Bool {
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else {
            throw malformed("has no name of a hash function in braces")
        }
        guard let prefix = HashPrefix(text[text.index(after: text.startIndex)..<end]) else {
            throw malformed("has the name of an unknown hash function")
        }
        return try verify(data, bytes(text[text.index(after: end)...]), prefix.digest, isSalted: prefix.isSalted)
    }

    /// Checks data against a hash as text without the name of the hash function. Bytes after the hash are the salt.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - text: The hash in base64.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the hash is that of the data.
    /// - Throws: `ClientError` `invalidInput` if the text is not such a hash.
    public static func verify(
        _ data: some DataProtocol, hashText text: String, with algorithm: HashAlgorithm
    ) throws -> Bool {
        try verify(data, bytes(text), algorithm.digest, isSalted: nil)
    }

    /// Checks data against a hash as text without the name of the hash function, which is an insecure one.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - text: The hash in base64.
    ///   - algorithm: The hash function.
    /// - Returns: Whether the hash is that of the data.
    /// - Throws: `ClientError` `invalidInput` if the text is not such a hash.
    public static func verify(
        _ data: some DataProtocol, hashText text: String, insecure algorithm: InsecureHashAlgorithm
    ) throws -> Bool {
        try verify(data, bytes(text), algorithm.digest, isSalted: nil)
    }

    /// Checks data against a hash.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - hash: The hash. Bytes after the hash are the salt, unless a salt is given.
    ///   - algorithm: The hash function.
    ///   - salt: The salt, if the salt was kept elsewhere.
    /// - Returns: Whether the hash is that of the data.
    /// - Throws: `ClientError` `invalidInput` if the hash is too short or too long.
    public static func verify(
        _ data: some DataProtocol, hash: some DataProtocol, with algorithm: HashAlgorithm, salt: Data? = nil
    ) throws -> Bool {
        try verify(data, hash.bounded(), algorithm.digest, salt)
    }

    /// Checks data against a hash that was made with an insecure hash function.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - hash: The hash. Bytes after the hash are the salt, unless a salt is given.
    ///   - algorithm: The hash function.
    ///   - salt: The salt, if the salt was kept elsewhere.
    /// - Returns: Whether the hash is that of the data.
    /// - Throws: `ClientError` `invalidInput` if the hash is too short or too long.
    public static func verify(
        _ data: some DataProtocol, hash: some DataProtocol, insecure algorithm: InsecureHashAlgorithm, salt: Data? = nil
    ) throws -> Bool {
        try verify(data, hash.bounded(), algorithm.digest, salt)
    }

    // MARK: Parts

    private static func digest(
        _ data: some DataProtocol, _ algorithm: DigestAlgorithm, _ salt: some DataProtocol
    ) throws -> [UInt8] {
        guard salt.count <= 1_024 else {
            throw ClientError.invalidInput("The salt has \(salt.count) bytes.", "Give at most 1,024 bytes.")
        }
        let (data, salt) = (try data.bounded(), Array(salt))
        return try ClientError.wrapping {
            try data.withUnsafeBytes { data in try salt.withUnsafeBytes { try algorithm.digest(data, $0) } }
        }
    }

    private static func text(
        _ data: some DataProtocol, _ algorithm: DigestAlgorithm, _ name: String, _ saltBits: Int, _ isPrefixed: Bool
    ) throws -> String {
        let salt = saltBits == 0 ? Data() : try salt(bits: saltBits)
        let text = Base64.text(try digest(data, algorithm, salt) + salt)
        return isPrefixed ? "{\(salt.isEmpty ? "" : "S")\(name)}\(text)" : text
    }

    private static func verify(
        _ data: some DataProtocol, _ bytes: [UInt8], _ algorithm: DigestAlgorithm, isSalted: Bool?
    ) throws -> Bool {
        if let isSalted, isSalted != (bytes.count > algorithm.length) {
            throw malformed(isSalted ? "has no salt, although its name says so" : "has a salt, against its name")
        }
        return try verify(data, bytes, algorithm, nil)
    }

    private static func verify(
        _ data: some DataProtocol, _ bytes: [UInt8], _ algorithm: DigestAlgorithm, _ salt: Data?
    ) throws -> Bool {
        guard bytes.count >= algorithm.length, salt == nil || bytes.count == algorithm.length else {
            throw malformed("has another length than a hash of its hash function")
        }
        let made = try digest(data, algorithm, salt ?? Data(bytes.dropFirst(algorithm.length)))
        return constantTimeEqual(made, Array(bytes.prefix(algorithm.length)))
    }

    private static func bytes(_ text: some StringProtocol) throws -> [UInt8] {
        guard text.utf8.count <= 4_096, let bytes = Base64.bytes(text, padding: .optional) else {
            throw malformed("is not base64")
        }
        return bytes
    }

    private static func malformed(_ problem: String) -> ClientError {
        ClientError.invalidInput("The stored hash \(problem).", "Give the hash exactly as the hash was written.")
    }
}
