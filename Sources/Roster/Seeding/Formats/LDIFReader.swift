package import Foundation
import RosterText

/// An attribute of an entry, and one value of it.
package struct LDIFAttribute: Sendable, Hashable {
    /// A value is kept as text if possible, because most values are text.
    private enum Content: Sendable, Hashable {
        case text(String)
        case bytes(Data)
    }

    /// The name, with its options: `cn;lang-en`, `jpegPhoto;binary` (RFC 4512, section 2.5).
    package let name: String
    /// The line of the document on which the attribute begins, from 1; 0 if it was not read from a document.
    package private(set) var line = 0
    private let content: Content

    /// A value of bytes.
    package init(_ name: String, _ value: some ContiguousBytes) {
        self.name = name
        content = value.withUnsafeBytes { bytes in
            String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self).map { .text($0) } ?? .bytes(Data(bytes))
        }
    }

    /// A value of text.
    package init(_ name: String, _ text: String) {
        self.name = name
        content = .text(text)
    }

    /// The bytes of the value.
    package var value: Data {
        switch content {
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// Passes the bytes of the value to a closure, without copying them.
    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        switch content {
        case .text(var text): try text.withUTF8(body)
        case .bytes(let bytes): try bytes.withUnsafeBytes { try body($0.bindMemory(to: UInt8.self)) }
        }
    }

    /// The value as text; nil if the bytes are not valid UTF-8.
    package var text: String? {
        if case .text(let text) = content { return text }
        return nil
    }

    /// Compares names and bytes, because Swift treats some texts with different bytes as equal.
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.value == right.value }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }

    /// The same attribute on a line of a document.
    fileprivate func on(_ line: Int) -> LDIFAttribute {
        var attribute = self
        attribute.line = line
        return attribute
    }

    /// Returns whether a text is an attribute description of RFC 4512: letters, digits and hyphens, or an object identifier, and
    /// then options. `_` is accepted too, because most servers accept it and the name of an app's own attribute may contain it.
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

    /// Whether a line with this name describes the record and is not an attribute (RFC 2849).
    static func isReserved(_ name: String) -> Bool { ["dn", "changetype", "control"].contains(name.lowercased()) }
}

/// An entry in an LDIF document.
package struct LDIFRecord: Sendable, Hashable {
    /// The line on which the record begins, from 1.
    package let line: Int
    /// The distinguished name as it is written.
    package let dn: String
    /// The attributes in the first component of the name, unescaped: `uid=jane` (several for `uid=jane+cn=Jane`).
    package let firstComponent: [LDIFAttribute]
    /// The attributes in their order. An attribute with several values occurs several times.
    package let attributes: [LDIFAttribute]
}

/// Reads the content records of LDIF (RFC 2849) one by one: `while let record = try reader.next()`.
///
/// `changetype: add` counts as content; other changes and controls are refused. So is `attribute:< URL`: nothing is
/// ever fetched or opened. UTF-8 text without base64 is accepted, although RFC 2849 asks for base64, because most people
/// write it so.
package struct LDIFReader: Sendable {
    /// A line, joined with the lines that continue it.
    private enum Line {
        case blank, comment
        case attribute(LDIFAttribute, line: Int)
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

    /// Whether everything was read.
    var isAtEnd: Bool { offset >= data.count }

    /// The next record, or nil after the last one.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` with the line. The next call goes on with the record that follows.
    package mutating func next() throws -> LDIFRecord? {
        try data.withUnsafeBytes { bytes in
            let document = bytes.bindMemory(to: UInt8.self)
            do {
                return try record(document)
            } catch {
                while let line = takeLine(document), !line.isEmpty {}
                throw error
            }
        }
    }

    private mutating func record(_ document: UnsafeBufferPointer<UInt8>) throws -> LDIFRecord? {
        guard var (name, line) = try nextAttribute(document) else { return nil }
        if isAtStart, name.name.lowercased() == "version" {
            isAtStart = false
            guard name.text == "1" else {
                throw failure(line, "only version 1 of LDIF is known.", "Export it as LDIF version 1.")
            }
            guard let next = try nextAttribute(document) else { return nil }
            (name, line) = next
        }
        isAtStart = false
        guard name.name.lowercased() == "dn" else {
            throw failure(line, "a record must begin with 'dn:'.", "Name the entry first.")
        }
        guard let dn = name.text else {
            throw failure(line, "the distinguished name is not UTF-8.", "Write it in UTF-8.")
        }
        let component: [LDIFAttribute]
        do {
            component = try DistinguishedName.parseFirst(dn)
        } catch {
            throw failure(line, error.text, DistinguishedName.advice)
        }
        return LDIFRecord(line: line, dn: dn, firstComponent: component, attributes: try attributes(document))
    }

    /// The first attribute after blank lines and comments.
    private mutating func nextAttribute(
        _ document: UnsafeBufferPointer<UInt8>
    ) throws -> (attribute: LDIFAttribute, line: Int)? {
        while let line = try nextLine(document) {
            if case .attribute(let attribute, let line) = line { return (attribute, line) }
        }
        return nil
    }

    private mutating func attributes(_ document: UnsafeBufferPointer<UInt8>) throws -> [LDIFAttribute] {
        var attributes: [LDIFAttribute] = []
        attributes.reserveCapacity(16)
        var isChange = false
        while let line = try nextLine(document) {
            guard case .attribute(let attribute, let line) = line else {
                if case .blank = line { break }
                continue
            }
            // The lengths of the names with a special meaning exclude most other names quickly.
            switch [2, 7, 10].contains(attribute.name.utf8.count) ? attribute.name.lowercased() : "" {
            case "dn":
                throw failure(line, "a record begins within another one.", "Put a blank line before it.")
            case "control":
                throw failure(line, "controls are not supported.", "Export the entries, not changes of them.")
            case "changetype":
                guard !isChange, attributes.isEmpty else {
                    throw failure(line, "'changetype:' is in the wrong place.", "Put it right after 'dn:'.")
                }
                guard attribute.text?.lowercased() == "add" else {
                    throw failure(
                        line, "only entries and 'changetype: add' can be imported.",
                        "Export the entries, not changes of them.")
                }
                isChange = true
            default: attributes.append(attribute)
            }
        }
        return attributes
    }

    // MARK: Lines

    /// The next line with the lines that begin with a space after it (RFC 2849, note 2).
    private mutating func nextLine(_ document: UnsafeBufferPointer<UInt8>) throws -> Line? {
        let line = number
        guard let first = takeLine(document) else { return nil }
        // A blank line ends a record and cannot be continued.
        if first.isEmpty { return .blank }
        guard isContinued(document) else { return try parse(first, line) }
        var unfolded = Array(first)
        while isContinued(document) {
            offset += 1
            if let rest = takeLine(document) { unfolded.append(contentsOf: rest) }
        }
        return try unfolded.withUnsafeBufferPointer { try parse($0, line) }
    }

    private func isContinued(_ document: UnsafeBufferPointer<UInt8>) -> Bool {
        offset < document.count && document[offset] == UInt8(ascii: " ")
    }

    /// Takes a line as it is in the document, without its end; empty if a continued line has nothing more.
    private mutating func takeLine(_ document: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard offset < document.count else { return nil }
        let start = offset
        var end = offset
        while end < document.count, document[end] != 0x0A { end += 1 }
        offset = min(end + 1, document.count)
        number += 1
        if end > start, document[end - 1] == 0x0D { end -= 1 }
        return UnsafeBufferPointer(rebasing: document[start..<end])
    }

    private func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) throws -> Line {
        if bytes.first == UInt8(ascii: "#") { return .comment }
        if bytes.first == UInt8(ascii: " ") {
            throw failure(line, "the line continues nothing.", "Remove the space at its beginning.")
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), LDIFAttribute.isName(bytes[..<colon]) else {
            throw failure(line, "this is not 'attribute: value'.", "Write an attribute's name, ':' and a value.")
        }
        let name = String(decoding: UnsafeBufferPointer(rebasing: bytes[..<colon]), as: UTF8.self)
        let rest = bytes[(colon + 1)...]
        switch rest.first {
        case UInt8(ascii: "<"):
            throw failure(
                line, "the value is at a URL, and URLs are never opened.", "Put the value itself there, in base64.")
        case UInt8(ascii: ":"):
            guard let value = Base64.bytes(rest.dropFirst().filter { $0 != UInt8(ascii: " ") }) else {
                throw failure(line, "the value after '::' is not base64.", "Encode it again.")
            }
            return .attribute(LDIFAttribute(name, value).on(line), line: line)
        default:
            let value = UnsafeBufferPointer(rebasing: rest.drop { $0 == UInt8(ascii: " ") })
            let isText = value.allSatisfy { $0 != 0 && $0 != 0x0D } && value.firstInvalidUTF8 == nil
            guard isText else {
                throw failure(
                    line, "the value is not UTF-8 text in one line.", "Write it in base64, with '::' before it.")
            }
            return .attribute(LDIFAttribute(name, String(decoding: value, as: UTF8.self)).on(line), line: line)
        }
    }

    private func failure(_ line: Int, _ problem: String, _ advice: String) -> DirectoryError {
        DirectoryError.malformed(line: line, problem, advice: advice)
    }
}
