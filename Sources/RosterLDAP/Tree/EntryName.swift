import Roster
import RosterText

/// A distinguished name (RFC 4514), compared as RFC 4517 says: without regard to case, spaces around the parts and escapes.
struct EntryName: Sendable, Hashable {
    /// An attribute and its value within a component, such as `uid=jane`.
    struct Part: Sendable, Hashable {
        /// The attribute's name in lower case; one name for all spellings of it.
        let attribute: String
        let value: String
        private let key: String

        init(_ attribute: String, _ value: String) {
            (self.attribute, self.value, key) = (AttributeNames.canonical(attribute), value, TextKey.of(value))
        }

        static func == (left: Part, right: Part) -> Bool { left.attribute == right.attribute && left.key == right.key }
        func hash(into hasher: inout Hasher) {
            hasher.combine(attribute)
            hasher.combine(key)
        }
    }

    /// The components from the entry's own up to the root. The parts of a component have no order.
    let components: [Set<Part>]

    init(_ components: [Set<Part>]) { self.components = components }

    /// Reads a name.
    ///
    /// - Throws: ``LDAPResult`` `invalidDNSyntax`.
    init(_ text: String) throws {
        var components: [Set<Part>] = []
        for piece in Self.pieces(of: text) {
            guard components.count < 64, let parts = try? DistinguishedName.firstComponent(of: piece), !parts.isEmpty
            else { throw LDAPResult(.invalidDNSyntax, "The distinguished name cannot be read.") }
            components.append(
                Set(
                    try parts.map { part in
                        guard let value = part.text, !value.isEmpty else {
                            throw LDAPResult(.invalidDNSyntax, "The distinguished name has a part without a value.")
                        }
                        return Part(part.name, value)
                    }))
        }
        self.components = components
    }

    /// Whether a text may be a distinguished name. A name or a mail address has no `=` after an attribute's name.
    static func isOne(_ text: String) -> Bool {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let name = text[..<equals].utf8.filter { $0 != UInt8(ascii: " ") }
        return !name.isEmpty
            && name.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "0123456789-.".utf8.contains(byte)
            }
    }

    /// The single part of the entry's own component; nil if it has several.
    var own: Part? { components.first.flatMap { $0.count == 1 ? $0.first : nil } }

    /// Cuts a name at the commas that are not escaped. RFC 2253 also had semicolons.
    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        var piece: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if !isEscaped, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
                pieces.append(String(decoding: piece, as: UTF8.self))
                piece = []
                continue
            }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            piece.append(byte)
        }
        let last = String(decoding: piece, as: UTF8.self)
        if pieces.isEmpty, last.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) { return [] }
        return pieces + [last]
    }
}
