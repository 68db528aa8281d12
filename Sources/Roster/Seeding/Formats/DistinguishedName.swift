import Foundation
import RosterText

/// Reads and writes the text of distinguished names (RFC 4514).
package enum DistinguishedName {
    struct Problem: Error {
        let text: String
    }

    static let advice = "Write it as in 'uid=jane,ou=people,dc=example', with '\\' before special characters."
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"):
            true
        default: false
        }
    }

    /// The name of an entry below another one: `uid=jane,ou=people`. The value is escaped (RFC 4514, section 2.4).
    ///
    /// - Parameters:
    ///   - attribute: The attribute that names the entry.
    ///   - value: Its value.
    ///   - parent: The distinguished name of the entry above; may be empty.
    package static func text(_ attribute: String, _ value: String, under parent: String) -> String {
        let end = parent.isEmpty ? "" : "," + parent
        let bytes = Array(value.utf8)
        // Most names need no escape.
        if bytes.allSatisfy({ $0 > UInt8(ascii: "#") && $0 != 0x7F && !isSpecial($0) }) {
            return attribute + "=" + value + end
        }
        var escaped: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isAtEdge = index == 0 || index == bytes.count - 1
            if isSpecial(byte) || (byte == UInt8(ascii: " ") && isAtEdge)
                || (byte == UInt8(ascii: "#") && index == 0)
            {
                escaped += [UInt8(ascii: "\\"), byte]
            } else if byte < 0x20 || byte == 0x7F {
                escaped += Array(("\\" + Hexadecimal.text([byte])).utf8)
            } else {
                escaped.append(byte)
            }
        }
        return attribute + "=" + String(decoding: escaped, as: UTF8.self) + end
    }

    /// The attributes in the first component, unescaped: `uid` and `cn` for `uid=jane+cn=Jane,ou=people`, and none for an
    /// empty name. Later components are ignored.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput`.
    package static func firstComponent(of text: String) throws -> [LDIFAttribute] {
        do {
            return try parseFirst(text)
        } catch {
            throw DirectoryError(
                .invalidInput, error.text.prefix(1).uppercased() + error.text.dropFirst(), advice: advice)
        }
    }

    /// The key by which distinguished names are compared: attributes and values without regard to case and to the spaces between
    /// them. Returns nil for a text that is not a distinguished name.
    static func key(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var key = ""
        var offset = 0
        while offset < bytes.count {
            guard let equals = bytes[offset...].firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = String(decoding: bytes[offset..<equals], as: UTF8.self).filter { $0 != " " }
            offset = equals + 1
            guard let value = try? value(bytes, &offset) else { return nil }
            key += name.lowercased() + "=" + TextKey.of(value)
            guard offset < bytes.count else { break }
            key += bytes[offset] == UInt8(ascii: "+") ? "\u{1}" : "\u{0}"
            offset += 1
        }
        return key
    }

    static func parseFirst(_ text: String) throws(Problem) -> [LDIFAttribute] {
        let bytes = Array(text.utf8)
        var component: [LDIFAttribute] = []
        var offset = 0
        while offset < bytes.count || !component.isEmpty {
            guard let equals = bytes[offset...].firstIndex(of: UInt8(ascii: "=")) else {
                throw Problem(text: "the distinguished name has no '='.")
            }
            var name = bytes[offset..<equals].drop { $0 == UInt8(ascii: " ") }
            while name.last == UInt8(ascii: " ") { name.removeLast() }
            guard LDIFAttribute.isName(name), !name.contains(UInt8(ascii: ";")) else {
                throw Problem(text: "the distinguished name does not begin with an attribute's name.")
            }
            offset = equals + 1
            component.append(LDIFAttribute(String(decoding: name, as: UTF8.self), try value(bytes, &offset)))
            guard offset < bytes.count else { break }
            offset += 1
            if bytes[offset - 1] == UInt8(ascii: ",") {
                guard offset < bytes.count else { throw Problem(text: "the distinguished name ends with ','.") }
                break
            }
        }
        return component
    }

    /// Takes a value up to the `,` or `+` after it. Spaces around it are not part of it unless they are escaped.
    private static func value(_ bytes: [UInt8], _ offset: inout Int) throws(Problem) -> String {
        while offset < bytes.count, bytes[offset] == UInt8(ascii: " ") { offset += 1 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "#") {
            throw Problem(text: "the distinguished name has a value in BER ('#'), which is not supported.")
        }
        var value: [UInt8] = []
        value.reserveCapacity(bytes.count - offset)
        var keptCount = 0
        while offset < bytes.count, bytes[offset] != UInt8(ascii: ","), bytes[offset] != UInt8(ascii: "+") {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\\") {
                value.append(try escaped(bytes, &offset))
                keptCount = value.count
            } else if byte == 0 || isSpecial(byte) {
                throw Problem(text: "the distinguished name has a special character without '\\' before it.")
            } else {
                value.append(byte)
                if byte != UInt8(ascii: " ") { keptCount = value.count }
            }
        }
        guard let text = String(validating: value.prefix(keptCount), as: UTF8.self) else {
            throw Problem(text: "the distinguished name is not UTF-8 where it is escaped.")
        }
        return text
    }

    private static func escaped(_ bytes: [UInt8], _ offset: inout Int) throws(Problem) -> UInt8 {
        let digits = bytes[offset...].prefix(2)
        if let first = digits.first, isSpecial(first) || Array(" #=".utf8).contains(first) {
            offset += 1
            return first
        }
        guard let high = digits.first?.hexDigit, let low = digits.dropFirst().first?.hexDigit else {
            throw Problem(
                text: "the distinguished name has a '\\' without a special character or two digits after it.")
        }
        offset += 2
        return high << 4 | low
    }
}
