import CXMLSecurity
import Foundation
import RosterText

/// A SAML credential from an `Authorization` header: base64 of XML, or of XML compressed with gzip (RFC 1952).
enum CredentialText {
    /// The longest text in bytes: 256 KiB in base64, with room for line breaks.
    static let maximumTextBytes = 384 * 1_024
    /// The largest decoded size in bytes: 256 KiB.
    static let maximumBytes = 256 * 1_024
    /// The largest decompressed size in bytes: 1 MiB.
    static let maximumInflatedBytes = 1_024 * 1_024

    /// Decodes the XML. Decompression stops at the limit.
    static func xml(_ text: String) throws(SAMLProblem) -> [UInt8] {
        let bytes = try decode(text)
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        return try inflate(bytes)
    }

    /// Decodes base64 in either alphabet of RFC 4648, with or without padding, and with white space anywhere. Truncated
    /// text and text after the end are refused.
    static func decode(_ text: String) throws(SAMLProblem) -> [UInt8] {
        guard text.utf8.count <= maximumTextBytes else { throw .textTooLong(maximumBytes: maximumTextBytes) }
        var clean: [UInt8] = []
        clean.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "-"): clean.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): clean.append(UInt8(ascii: "/"))
            default: clean.append(byte)
            }
        }
        guard !clean.isEmpty else { throw .noText }
        guard let bytes = Base64.bytes(clean, padding: .optional) else { throw .notBase64 }
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        return bytes
    }

    /// Decompresses exactly one gzip member.
    static func inflate(_ bytes: [UInt8]) throws(SAMLProblem) -> [UInt8] {
        var stream = z_stream()
        // Adding 16 accepts only the gzip format.
        guard inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .libraryFailure
        }
        defer { inflateEnd(&stream) }
        var source = bytes
        var result: [UInt8] = []
        var status = Z_OK
        source.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32 * 1_024) { chunk in
                repeat {
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    status = CXMLSecurity.inflate(&stream, Z_NO_FLUSH)
                    result += chunk.prefix(chunk.count - Int(stream.avail_out))
                } while status == Z_OK && result.count <= maximumInflatedBytes
            }
        }
        guard result.count <= maximumInflatedBytes else { throw .tooLarge(maximumBytes: maximumInflatedBytes) }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { throw .damagedCompression }
        return result
    }
}
