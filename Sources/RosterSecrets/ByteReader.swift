/// Takes values from the front of bytes that may be too few.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next bytes; nil if there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The next big-endian number; nil if there are too few bytes.
    mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        take(Number.bitWidth / 8)?.reduce(0) { ($0 &<< 8) | Number($1) }
    }
}

/// Numbers as bytes, the highest first.
package enum BigEndian {
    package static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
