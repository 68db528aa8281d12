import CCrypto

/// Authenticated encryption with AES-GCM (NIST SP 800-38D), for secrets that must be readable again. Keys have 16, 24 or
/// 32 bytes.
package enum SecretBox {
    private static let nonceLength = 12
    private static let tagLength = 16

    /// Encrypts bytes. The result is a new nonce, the encrypted bytes and the tag.
    ///
    /// - Parameter context: The purpose of the secret. Decryption needs the same context.
    package static func seal(_ bytes: [UInt8], key: [UInt8], context: String) throws -> [UInt8] {
        let nonce = try SecureRandom.bytes(nonceLength)
        let cipher = try begin(key, nonce, context, isSealing: true)
        defer { EVP_CIPHER_CTX_free(cipher) }
        var output = [UInt8](repeating: 0, count: bytes.count)
        var count: CInt = 0
        var tag = [UInt8](repeating: 0, count: tagLength)
        guard EVP_EncryptUpdate(cipher, &output, &count, bytes, CInt(bytes.count)) == 1, Int(count) == bytes.count,
            EVP_EncryptFinal_ex(cipher, nil, &count) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CInt(tagLength), &tag) == 1
        else { throw CryptoFailure(operation: "EVP_EncryptUpdate") }
        return nonce + output + tag
    }

    /// Decrypts bytes; returns nil if they were altered, or the key or the context is wrong.
    package static func open(_ sealed: [UInt8], key: [UInt8], context: String) throws -> [UInt8]? {
        guard sealed.count >= nonceLength + tagLength else { return nil }
        let text = Array(sealed[nonceLength..<(sealed.count - tagLength)])
        var tag = Array(sealed.suffix(tagLength))
        let cipher = try begin(key, Array(sealed.prefix(nonceLength)), context, isSealing: false)
        defer { EVP_CIPHER_CTX_free(cipher) }
        var output = [UInt8](repeating: 0, count: text.count)
        var count: CInt = 0
        guard EVP_DecryptUpdate(cipher, &output, &count, text, CInt(text.count)) == 1, Int(count) == text.count,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CInt(tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(cipher, nil, &count) == 1
        else { return nil }
        return output
    }

    private static func begin(
        _ key: [UInt8], _ nonce: [UInt8], _ context: String, isSealing: Bool
    ) throws -> OpaquePointer {
        let kind: OpaquePointer?
        switch key.count {
        case 16: kind = EVP_aes_128_gcm()
        case 24: kind = EVP_aes_192_gcm()
        case 32: kind = EVP_aes_256_gcm()
        default: kind = nil
        }
        guard let kind, let cipher = EVP_CIPHER_CTX_new() else {
            throw CryptoFailure(operation: "EVP_CIPHER_CTX_new")
        }
        let associated = Array(context.utf8)
        var count: CInt = 0
        guard EVP_CipherInit_ex(cipher, kind, nil, key, nonce, isSealing ? 1 : 0) == 1,
            EVP_CipherUpdate(cipher, nil, &count, associated, CInt(associated.count)) == 1
        else {
            EVP_CIPHER_CTX_free(cipher)
            throw CryptoFailure(operation: "EVP_CipherInit_ex")
        }
        return cipher
    }
}
