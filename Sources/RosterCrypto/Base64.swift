import CCrypto
import Foundation

/// Base64 for addresses, cookies and tokens: `-` and `_`, no padding (RFC 4648, 5).
package enum Base64URL {
    /// Four characters for three bytes, without padding. By libcrypto: tokens are made by the ten thousand.
    package static func text(_ bytes: [UInt8]) -> String {
        let padding = (3 - bytes.count % 3) % 3
        // One more, for the zero that libcrypto ends text with.
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { buffer in
            let count = Int(EVP_EncodeBlock(buffer.baseAddress, bytes, CInt(clamping: bytes.count))) - padding
            for index in 0..<max(count, 0) {
                switch buffer[index] {
                case UInt8(ascii: "+"): buffer[index] = UInt8(ascii: "-")
                case UInt8(ascii: "/"): buffer[index] = UInt8(ascii: "_")
                default: break
                }
            }
            return max(count, 0)
        }
    }

    /// The same bytes in the other alphabet, with padding: `+`, `/` and `=`.
    package static func padded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes, or `nil` where the text has any other character, padding, or bits that no byte uses: there is one text
    /// only for the same bytes.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count % 4 != 1, text.utf8.count <= 1 << 24 else { return nil }
        var characters: [UInt8] = []
        characters.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                characters.append(byte)
            case UInt8(ascii: "-"): characters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): characters.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        let padding = (4 - characters.count % 4) % 4
        for _ in 0..<padding { characters.append(UInt8(ascii: "=")) }
        let bytes = [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3) { buffer, used in
            let count = EVP_DecodeBlock(buffer.baseAddress, characters, CInt(characters.count))
            used = max(Int(count) - padding, 0)
        }
        // Bits that no byte uses would make a second text for the same bytes.
        return Self.text(bytes).utf8.elementsEqual(text.utf8) ? bytes : nil
    }
}

/// Base64 as password hashes have it: `+` and `/`, no padding (the PHC string format's B64).
package enum Base64 {
    package static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString().replacing("=", with: "") }

    /// The bytes of unpadded text, or `nil`; only the one text that ``text(_:)`` writes is taken.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count % 4 != 1 else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        let bytes = Array(data)
        return Self.text(bytes) == text ? bytes : nil
    }

    /// The same, with or without the padding that fills it to four characters.
    package static func bytes(maybePadded text: some StringProtocol) -> [UInt8]? {
        guard text.hasSuffix("=") else { return bytes(text) }
        guard text.utf8.count % 4 == 0 else { return nil }
        let bare = text.prefix { $0 != "=" }
        guard text.utf8.count - bare.utf8.count <= 2, text.dropFirst(bare.count).allSatisfy({ $0 == "=" }) else {
            return nil
        }
        return bytes(bare)
    }

    /// passlib's and OpenLDAP's adapted base64: `.` for `+`, no padding.
    package static func bytes(adapted text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "+")) else { return nil }
        return bytes(String(text).replacing(".", with: "+"))
    }
}
