import CCrypto
import RosterText

/// Unpredictable random bytes from libcrypto's generator, which the system seeds.
package enum SecureRandom {
    /// Returns random bytes.
    ///
    /// Cost: about 1 µs for up to 32 bytes.
    /// - Parameter count: 0 to 1,048,576.
    /// - Throws: ``CryptoFailure`` if the count is out of range, or the generator has no entropy. There is no weaker
    ///   fallback.
    package static func bytes(_ count: Int) throws -> [UInt8] {
        guard (0...1_048_576).contains(count) else { throw CryptoFailure(operation: "RAND_bytes") }
        guard count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            guard RAND_bytes(buffer.baseAddress, CInt(count)) == 1 else { throw CryptoFailure(operation: "RAND_bytes") }
            used = count
        }
    }
}

extension SecureRandom {
    /// Random bytes as base64url text.
    package static func token(bytes count: Int = 32) throws -> String { Base64URL.text(try bytes(count)) }
}
