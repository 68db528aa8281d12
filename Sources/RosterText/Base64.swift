/// Base64 with `+` and `/` (RFC 4648, section 4).
///
/// Readers are strict: the same bytes have one text only, so that white space, other characters and bits that no byte uses
/// are refused.
package enum Base64 {
    /// Whether `=` fills a text to a multiple of four characters.
    package enum Padding: Sendable {
        case required, absent, optional
    }

    /// Encodes bytes.
    package static func text(_ bytes: some Collection<UInt8>, isPadded: Bool = true) -> String {
        Base64Alphabet.standard.text(bytes, isPadded: isPadded)
    }

    /// Decodes text in UTF-8; nil if it is not base64.
    package static func bytes(_ text: [UInt8], padding: Padding = .required) -> [UInt8]? {
        let count = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        switch padding {
        case .absent: if count > 0 { return nil }
        case .required: if text.count % 4 != 0 { return nil }
        case .optional: if count > 0, text.count % 4 != 0 { return nil }
        }
        return Base64Alphabet.standard.bytes(text.dropLast(count))
    }

    /// Decodes text; nil if it is not base64.
    package static func bytes(_ text: some StringProtocol, padding: Padding = .required) -> [UInt8]? {
        bytes(Array(text.utf8), padding: padding)
    }
}

/// Base64 for addresses, cookies and tokens, with `-` and `_` and without padding (RFC 4648, section 5). It is as strict as
/// ``Base64``.
package enum Base64URL {
    /// Encodes bytes.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.text(bytes, isPadded: false)
    }

    /// Decodes text; nil if it is not base64url.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? { Base64Alphabet.url.bytes(Array(text.utf8)) }
}

private struct Base64Alphabet {
    static let standard = Base64Alphabet("+/")
    static let url = Base64Alphabet("-_")

    /// The 64 characters.
    private let characters: [UInt8]
    /// The number that each byte means; 64 if it is none of the characters.
    private let numbers: [UInt8]

    private init(_ last: String) {
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
        var numbers = [UInt8](repeating: 64, count: 256)
        for (number, character) in characters.enumerated() { numbers[Int(character)] = UInt8(number) }
        self.numbers = numbers
    }

    func text(_ bytes: some Collection<UInt8>, isPadded: Bool) -> String {
        bytes.withContiguousStorageIfAvailable { text($0, isPadded: isPadded) }
            ?? Array(bytes).withUnsafeBufferPointer { text($0, isPadded: isPadded) }
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>, isPadded: Bool) -> String {
        characters.withUnsafeBufferPointer { characters in
            String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
                var end = 0
                func append(_ number: UInt32) {
                    text[end] = characters[Int(number & 63)]
                    end += 1
                }
                var index = 0
                while index + 2 < bytes.count {
                    let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    append(group >> 18)
                    append(group >> 12)
                    append(group >> 6)
                    append(group)
                    index += 3
                }
                let left = bytes.count - index
                guard left > 0 else { return end }
                let group = UInt32(bytes[index]) << 16 | (left == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
                append(group >> 18)
                append(group >> 12)
                if left == 2 { append(group >> 6) }
                while isPadded, end % 4 != 0 {
                    text[end] = UInt8(ascii: "=")
                    end += 1
                }
                return end
            }
        }
    }

    /// Decodes text without padding.
    func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable { bytes($0) } ?? Array(text).withUnsafeBufferPointer { bytes($0) }
    }

    private func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { buffer, count in
            numbers.withUnsafeBufferPointer { numbers in
                var group: UInt32 = 0
                var bits: UInt32 = 0
                for character in text {
                    let number = numbers[Int(character)]
                    if number == 64 { isValid = false }
                    group = (group << 6 | UInt32(number & 63)) & 0xFFFF
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        buffer[count] = UInt8(truncatingIfNeeded: group >> bits)
                        count += 1
                    }
                }
                // Bits that no byte uses would make a second text for the same bytes.
                if group & ((1 << bits) - 1) != 0 { isValid = false }
            }
        }
        return isValid ? bytes : nil
    }
}
