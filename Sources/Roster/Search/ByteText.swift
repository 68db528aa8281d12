#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension String {
    /// Calls a closure with the UTF-8 bytes of the text, without a copy if the text is contiguous.
    package func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        if let value = try utf8.withContiguousStorageIfAvailable(body) { return value }
        var text = self
        return try text.withUTF8(body)
    }
}

/// A text that is compared with other texts, byte by byte. Work that all comparisons share is done once. The time of a
/// comparison is linear in the other text.
package struct ByteText: Sendable {
    package let text: String
    private let bytes: [UInt8]
    /// The length of the longest border of each prefix, as Knuth, Morris and Pratt define it: a shorter prefix that is
    /// also a suffix.
    private let borders: [Int]

    /// - Parameter isContained: Whether ``isContained(in:)`` will be called.
    package init(_ text: String, isContained: Bool) {
        self.text = text
        bytes = Array(text.utf8)
        guard isContained else {
            borders = []
            return
        }
        var borders = [Int](repeating: 0, count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            borders[index] = length
        }
        self.borders = borders
    }

    package func isContained(in other: String) -> Bool {
        guard let first = bytes.first else { return true }
        guard borders.count == bytes.count else { return false }
        return other.withBytes { other in
            guard let start = other.baseAddress else { return false }
            var matched = 0
            var index = 0
            while index < other.count {
                if matched == 0 {
                    guard let found = memchr(start + index, Int32(first), other.count - index) else { return false }
                    index = UnsafeRawPointer(found) - UnsafeRawPointer(start)
                }
                while matched > 0, other[index] != bytes[matched] { matched = borders[matched - 1] }
                if other[index] == bytes[matched] { matched += 1 }
                if matched == bytes.count { return true }
                index += 1
            }
            return false
        }
    }

    package func begins(_ other: String) -> Bool {
        other.withBytes { $0.count >= bytes.count && Self.isSame($0[..<bytes.count], bytes) }
    }

    package func ends(_ other: String) -> Bool {
        other.withBytes { $0.count >= bytes.count && Self.isSame($0[($0.count - bytes.count)...], bytes) }
    }

    package func isEqual(to other: String) -> Bool {
        other.withBytes { $0.count == bytes.count && Self.isSame($0[...], bytes) }
    }

    /// Whether the text comes before the other one in the order of their bytes.
    package func precedes(_ other: String) -> Bool { order(to: other) < 0 }

    /// Whether the other text comes before this one in the order of their bytes.
    package func follows(_ other: String) -> Bool { order(to: other) > 0 }

    private func order(to other: String) -> Int {
        other.withBytes { other in
            bytes.withUnsafeBufferPointer { own in
                let common = min(own.count, other.count)
                if let own = own.baseAddress, let other = other.baseAddress, common > 0 {
                    let order = memcmp(own, other, common)
                    if order != 0 { return Int(order) }
                }
                return own.count - other.count
            }
        }
    }

    private static func isSame(_ part: Slice<UnsafeBufferPointer<UInt8>>, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = part.base.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
            return memcmp(start + part.startIndex, other, bytes.count) == 0
        }
    }
}
