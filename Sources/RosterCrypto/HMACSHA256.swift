import CCrypto
package import Foundation

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The authentication code of a message, with 32 bytes.
    ///
    /// Cost: about 1 µs. A ``HMACSHA256Context`` is faster for many codes with one key. Compare codes only with
    /// ``constantTimeEqual(_:_:)-(ContiguousBytes,_)``.
    /// - Throws: ``CryptoFailure`` if libcrypto has no memory or no HMAC.
    package static func code(for message: some ContiguousBytes, key: some ContiguousBytes) throws -> [UInt8] {
        let context = try key.withUnsafeBytes { try HMACSHA256Context(key: $0) }
        try message.withUnsafeBytes { try context.add($0) }
        return try context.finish().bytes
    }
}

/// HMAC-SHA256 with a prepared key, for many codes in sequence.
///
/// Not thread-safe: keep a context behind a lock.
package final class HMACSHA256Context {
    /// A code as four words, which are fast to compare and to look up in a dictionary.
    ///
    /// The look-up does not take constant time. That is harmless with a random key that never leaves the process,
    /// because nobody can choose a code.
    package struct Code: Sendable, Hashable {
        let words: (UInt64, UInt64, UInt64, UInt64)

        package static func == (left: Code, right: Code) -> Bool { left.words == right.words }
        package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

        var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }
    }

    private let context: OpaquePointer

    package init(key: UnsafeRawBufferPointer) throws {
        guard let function = EVP_MAC_fetch(nil, "HMAC", nil) else { throw CryptoFailure(operation: "EVP_MAC_fetch") }
        defer { EVP_MAC_free(function) }
        guard let context = EVP_MAC_CTX_new(function) else { throw CryptoFailure(operation: "EVP_MAC_CTX_new") }
        self.context = context
        let digest: StaticString = "SHA256"
        let name: StaticString = "digest"
        let isReady = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8) { text in
            for index in 0...digest.utf8CodeUnitCount { text[index] = CChar(bitPattern: digest.utf8Start[index]) }
            return name.withUTF8Buffer { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    let parameters = [
                        OSSL_PARAM_construct_utf8_string(name.baseAddress, text.baseAddress, 0),
                        OSSL_PARAM_construct_end(),
                    ]
                    // Without an address, the function would treat an empty key as no key.
                    var none: UInt8 = 0
                    return withUnsafePointer(to: &none) { none in
                        EVP_MAC_init(
                            context, key.assumingMemoryBound(to: UInt8.self).baseAddress ?? none, key.count, parameters)
                    }
                }
            }
        }
        guard isReady == 1 else { throw CryptoFailure(operation: "EVP_MAC_init") }
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Appends bytes to the message.
    package func add(_ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        guard EVP_MAC_update(context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count) == 1 else {
            throw CryptoFailure(operation: "EVP_MAC_update")
        }
    }

    /// Appends a text after its length, so that different lists of texts never make the same message.
    package func add(lengthAndText text: String) throws {
        try text.withUTF8Bytes { bytes in
            try withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { try add($0) }
            try add(bytes)
        }
    }

    /// Returns the code of the message, and begins the next one.
    package func finish() throws -> Code {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let isDone = withUnsafeMutableBytes(of: &words) { buffer in
            var count = 0
            return EVP_MAC_final(context, buffer.assumingMemoryBound(to: UInt8.self).baseAddress, &count, buffer.count)
                == 1
                && count == buffer.count
        }
        guard isDone, EVP_MAC_init(context, nil, 0, nil) == 1 else { throw CryptoFailure(operation: "EVP_MAC_final") }
        return Code(words: words)
    }

    /// Discards what was appended since the last code.
    package func reset() throws {
        guard EVP_MAC_init(context, nil, 0, nil) == 1 else { throw CryptoFailure(operation: "EVP_MAC_init") }
    }
}
