import CCrypto
import Foundation

#if canImport(CCrypt)
    import CCrypt
#endif

/// The system's `crypt`, with the hashes of Unix shadow files.
package enum LibCrypt {
    /// Whether this build has libcrypt. Apple's systems have none.
    package static var isAvailable: Bool {
        #if canImport(CCrypt)
            true
        #else
            false
        #endif
    }

    /// The longest password in bytes that libcrypt accepts.
    package static let longestPassword = 511

    /// Verifies a password against a hash in constant time.
    ///
    /// A password with a NUL or more than ``longestPassword`` bytes is wrong. The setting determines the cost
    /// (``PasswordHash`` has the bounds); memory is 32 KiB, more for yescrypt and scrypt. The copy of the password and
    /// libcrypt's memory are cleansed.
    /// - Throws: ``CryptoFailure`` if libcrypt refuses the setting, or is missing.
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
            // The reentrant form returns NULL on failure, and no text that begins with an asterisk.
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
