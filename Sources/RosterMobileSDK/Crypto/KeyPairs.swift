public import Foundation
import RosterClient
import RosterCrypto
public import RosterSecrets
import RosterText

/// Key pairs in a secure store, each under a tag. Mirrors the key pairs of Oracle's `OMCryptoService`.
///
/// The private keys never leave the store through this type.
public struct KeyPairs: Sendable {
    /// The kind of a key pair.
    public enum Kind: Sendable, Hashable {
        /// RSA with 2,048 to 8,192 bits, for signing and wrapping. Generating a long key can take minutes.
        case rsa(bits: Int)
        /// The elliptic curve P-256 (FIPS 186-5), for signing.
        case p256
    }

    private let store: SecureStore
    private static let prefix = "key pair/"

    /// Keeps key pairs in a secure store, which can hold other values as well.
    ///
    /// - Parameter store: The secure store.
    public init(_ store: SecureStore) { self.store = store }

    /// Makes a key pair and stores the pair. Mirrors
    /// `generateAndStoreKeyPairOfBitLength:keyType:keychainTagPrefix:protection:outError:`.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - tag: The tag of the new pair.
    /// - Returns: The public key.
    /// - Throws: `ClientError`: `alreadyExists` if the tag has a pair; `invalidInput` for another size of RSA;
    ///   `cryptographyFailed`; the errors of `SecureStore.set(_:named:)`.
    public func generate(_ kind: Kind, tag: String) throws -> PublicKey {
        let isTaken = ClientError(
            .alreadyExists, "The tag '\(ShownText.plain(tag))' has a key pair already.",
            advice: "Delete the pair, or choose another tag.")
        // Generating takes long, so a taken tag is refused before.
        guard try store.bytes(named: Self.prefix + tag) == nil else { throw isTaken }
        let handle: KeyHandle
        switch kind {
        case .p256: handle = try ClientError.wrapping { try KeyHandle.generate(.p256) }
        case .rsa(let bits):
            guard (2_048...8_192).contains(bits), bits % 8 == 0 else {
                throw ClientError.invalidInput(
                    "An RSA key of \(bits) bits was asked for.", "Ask for a multiple of 8 from 2,048 to 8,192.")
            }
            handle = try ClientError.wrapping { try KeyHandle.generate(.rsa, bits: bits) }
        }
        let publicKey = try PublicKey(handle)
        var bytes = try ClientError.wrapping { try handle.pkcs8() }
        defer { cleanse(&bytes) }
        guard try store.set(bytes, named: Self.prefix + tag, if: false) else { throw isTaken }
        return publicKey
    }

    /// The tags that have a key pair, in ascending order.
    ///
    /// - Throws: The errors of `SecureStore.data(named:)`.
    public func tags() throws -> [String] {
        try store.names(withPrefix: Self.prefix).map { String($0.dropFirst(Self.prefix.count)) }
    }

    /// The public key of a pair. Mirrors `publicKeyFromKeychainWithTagPrefix:outError:`.
    ///
    /// - Parameter tag: The tag of the pair.
    /// - Throws: `ClientError` `notFound`; the errors of `SecureStore.data(named:)`.
    public func publicKey(_ tag: String) throws -> PublicKey { try PublicKey(handle(tag)) }

    /// Removes a pair, if there is one. Mirrors `deleteKeyPairFromKeychainWithTagPrefix:outError:`.
    ///
    /// - Parameter tag: The tag of the pair.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func delete(_ tag: String) throws { try store.remove(named: Self.prefix + tag) }

    /// Signs data. Mirrors `signData:withPrivateKeyTagPrefix:paddingAndHashingScheme:outError:`.
    ///
    /// ``PublicKey/verify(_:of:scheme:)`` checks the signature.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - tag: The tag of the pair.
    ///   - scheme: How to sign.
    /// - Returns: The signature, in DER for P-256.
    /// - Throws: `ClientError`: `notFound`; `invalidInput` if the scheme is for another kind of key; `cryptographyFailed`;
    ///   the errors of `SecureStore.data(named:)`.
    public func sign(_ data: some DataProtocol, with tag: String, scheme: SignatureScheme) throws -> Data {
        try sign(data, tag, scheme.scheme, isForRSA: scheme.isForRSA)
    }

    /// Signs data in an insecure way, for old peers.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - tag: The tag of the pair.
    ///   - scheme: How to sign.
    /// - Returns: The signature.
    /// - Throws: The errors of ``sign(_:with:scheme:)``.
    @available(*, deprecated, message: "Use RSA-PSS or ECDSA with SHA-256.")
    public func sign(
        _ data: some DataProtocol, with tag: String, insecure scheme: InsecureSignatureScheme
    ) throws -> Data {
        try sign(data, tag, scheme.scheme, isForRSA: true)
    }

    /// Decrypts a key that was wrapped with the public key. Mirrors
    /// `unwrapKeyData:withPrivateKeyTagPrefix:padding:outError:`.
    ///
    /// - Parameters:
    ///   - wrapped: What ``PublicKey/wrap(_:scheme:)`` returned.
    ///   - tag: The tag of the pair.
    ///   - scheme: How the key was encrypted.
    /// - Throws: `ClientError`: `decryptionFailed`; `notFound`; `invalidInput` if the pair is not RSA;
    ///   `cryptographyFailed`; the errors of `SecureStore.data(named:)`.
    public func unwrap(
        _ wrapped: some DataProtocol, with tag: String, scheme: WrapScheme = .oaep(.sha256)
    ) throws -> Data {
        try unwrap(wrapped, tag, scheme.padding)
    }

    /// Decrypts a key of an old app. Never tell the sender whether this function failed: with ``InsecureWrapScheme/pkcs1``, who
    /// can ask often enough learns the key.
    ///
    /// - Parameters:
    ///   - wrapped: The encrypted key.
    ///   - tag: The tag of the pair.
    ///   - scheme: How the key was encrypted.
    /// - Throws: The errors of ``unwrap(_:with:scheme:)``.
    public func unwrap(
        _ wrapped: some DataProtocol, with tag: String, insecure scheme: InsecureWrapScheme
    ) throws -> Data {
        try unwrap(wrapped, tag, scheme.padding)
    }

    // MARK: Parts

    private func handle(_ tag: String) throws -> KeyHandle {
        guard var bytes = try store.bytes(named: Self.prefix + tag) else {
            throw ClientError(
                .notFound, "There is no key pair with the tag '\(ShownText.plain(tag))'.",
                advice: "Generate the pair first, or check the tag.")
        }
        defer { cleanse(&bytes) }
        guard let handle = KeyHandle(pkcs8: bytes) else {
            throw SecureStoreError(
                .damagedStore, "The value with the tag '\(ShownText.plain(tag))' is not a key pair.",
                advice: "Delete the pair and generate another one.")
        }
        return handle
    }

    private func sign(
        _ data: some DataProtocol, _ tag: String, _ scheme: KeyHandle.Scheme, isForRSA: Bool
    ) throws -> Data {
        let data = try data.bounded()
        let handle = try handle(tag)
        try PublicKey.check(handle, isForRSA: isForRSA)
        return Data(try ClientError.wrapping { try handle.signDER(data, scheme) })
    }

    private func unwrap(
        _ wrapped: some DataProtocol, _ tag: String, _ padding: KeyHandle.WrapPadding
    ) throws -> Data {
        let wrapped = try wrapped.bounded()
        let handle = try handle(tag)
        try PublicKey.check(handle, isForRSA: true)
        let key = try ClientError.wrapping { try handle.unwrap(wrapped, padding) }
        guard let key else { throw CryptoService.notDecrypted }
        return Data(key)
    }
}
