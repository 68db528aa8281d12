import CCrypto
import RosterText

/// Random bytes that nobody can predict, from libcrypto's generator, which the system seeds.
package enum SecureRandom {
    /// That many random bytes.
    ///
    /// Costs about 1 µs for up to 32 bytes.
    /// - Parameter count: 0 to 1,048,576.
    /// - Throws: ``CryptoFailure`` where the count is out of range, or the generator has no entropy: there is no weaker
    ///   generator to fall back to.
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
    /// Random bytes as base64url text: what nobody guesses.
    package static func token(bytes count: Int = 32) throws -> String { Base64URL.text(try bytes(count)) }
}
