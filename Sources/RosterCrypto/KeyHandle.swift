import CCrypto

/// A private or public key of libcrypto, which is freed with its last reference.
package final class KeyHandle: Sendable {
    /// The kinds of keys that Roster signs or verifies with.
    package enum Kind: Sendable, Hashable {
        case rsa
        case p256, p384, p521
        case ed25519

        /// The name of the group, for elliptic curves.
        package var group: String? {
            switch self {
            case .p256: "P-256"
            case .p384: "P-384"
            case .p521: "P-521"
            case .rsa, .ed25519: nil
            }
        }

        /// The length of a coordinate in bytes.
        package var coordinateLength: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            case .rsa, .ed25519: 0
            }
        }
    }

    package let kind: Kind
    private let key: roster_key

    /// The pointer for calls to libcrypto. It is valid while this object lives.
    package var pointer: OpaquePointer { key.pointer }

    private init(_ kind: Kind, owning pointer: OpaquePointer) {
        self.kind = kind
        key = roster_key(pointer: pointer)
    }

    deinit { EVP_PKEY_free(pointer) }

    // MARK: Making

    /// Generates a private key. This takes about 30 µs, or about 0.1 s for an RSA key of 2,048 bits.
    ///
    /// - Parameter bits: The size of an RSA key, 2,048 to 8,192.
    package static func generate(_ kind: Kind, bits: Int = 2_048) throws -> KeyHandle {
        let name = kind == .rsa ? "RSA" : kind == .ed25519 ? "ED25519" : "EC"
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else {
            throw CryptoFailure(operation: "EVP_PKEY_CTX_new_from_name")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { throw CryptoFailure(operation: "EVP_PKEY_keygen_init") }
        if kind == .rsa {
            guard (2_048...8_192).contains(bits), EVP_PKEY_CTX_set_rsa_keygen_bits(context, CInt(bits)) == 1 else {
                throw CryptoFailure(operation: "EVP_PKEY_CTX_set_rsa_keygen_bits")
            }
        } else if let group = kind.group {
            guard EVP_PKEY_CTX_set_group_name(context, group) == 1 else {
                throw CryptoFailure(operation: "EVP_PKEY_CTX_set_group_name")
            }
        }
        var made: OpaquePointer?
        guard EVP_PKEY_generate(context, &made) == 1, let made else {
            throw CryptoFailure(operation: "EVP_PKEY_generate")
        }
        return KeyHandle(kind, owning: made)
    }

    /// Reads a private key from PKCS #8 in DER. The result is nil if the bytes are not such a key, or one of another kind.
    package convenience init?(_ kind: Kind, pkcs8 bytes: [UInt8]) {
        let read = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &next, buffer.count)
        }
        self.init(kind, checking: read)
    }

    /// Takes over a key of any kind in ``Kind``, and frees all others. RSA keys must have 2,048 to 8,192 bits.
    package convenience init?(adopting pointer: OpaquePointer) {
        guard let kind = Self.kind(of: pointer), kind != .rsa || (2_048...8_192).contains(EVP_PKEY_get_bits(pointer))
        else {
            EVP_PKEY_free(pointer)
            return nil
        }
        self.init(kind, checking: pointer)
    }

    /// Takes over a key if it is of the given kind, and frees it otherwise.
    package convenience init?(_ kind: Kind, checking pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        guard Self.kind(of: pointer) == kind else {
            EVP_PKEY_free(pointer)
            return nil
        }
        self.init(kind, owning: pointer)
    }

    private static func kind(of pointer: OpaquePointer) -> Kind? {
        switch EVP_PKEY_get_base_id(pointer) {
        case EVP_PKEY_RSA: return .rsa
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
            switch String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) {
            case "prime256v1", "P-256": return .p256
            case "secp384r1", "P-384": return .p384
            case "secp521r1", "P-521": return .p521
            default: return nil
            }
        default: return nil
        }
    }

    /// Writes the private key as PKCS #8 in DER.
    package func pkcs8() throws -> [UInt8] {
        guard let info = EVP_PKEY2PKCS8(pointer) else { throw CryptoFailure(operation: "EVP_PKEY2PKCS8") }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        let length = i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard length > 0 else { throw CryptoFailure(operation: "i2d_PKCS8_PRIV_KEY_INFO") }
        return try [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, used in
            var next = buffer.baseAddress
            guard i2d_PKCS8_PRIV_KEY_INFO(info, &next) == length else {
                throw CryptoFailure(operation: "i2d_PKCS8_PRIV_KEY_INFO")
            }
            used = Int(length)
        }
    }
}
