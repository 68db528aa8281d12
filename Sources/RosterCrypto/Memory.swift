import CCrypto
package import Foundation

/// Whether two byte sequences are the same, in a time that depends on their length only and not on where they differ.
///
/// A difference in length is `false` at once: lengths of digests and tokens are no secret. Costs about 1 ns a byte.
package func constantTimeEqual(_ first: some ContiguousBytes, _ second: some ContiguousBytes) -> Bool {
    first.withUnsafeBytes { first in
        second.withUnsafeBytes { second in
            guard first.count == second.count else { return false }
            guard let left = first.baseAddress, let right = second.baseAddress else { return first.isEmpty }
            return CRYPTO_memcmp(left, right, first.count) == 0
        }
    }
}

/// Whether two texts have the same UTF-8 bytes, in a time that depends on their length only.
package func constantTimeEqual(_ first: String, _ second: String) -> Bool {
    first.withUTF8Bytes { first in second.withUTF8Bytes { constantTimeEqual(first, $0) } }
}

/// Overwrites what held a secret with zeros, which the compiler may not leave out.
package func cleanse(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}

extension String {
    /// The UTF-8 bytes as they are, without another copy that would have to be cleansed.
    package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
