import CCrypto

/// Block ciphers without authentication, for data of old apps. New data needs ``SecretBox``.
package enum BlockCipher {
    /// A cipher with its mode.
    package enum Kind: Sendable, Hashable {
        case aesCBC, aesECB
        case tripleDESCBC, tripleDESECB
        /// Single DES. libcrypto keeps that in a provider that may be missing, so Triple DES with three equal keys
        /// computes the same.
        case desCBC, desECB

        /// The length of a block in bytes.
        package var blockLength: Int { self == .aesCBC || self == .aesECB ? 16 : 8 }

        package var keyLengths: [Int] {
            switch self {
            case .aesCBC, .aesECB: [16, 24, 32]
            case .tripleDESCBC, .tripleDESECB: [24]
            case .desCBC, .desECB: [8]
            }
        }

        fileprivate func evp(keyLength: Int) -> OpaquePointer? {
            switch (self, keyLength) {
            case (.aesCBC, 16): EVP_aes_128_cbc()
            case (.aesCBC, 24): EVP_aes_192_cbc()
            case (.aesCBC, 32): EVP_aes_256_cbc()
            case (.aesECB, 16): EVP_aes_128_ecb()
            case (.aesECB, 24): EVP_aes_192_ecb()
            case (.aesECB, 32): EVP_aes_256_ecb()
            case (.tripleDESCBC, 24), (.desCBC, 8): EVP_des_ede3_cbc()
            case (.tripleDESECB, 24), (.desECB, 8): EVP_des_ede3_ecb()
            default: nil
            }
        }
    }

    /// Encrypts or decrypts bytes.
    ///
    /// - Parameters:
    ///   - input: At most 1 GiB.
    ///   - iv: The initialization vector, as long as a block; not used by ECB.
    ///   - isPadded: Whether PKCS #7 fills the last block.
    /// - Returns: nil if the input does not fit: an incomplete block, or a padding that is wrong.
    /// - Throws: ``CryptoFailure`` for a key or vector of the wrong length, or if libcrypto fails.
    package static func run(
        _ input: [UInt8], _ kind: Kind, key: [UInt8], iv: [UInt8], isPadded: Bool, isEncrypting: Bool
    ) throws -> [UInt8]? {
        guard let cipher = kind.evp(keyLength: key.count), iv.count == kind.blockLength, input.count <= 1 << 30,
            let context = EVP_CIPHER_CTX_new()
        else { throw CryptoFailure(operation: "EVP_CIPHER_CTX_new") }
        defer { EVP_CIPHER_CTX_free(context) }
        var whole = kind == .desCBC || kind == .desECB ? key + key + key : key
        defer { cleanse(&whole) }
        guard EVP_CipherInit_ex(context, cipher, nil, whole, iv, isEncrypting ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_padding(context, isPadded ? 1 : 0) == 1
        else { throw CryptoFailure(operation: "EVP_CipherInit_ex") }
        var output = [UInt8](repeating: 0, count: input.count + kind.blockLength)
        var (count, last): (CInt, CInt) = (0, 0)
        guard EVP_CipherUpdate(context, &output, &count, input, CInt(input.count)) == 1 else {
            throw CryptoFailure(operation: "EVP_CipherUpdate")
        }
        let isComplete = output.withUnsafeMutableBufferPointer {
            EVP_CipherFinal_ex(context, $0.baseAddress?.advanced(by: Int(count)), &last) == 1
        }
        guard isComplete else {
            cleanse(&output)
            return nil
        }
        return Array(output.prefix(Int(count) + Int(last)))
    }
}
