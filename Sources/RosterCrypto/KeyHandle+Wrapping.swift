import CCrypto

/// Encryption of short secrets, such as keys, with RSA (RFC 8017, section 7).
extension KeyHandle {
    /// How a secret is made as long as the modulus.
    package enum WrapPadding: Sendable, Hashable {
        /// OAEP with one hash function for the label and the mask.
        case oaep(DigestAlgorithm)
        case pkcs1
    }

    /// The longest secret in bytes that the key can encrypt; negative for other kinds of keys.
    package func longestWrapped(_ padding: WrapPadding) -> Int {
        guard kind == .rsa else { return -1 }
        let size = Int(EVP_PKEY_get_size(pointer))
        return switch padding {
        case .oaep(let algorithm): size - 2 * algorithm.length - 2
        case .pkcs1: size - 11
        }
    }

    /// Encrypts a secret with the public key.
    /// - Throws: ``CryptoFailure``, for example if the secret is too long.
    package func wrap(_ secret: [UInt8], _ padding: WrapPadding) throws -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw CryptoFailure(operation: "EVP_PKEY_CTX_new_from_pkey")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_encrypt_init(context) == 1, Self.set(padding, context) else {
            throw CryptoFailure(operation: "EVP_PKEY_encrypt_init")
        }
        var count = Int(EVP_PKEY_get_size(pointer))
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            guard EVP_PKEY_encrypt(context, buffer.baseAddress, &count, secret, secret.count) == 1 else {
                throw CryptoFailure(operation: "EVP_PKEY_encrypt")
            }
            used = count
        }
    }

    /// Decrypts a secret with the private key; returns nil if the bytes were not encrypted with the public key in this way.
    /// - Throws: ``CryptoFailure``.
    package func unwrap(_ wrapped: [UInt8], _ padding: WrapPadding) throws -> [UInt8]? {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw CryptoFailure(operation: "EVP_PKEY_CTX_new_from_pkey")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_decrypt_init(context) == 1, Self.set(padding, context) else {
            throw CryptoFailure(operation: "EVP_PKEY_decrypt_init")
        }
        var count = Int(EVP_PKEY_get_size(pointer))
        var secret = [UInt8](repeating: 0, count: count)
        defer { cleanse(&secret) }
        guard EVP_PKEY_decrypt(context, &secret, &count, wrapped, wrapped.count) == 1 else { return nil }
        return Array(secret.prefix(count))
    }

    private static func set(_ padding: WrapPadding, _ context: OpaquePointer) -> Bool {
        switch padding {
        case .oaep(let algorithm):
            // The mask takes the same hash function unless another one is set.
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_oaep_md(context, algorithm.evp) == 1
        case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        }
    }

    // MARK: Encodings of public keys

    /// Reads a public key from SubjectPublicKeyInfo in DER (RFC 5280, section 4.1.2.7); nil if the bytes are no key of a
    /// known kind and size.
    package convenience init?(publicKeyInfo bytes: [UInt8]) {
        let read = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            let key = d2i_PUBKEY(nil, &next, buffer.count)
            guard let key, let start = buffer.baseAddress, next == start + buffer.count else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        guard let read else { return nil }
        self.init(adopting: read)
    }

    /// Reads a private key of any known kind from PKCS #8 in DER; nil if the bytes are not such a key.
    package convenience init?(pkcs8 bytes: [UInt8]) {
        let read = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &next, buffer.count)
        }
        guard let read else { return nil }
        self.init(adopting: read)
    }

    /// Writes the public key as SubjectPublicKeyInfo in DER.
    /// - Throws: ``CryptoFailure``.
    package func publicKeyInfo() throws -> [UInt8] { try encoded("i2d_PUBKEY") { i2d_PUBKEY(pointer, $0) } }

    /// Writes the public key alone: an uncompressed point for elliptic curves, PKCS #1 in DER for RSA.
    /// - Throws: ``CryptoFailure``.
    package func rawPublicKey() throws -> [UInt8] { try encoded("i2d_PublicKey") { i2d_PublicKey(pointer, $0) } }

    private func encoded(
        _ operation: String, _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
    ) throws -> [UInt8] {
        let length = write(nil)
        guard length > 0 else { throw CryptoFailure(operation: operation) }
        return try [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, used in
            var next = buffer.baseAddress
            guard write(&next) == length else { throw CryptoFailure(operation: operation) }
            used = Int(length)
        }
    }
}
