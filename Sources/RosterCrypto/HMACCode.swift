import CCrypto

/// HMAC (RFC 2104) with any hash function.
package enum HMACCode {
    /// The authentication code of a message, as long as a digest.
    ///
    /// Compare codes only with ``constantTimeEqual(_:_:)-(ContiguousBytes,_)``.
    /// - Throws: ``CryptoFailure`` if libcrypto has no memory, or not this hash function.
    package static func code(
        for message: [UInt8], key: [UInt8], with algorithm: DigestAlgorithm
    ) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: algorithm.length) { buffer, used in
            var count: CUnsignedInt = 0
            guard
                HMAC(
                    algorithm.evp, key, CInt(clamping: key.count), message, message.count, buffer.baseAddress, &count)
                    != nil, Int(count) == algorithm.length
            else { throw CryptoFailure(operation: "HMAC") }
            used = algorithm.length
        }
    }
}
