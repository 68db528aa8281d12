/// Percent-encoding (RFC 3986, section 2.1), for paths, queries and forms.
package enum PercentEncoding {
    /// Whether a byte means itself everywhere in an address: letters, digits and `-._~` (RFC 3986, section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Encodes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isKept: Whether a byte, which must be ASCII, is written as it is.
    package static func text(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = isUnreserved) -> String {
        let digits: StaticString = "0123456789ABCDEF"
        var text: [UInt8] = []
        for byte in bytes {
            if isKept(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits.utf8Start[Int(byte >> 4)])
                text.append(digits.utf8Start[Int(byte & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes text; only unreserved characters are written as they are.
    package static func text(_ text: String) -> String { self.text(text.utf8) }

    /// Encodes text as a segment of a path, in which `@` is written as it is.
    package static func segment(_ text: String) -> String {
        self.text(text.utf8) { isUnreserved($0) || $0 == UInt8(ascii: "@") }
    }

    /// Decodes text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - isForm: Whether `+` means a space, as in queries and forms.
    /// - Returns: The bytes; nil if two hexadecimal digits do not follow every `%`.
    package static func bytes(_ text: some Sequence<UInt8>, isForm: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next()?.hexDigit, let low = iterator.next()?.hexDigit else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where isForm: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
