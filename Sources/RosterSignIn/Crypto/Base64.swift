import Foundation

/// Base64 for addresses, cookies and tokens: `-` and `_`, no padding (RFC 4648, 5).
package enum Base64URL {
    /// Four characters for three bytes, without padding.
    package static func text(_ bytes: [UInt8]) -> String {
        Base64.text(bytes).replacing("+", with: "-").replacing("/", with: "_")
    }

    /// The same bytes in the other alphabet, with padding: `+`, `/` and `=`.
    package static func padded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes, or `nil` where the text has any other character, padding, or bits that no byte uses: there is one text
    /// only for the same bytes.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) else { return nil }
        return Base64.bytes(String(text).replacing("-", with: "+").replacing("_", with: "/"))
    }
}

/// Base64 as password hashes have it: `+` and `/`, no padding (the PHC string format's B64).
enum Base64 {
    static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString().replacing("=", with: "") }

    /// The bytes of unpadded text, or `nil`; only the one text that ``text(_:)`` writes is taken.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count % 4 != 1 else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        let bytes = Array(data)
        return Self.text(bytes) == text ? bytes : nil
    }

    /// The same, with or without the padding that fills it to four characters.
    static func bytes(maybePadded text: some StringProtocol) -> [UInt8]? {
        guard text.hasSuffix("=") else { return bytes(text) }
        guard text.utf8.count % 4 == 0 else { return nil }
        let bare = text.prefix { $0 != "=" }
        guard text.utf8.count - bare.utf8.count <= 2, text.dropFirst(bare.count).allSatisfy({ $0 == "=" }) else {
            return nil
        }
        return bytes(bare)
    }

    /// passlib's and OpenLDAP's adapted base64: `.` for `+`, no padding.
    static func bytes(adapted text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "+")) else { return nil }
        return bytes(String(text).replacing(".", with: "+"))
    }
}
