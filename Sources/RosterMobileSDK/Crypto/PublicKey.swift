public import Foundation
import RosterClient
import RosterCrypto
import RosterText

/// A public key: RSA with 2,048 to 8,192 bits, or an elliptic curve P-256.
public struct PublicKey: Sendable, Hashable, CustomStringConvertible {
    private let handle: KeyHandle

    /// SubjectPublicKeyInfo in DER (RFC 5280, section 4.1.2.7).
    public let info: Data

    /// The key alone, as Apple's `SecKeyCopyExternalRepresentation` gives it: RSAPublicKey of PKCS #1 in DER for RSA, the
    /// uncompressed point of 65 bytes for P-256.
    public let raw: Data

    /// Reads a key from SubjectPublicKeyInfo in DER.
    ///
    /// - Parameter info: The bytes.
    /// - Throws: `ClientError` `invalidInput` for anything else, and for keys of other kinds and sizes.
    public init(info: some DataProtocol) throws {
        guard info.count <= 4_096, let handle = KeyHandle(publicKeyInfo: Array(info)) else {
            throw ClientError.invalidInput(
                "The bytes are not a public key of a known kind.",
                "Give an RSA key of 2,048 to 8,192 bits, or one of P-256.")
        }
        try self.init(handle)
    }

    /// Reads a key from PEM (RFC 7468) with the label `PUBLIC KEY`, as `openssl pkey -pubout` writes it.
    ///
    /// - Parameter pem: The text.
    /// - Throws: `ClientError` `invalidInput`.
    public init(pem: String) throws {
        guard pem.utf8.count <= 16_384, let start = pem.firstRange(of: "-----BEGIN PUBLIC KEY-----"),
            let end = pem[start.upperBound...].firstRange(of: "-----END PUBLIC KEY-----"),
            let info = Base64.bytes(pem[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace })
        else {
            throw ClientError.invalidInput(
                "The text is not a public key in PEM.", "Give the text that begins with -----BEGIN PUBLIC KEY-----.")
        }
        try self.init(info: info)
    }

    init(_ handle: KeyHandle) throws {
        guard handle.kind == .rsa || handle.kind == .p256 else {
            throw ClientError.invalidInput(
                "The key is of another kind than RSA and P-256.", "Use an RSA key or a key of P-256.")
        }
        self.handle = handle
        (info, raw) = try ClientError.wrapping { (Data(try handle.publicKeyInfo()), Data(try handle.rawPublicKey())) }
    }

    /// The key in PEM (RFC 7468).
    public var pem: String {
        var text = "-----BEGIN PUBLIC KEY-----\n"
        var rest = Base64.text(info)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END PUBLIC KEY-----\n"
    }

    /// The key in PEM.
    public var description: String { pem }

    /// Whether both keys are the same.
    public static func == (first: PublicKey, second: PublicKey) -> Bool { first.info == second.info }

    /// Feeds the bytes of the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(info) }

    // MARK: Verifying

    /// Checks a signature. Mirrors `verifyData:withSignature:publicKeyTagPrefix:paddingAndHashingScheme:outError:`.
    ///
    /// - Parameters:
    ///   - signature: The signature, in DER for P-256.
    ///   - data: The signed data.
    ///   - scheme: How the data was signed.
    /// - Returns: Whether the signature is right.
    /// - Throws: `ClientError` `invalidInput` if the scheme is for another kind of key.
    public func verify(
        _ signature: some DataProtocol, of data: some DataProtocol, scheme: SignatureScheme
    ) throws -> Bool {
        try Self.check(handle, isForRSA: scheme.isForRSA)
        return handle.verifyDER(try signature.bounded(), of: try data.bounded(), scheme.scheme)
    }

    /// Checks a signature of an old app.
    ///
    /// - Parameters:
    ///   - signature: The signature.
    ///   - data: The signed data.
    ///   - scheme: How the data was signed.
    /// - Returns: Whether the signature is right.
    /// - Throws: `ClientError` `invalidInput` if the scheme is for another kind of key.
    public func verify(
        _ signature: some DataProtocol, of data: some DataProtocol, insecure scheme: InsecureSignatureScheme
    ) throws -> Bool {
        try Self.check(handle, isForRSA: true)
        return handle.verifyDER(try signature.bounded(), of: try data.bounded(), scheme.scheme)
    }

    // MARK: Wrapping

    /// Encrypts a key with this RSA key. Mirrors `wrapKeyData:withPublicKeyTagPrefix:padding:outError:`.
    ///
    /// - Parameters:
    ///   - key: The key, such as one of AES; at most 190 bytes with RSA of 2,048 bits and SHA-256.
    ///   - scheme: How to encrypt.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public func wrap(_ key: some DataProtocol, scheme: WrapScheme = .oaep(.sha256)) throws -> Data {
        try wrap(key, scheme.padding)
    }

    /// Encrypts a key in an insecure way, for old peers.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - scheme: How to encrypt.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    @available(*, deprecated, message: "Use OAEP with SHA-256.")
    public func wrap(_ key: some DataProtocol, insecure scheme: InsecureWrapScheme) throws -> Data {
        try wrap(key, scheme.padding)
    }

    private func wrap(_ key: some DataProtocol, _ padding: KeyHandle.WrapPadding) throws -> Data {
        try Self.check(handle, isForRSA: true)
        let longest = handle.longestWrapped(padding)
        guard key.count <= longest else {
            throw ClientError.invalidInput(
                "The key to wrap has \(key.count) bytes.", "Give at most \(longest) bytes, or use a larger RSA key.")
        }
        return Data(try ClientError.wrapping { try handle.wrap(Array(key), padding) })
    }

    static func check(_ handle: KeyHandle, isForRSA: Bool) throws {
        guard isForRSA == (handle.kind == .rsa) else {
            throw ClientError.invalidInput(
                "The key is \(handle.kind == .rsa ? "an RSA key" : "a key of P-256"), and the scheme is for the other kind.",
                "Use a scheme for the kind of the key.")
        }
    }
}
