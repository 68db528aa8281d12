import CCrypto
import Foundation

#if canImport(CCrypt)
    import CCrypt
#endif

/// The system's `crypt`: what Unix systems store in their shadow files.
package enum LibCrypt {
    /// Whether this was built with libcrypt; on Apple's systems it is not.
    package static var isAvailable: Bool {
        #if canImport(CCrypt)
            true
        #else
            false
        #endif
    }

    /// The most bytes of a password that libcrypt takes; longer ones it refuses.
    package static let longestPassword = 511

    /// Whether the password makes this hash, compared in constant time.
    ///
    /// The password must have no NUL and at most ``longestPassword`` bytes, otherwise it is wrong. Costs what the setting
    /// says (see ``PasswordHash`` for the bounds) and 32 KiB, more for yescrypt and scrypt. The copy of the password and
    /// everything that libcrypt worked with is cleansed.
    /// - Throws: ``CryptoFailure`` where libcrypt does not take the setting, or is not there.
    package static func verify(_ password: UnsafeRawBufferPointer, _ setting: String) throws -> Bool {
        #if canImport(CCrypt)
            guard password.count <= longestPassword, !password.contains(0) else { return false }
            let size = MemoryLayout<crypt_data>.size
            let (phrase, data) = (calloc(1, password.count + 1), calloc(1, size))
            defer {
                if let phrase { OPENSSL_cleanse(phrase, password.count + 1) }
                if let data { OPENSSL_cleanse(data, size) }
                free(phrase)
                free(data)
            }
            guard let phrase, let data else { throw CryptoFailure(operation: "calloc") }
            if let bytes = password.baseAddress { memcpy(phrase, bytes, password.count) }
            // The reentrant form that is null, and no text beginning with an asterisk, where it fails.
            guard let output = crypt_rn(phrase.assumingMemoryBound(to: CChar.self), setting, data, CInt(size)) else {
                throw CryptoFailure(operation: "crypt_rn")
            }
            let made = UnsafeRawBufferPointer(start: output, count: strlen(output))
            return setting.withUTF8Bytes { constantTimeEqual(made, $0) }
        #else
            throw CryptoFailure(operation: "crypt_rn")
        #endif
    }
}
