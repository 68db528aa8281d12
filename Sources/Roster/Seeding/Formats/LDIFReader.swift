package import Foundation
import RosterText

/// An attribute of an entry, and one value of it.
package struct LDIFAttribute: Sendable, Hashable {
    /// The name, with its options: `cn;lang-en`, `jpegPhoto;binary` (RFC 4512, section 2.5).
    package let name: String
    /// The bytes of the value.
    package let value: Data

    /// A value of bytes.
    package init(_ name: String, _ value: Data) {
        self.name = name
        self.value = value
    }

    /// A value of text.
    package init(_ name: String, _ text: String) { self.init(name, Data(text.utf8)) }

    /// The value as text, or nil where it is not valid UTF-8.
    package var text: String? { String(validating: value, as: UTF8.self) }

    /// Whether it can name an attribute: letters, digits and hyphens, or an object identifier, and then options. `_` is
    /// taken too, because most servers take it and attributes of an app's own may have it.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, isLetterOrDigit(first) else { return false }
        if bytes.allSatisfy(isLetterOrDigit) { return true }
        return bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    isLetterOrDigit(byte)
                        || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
                }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }

    /// Whether a line with this name says something about the record and is no attribute (RFC 2849).
    static func isReserved(_ name: String) -> Bool { ["dn", "changetype", "control"].contains(name.lowercased()) }
}

/// An entry in an LDIF document.
package struct LDIFRecord: Sendable, Hashable {
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The distinguished name as it is written.
    package let dn: String
    /// What the first component of the name says, unescaped: `uid=jane` (several after `uid=jane+cn=Jane`).
    package let firstComponent: [LDIFAttribute]
    /// The attributes in their order; one with several values stands several times.
    package let attributes: [LDIFAttribute]
}

/// Reads the content records of LDIF (RFC 2849) one by one: `while let record = try reader.next()`.
///
/// `changetype: add` counts as content; other changes and controls are refused. So is `attribute:< URL`: nothing is
/// ever fetched or opened. UTF-8 text without base64 is taken, although RFC 2849 asks for base64, because most people
/// write it so.
package struct LDIFReader: Sendable {
    /// A line, together with the lines that continue it.
    private struct Line {
        let number: Int
        var bytes: [UInt8] = []

        var isComment: Bool { bytes.first == UInt8(ascii: "#") }

        func failure(_ problem: String, advice: String) -> DirectoryError {
            DirectoryError.malformed(line: number, problem, advice: advice)
        }
    }

    private let data: Data
    private var offset: Int
    private var number = 1
    private var isAtStart = true

    /// Begins to read a document.
    package init(_ data: Data) {
        self.data = data
        offset = data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next record, or nil after the last one.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` with the line. The next call goes on with the record that follows.
    package mutating func next() throws -> LDIFRecord? {
        do {
            return try record()
        } catch {
            while let line = nextLine(), !line.bytes.isEmpty {}
            throw error
        }
    }

    private mutating func record() throws -> LDIFRecord? {
        guard var first = nextContentLine() else { return nil }
        var name = try attribute(first)
        if isAtStart, name.name.lowercased() == "version" {
            isAtStart = false
            guard name.text == "1" else {
                throw first.failure("only version 1 of LDIF is known.", advice: "Export it as LDIF version 1.")
            }
            guard let next = nextContentLine() else { return nil }
            first = next
            name = try attribute(first)
        }
        isAtStart = false
        guard name.name.lowercased() == "dn" else {
            throw first.failure("a record must begin with 'dn:'.", advice: "Name the entry first.")
        }
        guard let dn = name.text else {
            throw first.failure("the distinguished name is not UTF-8.", advice: "Write it in UTF-8.")
        }
        let component: [LDIFAttribute]
        do {
            component = try DistinguishedName.parseFirst(dn)
        } catch {
            throw first.failure(error.text, advice: DistinguishedName.advice)
        }
        return LDIFRecord(line: first.number, dn: dn, firstComponent: component, attributes: try attributes())
    }

    private mutating func attributes() throws -> [LDIFAttribute] {
        var attributes: [LDIFAttribute] = []
        var isChange = false
        while let line = nextLine(), !line.bytes.isEmpty {
            if line.isComment { continue }
            let attribute = try attribute(line)
            // Few names are as long as those that mean something else.
            switch [2, 7, 10].contains(attribute.name.utf8.count) ? attribute.name.lowercased() : "" {
            case "dn":
                throw line.failure("a record begins within another one.", advice: "Put a blank line before it.")
            case "control":
                throw line.failure("controls cannot be taken.", advice: "Export the entries, not changes of them.")
            case "changetype":
                guard !isChange, attributes.isEmpty else {
                    throw line.failure("'changetype:' stands in the wrong place.", advice: "Put it right after 'dn:'.")
                }
                guard attribute.text?.lowercased() == "add" else {
                    throw line.failure(
                        "only entries and 'changetype: add' can be taken.",
                        advice: "Export the entries, not changes of them.")
                }
                isChange = true
            default: attributes.append(attribute)
            }
        }
        return attributes
    }

    /// The next line that is neither blank nor a comment.
    private mutating func nextContentLine() -> Line? {
        while let line = nextLine() {
            if !line.bytes.isEmpty, !line.isComment { return line }
        }
        return nil
    }

    /// The next line without its end, and with the lines that begin with a space after it (RFC 2849, note 2).
    private mutating func nextLine() -> Line? {
        data.withUnsafeBytes { bytes in
            guard offset < bytes.count else { return nil }
            var line = Line(number: number)
            repeat {
                let end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
                let hasReturn = end > offset && bytes[end - 1] == 0x0D
                line.bytes.append(contentsOf: bytes[offset..<(hasReturn ? end - 1 : end)])
                offset = min(end + 1, bytes.count)
                number += 1
                // A blank line ends a record and cannot be continued.
                guard !line.bytes.isEmpty, offset < bytes.count, bytes[offset] == UInt8(ascii: " ") else { break }
                offset += 1
            } while true
            return line
        }
    }

    private func attribute(_ line: Line) throws -> LDIFAttribute {
        if line.bytes.first == UInt8(ascii: " ") {
            throw line.failure("the line continues nothing.", advice: "Remove the space at its beginning.")
        }
        guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")), LDIFAttribute.isName(line.bytes[..<colon])
        else {
            throw line.failure("this is not 'attribute: value'.", advice: "Write an attribute's name, ':' and a value.")
        }
        let name = line.bytes[..<colon]
        let rest = line.bytes[(colon + 1)...]
        let text = String(decoding: name, as: UTF8.self)
        switch rest.first {
        case UInt8(ascii: "<"):
            throw line.failure(
                "the value stands at a URL, and URLs are never opened.",
                advice: "Put the value itself there, in base64.")
        case UInt8(ascii: ":"):
            let encoded = rest.dropFirst().filter { $0 != UInt8(ascii: " ") }
            guard let value = Base64.bytes(encoded) else {
                throw line.failure("the value after '::' is not base64.", advice: "Encode it again.")
            }
            return LDIFAttribute(text, Data(value))
        default:
            let value = rest.drop { $0 == UInt8(ascii: " ") }
            guard !value.contains(0), !value.contains(0x0D), String(validating: value, as: UTF8.self) != nil else {
                throw line.failure(
                    "the value is not UTF-8 text in one line.", advice: "Write it in base64, with '::' before it.")
            }
            return LDIFAttribute(text, Data(value))
        }
    }
}
