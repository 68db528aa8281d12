package import Foundation
import RosterText

/// Writes LDIF (RFC 2849) that ``LDIFReader`` reads back exactly as it was.
///
/// Text that could be taken for anything but a value, such as a line break, is written in base64, so that no value
/// can add a line.
package struct LDIFWriter: Sendable {
    /// The longest line (RFC 2849, note 10).
    private static let lineLength = 76

    private var bytes: [UInt8]
    /// The names of attributes that were found to be valid.
    private var checked: Set<String> = []

    /// Begins a document.
    ///
    /// - Parameter isVersioned: Whether the document begins with `version: 1`. OpenLDAP's slapadd refuses that line.
    package init(isVersioned: Bool = true) { bytes = isVersioned ? Array("version: 1\n".utf8) : [] }

    /// Writes a record. If this throws, nothing is written.
    ///
    /// - Parameters:
    ///   - dn: The distinguished name; make it with ``DistinguishedName/text(_:_:under:)``.
    ///   - attributes: In the order in which they are written.
    /// - Throws: ``DirectoryError`` `invalidInput` for something that is not a distinguished name or attribute name.
    package mutating func append(dn: String, _ attributes: [LDIFAttribute]) throws {
        _ = try DistinguishedName.firstComponent(of: dn)
        for attribute in attributes { try check(attribute.name) }
        begin(dn)
        for attribute in attributes { write(attribute) }
    }

    /// Begins a record, whose attributes follow one by one.
    ///
    /// - Parameter dn: A text of ``DistinguishedName/text(_:_:under:)``.
    mutating func begin(_ dn: String) {
        bytes.append(UInt8(ascii: "\n"))
        write(LDIFAttribute("dn", dn))
    }

    /// Adds an attribute to the record that was begun last.
    ///
    /// - Throws: ``DirectoryError`` `invalidInput` for something that is not an attribute name.
    mutating func append(_ attribute: LDIFAttribute) throws {
        try check(attribute.name)
        write(attribute)
    }

    /// The number of bytes that ``take()`` would return.
    var count: Int { bytes.count }

    /// Hands over the text that was written since the last time. Call this now and then to write a large document in pieces.
    package mutating func take() -> Data {
        defer { bytes.removeAll(keepingCapacity: true) }
        return Data(bytes)
    }

    private mutating func check(_ name: String) throws {
        if checked.contains(name) { return }
        guard LDIFAttribute.isName(name.utf8), !LDIFAttribute.isReserved(name) else {
            throw DirectoryError(
                .invalidInput, "LDIF cannot have an attribute of that name.",
                advice: "Use letters, digits and '-', and neither 'dn' nor 'changetype' nor 'control'.")
        }
        // A document has few names, each of them many times.
        if checked.count < 1_024 { checked.insert(name) }
    }

    private mutating func write(_ attribute: LDIFAttribute) {
        let start = bytes.count
        bytes.append(contentsOf: attribute.name.utf8)
        attribute.withBytes { value in
            if value.isEmpty {
                bytes.append(UInt8(ascii: ":"))
            } else if Self.isSafe(value) {
                bytes.append(contentsOf: ": ".utf8)
                bytes.append(contentsOf: value)
            } else {
                bytes.append(contentsOf: ":: ".utf8)
                bytes.append(contentsOf: Base64.text(value).utf8)
            }
        }
        if bytes.count - start > Self.lineLength { fold(from: start) }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Breaks a long line, which begins at an index and ends the text.
    private mutating func fold(from start: Int) {
        let line = Array(bytes[start...])
        bytes.removeLast(line.count)
        var rest = line[...]
        bytes.append(contentsOf: rest.prefix(Self.lineLength))
        rest = rest.dropFirst(Self.lineLength)
        while !rest.isEmpty {
            bytes.append(contentsOf: "\n ".utf8)
            bytes.append(contentsOf: rest.prefix(Self.lineLength - 1))
            rest = rest.dropFirst(Self.lineLength - 1)
        }
    }

    /// Whether it is a SAFE-STRING, without control characters and a space at its end (RFC 2849, notes 4 and 8).
    private static func isSafe(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        if let first = value.first, [UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "<")].contains(first) {
            return false
        }
        return value.last != UInt8(ascii: " ") && value.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
