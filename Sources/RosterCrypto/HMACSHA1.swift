import CCrypto

/// HMAC with SHA-1 (RFC 2104), only for one-time passwords, because authenticator apps support nothing else.
package enum HMACSHA1 {
    /// The authentication code of a message, with 20 bytes.
    package static func code(for message: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 20) { buffer, used in
            var count: CUnsignedInt = 0
            guard
                HMAC(EVP_sha1(), key, CInt(clamping: key.count), message, message.count, buffer.baseAddress, &count)
                    != nil, count == 20
            else { throw CryptoFailure(operation: "HMAC") }
            used = 20
        }
    }
}
