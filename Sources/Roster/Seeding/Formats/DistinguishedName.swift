import Foundation
import RosterText

/// Reads and writes the text of distinguished names (RFC 4514).
package enum DistinguishedName {
    struct Problem: Error {
        let text: String
    }

    static let advice = "Write it as in 'uid=jane,ou=people,dc=example', with '\\' before special characters."
    private static let special = Array("\"+,;<>\\".utf8)

    /// The name of an entry below another one: `uid=jane,ou=people`. The value is escaped (RFC 4514, section 2.4).
    ///
    /// - Parameters:
    ///   - attribute: The attribute that names the entry.
    ///   - value: Its value.
    ///   - parent: The distinguished name of the entry above; may be empty.
    package static func text(_ attribute: String, _ value: String, under parent: String) -> String {
        let bytes = Array(value.utf8)
        var escaped: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isAtEdge = index == 0 || index == bytes.count - 1
            if special.contains(byte) || (byte == UInt8(ascii: " ") && isAtEdge)
                || (byte == UInt8(ascii: "#") && index == 0)
            {
                escaped += [UInt8(ascii: "\\"), byte]
            } else if byte < 0x20 || byte == 0x7F {
                escaped += Array(("\\" + Hexadecimal.text([byte])).utf8)
            } else {
                escaped.append(byte)
            }
        }
        return attribute + "=" + String(decoding: escaped, as: UTF8.self) + (parent.isEmpty ? "" : "," + parent)
    }

    /// What the first component says, unescaped: of `uid=jane+cn=Jane,ou=people`, `uid` and `cn`. Of an empty name
    /// nothing. The components after it are not looked at.
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

    static func parseFirst(_ text: String) throws(Problem) -> [LDIFAttribute] {
        var rest = Array(text.utf8)[...]
        var component: [LDIFAttribute] = []
        if rest.isEmpty { return component }
        while true {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else {
                throw Problem(text: "the distinguished name has no '='.")
            }
            let name = String(decoding: rest[..<equals], as: UTF8.self).trimmingCharacters(in: [" "])
            guard LDIFAttribute.isName(name.utf8), !name.utf8.contains(UInt8(ascii: ";")) else {
                throw Problem(text: "the distinguished name does not begin with an attribute's name.")
            }
            rest = rest[equals...].dropFirst()
            component.append(LDIFAttribute(name, try value(&rest)))
            guard let separator = rest.popFirst() else { return component }
            if separator == UInt8(ascii: ",") {
                guard !rest.isEmpty else { throw Problem(text: "the distinguished name ends with ','.") }
                return component
            }
        }
    }

    /// Takes a value up to the `,` or `+` after it. Spaces around it are not part of it unless they are escaped.
    private static func value(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> String {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        if rest.first == UInt8(ascii: "#") {
            throw Problem(text: "the distinguished name has a value in BER ('#'), which cannot be taken.")
        }
        var value: [UInt8] = []
        var keptCount = 0
        while let byte = rest.first, byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "\\") {
                value.append(try escaped(&rest))
                keptCount = value.count
            } else if byte == 0 || special.contains(byte) {
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

    private static func escaped(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> UInt8 {
        if let first = rest.popFirst() {
            if special.contains(first) || Array(" #=".utf8).contains(first) { return first }
            if let high = first.hexDigit, let low = rest.popFirst()?.hexDigit { return high << 4 | low }
        }
        throw Problem(text: "the distinguished name has a '\\' without a special character or two digits after it.")
    }
}
