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

    /// Begins a document.
    ///
    /// - Parameter isVersioned: Whether the document begins with `version: 1`. OpenLDAP's slapadd refuses that line.
    package init(isVersioned: Bool = true) { bytes = isVersioned ? Array("version: 1\n".utf8) : [] }

    /// Writes a record. If this throws, nothing is written.
    ///
    /// - Parameters:
    ///   - dn: The distinguished name; make it with ``DistinguishedName/text(_:_:under:)``.
    ///   - attributes: In the order in which they are written.
    /// - Throws: ``DirectoryError`` `invalidInput` for something that is no distinguished name or attribute name.
    package mutating func append(dn: String, _ attributes: [LDIFAttribute]) throws {
        _ = try DistinguishedName.firstComponent(of: dn)
        for attribute in attributes {
            guard LDIFAttribute.isName(attribute.name.utf8), !LDIFAttribute.isReserved(attribute.name) else {
                throw DirectoryError(
                    .invalidInput, "LDIF cannot have an attribute of that name.",
                    advice: "Use letters, digits and '-', and neither 'dn' nor 'changetype' nor 'control'.")
            }
        }
        bytes.append(UInt8(ascii: "\n"))
        append(LDIFAttribute("dn", dn))
        for attribute in attributes { append(attribute) }
    }

    /// Hands over the text that was written since the last time. Call this now and then to write a large document in pieces.
    package mutating func take() -> Data {
        defer { bytes.removeAll(keepingCapacity: true) }
        return Data(bytes)
    }

    private mutating func append(_ attribute: LDIFAttribute) {
        var line = Array(attribute.name.utf8)
        if attribute.value.isEmpty {
            line.append(contentsOf: ":".utf8)
        } else if Self.isSafe(attribute.value) {
            line.append(contentsOf: ": ".utf8)
            line.append(contentsOf: attribute.value)
        } else {
            line.append(contentsOf: ":: ".utf8)
            line.append(contentsOf: Base64.text(attribute.value).utf8)
        }
        var rest = line[...]
        bytes.append(contentsOf: rest.prefix(Self.lineLength))
        rest = rest.dropFirst(Self.lineLength)
        while !rest.isEmpty {
            bytes.append(contentsOf: "\n ".utf8)
            bytes.append(contentsOf: rest.prefix(Self.lineLength - 1))
            rest = rest.dropFirst(Self.lineLength - 1)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Whether it is a SAFE-STRING, without control characters and a space at its end (RFC 2849, notes 4 and 8).
    private static func isSafe(_ value: Data) -> Bool {
        if let first = value.first, [UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "<")].contains(first) {
            return false
        }
        return value.last != UInt8(ascii: " ") && value.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
