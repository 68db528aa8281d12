import CCrypto
package import Foundation

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The authentication code of a message, 32 bytes.
    ///
    /// Costs about 1 µs; whoever needs many with the same key is quicker with a ``HMACSHA256Context``.
    /// Compare codes with ``constantTimeEqual(_:_:)-(ContiguousBytes,_)`` only.
    /// - Throws: ``CryptoFailure`` where libcrypto has no memory or no HMAC.
    package static func code(for message: some ContiguousBytes, key: some ContiguousBytes) throws -> [UInt8] {
        let context = try key.withUnsafeBytes { try HMACSHA256Context(key: $0) }
        try message.withUnsafeBytes { try context.add($0) }
        return try context.finish().bytes
    }
}

/// An HMAC-SHA256 with its key set up, for many codes one after the other.
///
/// Not to be shared between threads: whoever keeps one keeps it behind a lock.
package final class HMACSHA256Context {
    /// A code as four words: quick to compare and to look up in a dictionary.
    ///
    /// The look-up takes no constant time, which is harmless where the key is random and never leaves the process:
    /// nobody can choose a code.
    package struct Code: Sendable, Hashable {
        let words: (UInt64, UInt64, UInt64, UInt64)

        package static func == (left: Code, right: Code) -> Bool { left.words == right.words }
        package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

        /// The 32 bytes of the code.
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
                    // An empty key is a key: without an address the function would take it for none.
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

    /// Adds to the message.
    package func add(_ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        guard EVP_MAC_update(context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count) == 1 else {
            throw CryptoFailure(operation: "EVP_MAC_update")
        }
    }

    /// Adds a text and, before it, its length: two lists of texts never make the same message.
    package func add(lengthAndText text: String) throws {
        try text.withUTF8Bytes { bytes in
            try withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { try add($0) }
            try add(bytes)
        }
    }

    /// The code of what was added, after which the next message begins.
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

    /// Forgets what was added since the last code.
    package func reset() throws {
        guard EVP_MAC_init(context, nil, 0, nil) == 1 else { throw CryptoFailure(operation: "EVP_MAC_init") }
    }
}
