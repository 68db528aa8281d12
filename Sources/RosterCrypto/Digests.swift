import CCrypto
package import Foundation
import RosterText

/// A hash function of libcrypto.
package enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case md5, sha1, sha224, sha256, sha384, sha512

    /// The length of a digest in bytes.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// libcrypto's description of the function, which is valid for the life of the process.
    package var evp: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha224: EVP_sha224()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }

    /// The digest of two buffers in sequence, without joining them in memory.
    package func digest(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptoFailure(operation: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }  // which cleanses it
        return try [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            guard EVP_DigestInit_ex(context, evp, nil) == 1,
                EVP_DigestUpdate(context, first.baseAddress, first.count) == 1,
                EVP_DigestUpdate(context, second.baseAddress, second.count) == 1,
                EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1
            else { throw CryptoFailure(operation: "EVP_Digest") }
            used = length
        }
    }
}

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The digest of 32 bytes.
    ///
    /// Cost: about 1 µs, and 2 ns per byte. Not for passwords, which need ``PasswordHash``.
    /// - Throws: ``CryptoFailure`` if libcrypto has no memory or no SHA-256.
    package static func digest(_ bytes: some ContiguousBytes) throws -> [UInt8] {
        try bytes.withUnsafeBytes {
            try DigestAlgorithm.sha256.digest($0, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    /// - Throws: ``CryptoFailure``.
    package static func hex(_ bytes: some ContiguousBytes) throws -> String { Hexadecimal.text(try digest(bytes)) }

    /// The digest of a text's UTF-8 bytes as 64 lower-case hexadecimal digits.
    /// - Throws: ``CryptoFailure``.
    package static func hex(_ text: String) throws -> String { try hex(Array(text.utf8)) }
}
