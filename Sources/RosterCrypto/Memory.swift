import CCrypto
package import Foundation

/// Compares two byte sequences in a time that depends only on their length, not on where they differ.
///
/// Different lengths return `false` at once, because the lengths of digests and tokens are not secret. Cost: about 1 ns
/// per byte.
package func constantTimeEqual(_ first: some ContiguousBytes, _ second: some ContiguousBytes) -> Bool {
    first.withUnsafeBytes { first in
        second.withUnsafeBytes { second in
            guard first.count == second.count else { return false }
            guard let left = first.baseAddress, let right = second.baseAddress else { return first.isEmpty }
            return CRYPTO_memcmp(left, right, first.count) == 0
        }
    }
}

/// Compares the UTF-8 bytes of two texts in a time that depends only on their length.
package func constantTimeEqual(_ first: String, _ second: String) -> Bool {
    first.withUTF8Bytes { first in second.withUTF8Bytes { constantTimeEqual(first, $0) } }
}

/// Overwrites a secret with zeros. The compiler cannot remove this.
package func cleanse(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}

extension String {
    /// The UTF-8 bytes in place, without a copy that would have to be cleansed.
    package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
