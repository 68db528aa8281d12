/// The hash FNV-1a with 64 bits. It is the same in every process, unlike Swift's own hash, and it is not cryptographic:
/// anybody can make two texts with the same hash.
public struct FNV1a: Sendable {
    /// The hash of the bytes so far.
    public var value: UInt64 { hash }
    @usableFromInline var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Starts with no bytes.
    public init() {}

    /// Hashes bytes.
    @inlinable public init(_ bytes: some Sequence<UInt8>) { combine(bytes) }

    /// Adds bytes.
    @inlinable public mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The hash as 16 hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
