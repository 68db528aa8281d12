/// Bytes as hexadecimal text.
package enum Hexadecimal {
    /// Two lower-case digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits.utf8Start[Int(byte >> 4)])
            text.append(digits.utf8Start[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that pairs of digits mean, in any case; nil if there is any other character or half a pair.
    package static func bytes(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = digits.makeIterator()
        while let first = iterator.next() {
            guard let high = first.hexDigit, let low = iterator.next()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension UInt8 {
    /// The number that this hexadecimal digit in ASCII means; nil if it is not such a digit.
    package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
