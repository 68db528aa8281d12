import Foundation
package import Roster
import RosterSignIn
package import RosterText

extension JSONValue {
    /// Reads a document: strictly, with no name twice in an object and at most 64 levels.
    ///
    /// - Throws: `DirectoryError` `invalidInput` with line and column.
    init(parsing bytes: [UInt8]) throws {
        // A file may begin with a byte order mark; a message over the network must not (RFC 8259, section 8.1).
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw RequestError(.badRequest, "The body begins with a byte order mark. Leave it out.")
        }
        try self.init(strictly: bytes)
    }
}

extension JSONValue {
    /// The value that this JSON means for an attribute; nil for `null`.
    ///
    /// - Throws: `DirectoryError` `invalidAttribute` if it does not have the attribute's kind.
    package func attributeValue(for definition: AttributeDefinition) throws -> AttributeValue? {
        func refused(_ expected: String) -> DirectoryError {
            DirectoryError(
                .invalidAttribute, "'\(definition.name)' was given a value of another type.",
                advice: "Give \(expected).", attribute: definition.name)
        }
        // In JSON, 5.0 and 5 are the same number.
        if case .decimal(let number) = self, definition.kind != .decimal, let whole = Int64(exactly: number) {
            // The JSON parser has rounded a larger number, whose fraction or last digits are lost.
            guard abs(number) < 0x1p52 else {
                throw refused("a whole number without a fraction and without an exponent")
            }
            return try JSONValue.integer(whole).attributeValue(for: definition)
        }
        switch (self, definition.kind) {
        case (.null, _): return nil
        case (.array(let elements), _) where !definition.isMultiValued:
            // An array of one value means that value. The attribute cannot have any other array.
            guard elements.count <= 1, elements.first.map({ if case .array = $0 { false } else { true } }) ?? true
            else { throw refused("one value") }
            return try elements.first?.attributeValue(for: definition)
        case (.array(let elements), _):
            return .list(try elements.compactMap { try $0.attributeValue(for: definition) })
        case (.string(let text), .string), (.string(let text), .complex): return .string(text)
        case (.integer(let number), .string): return .string(String(number))
        case (.integer(let number), .integer): return .integer(number)
        case (.integer(let number), .decimal): return .decimal(Double(number))
        case (.decimal(let number), .decimal): return .decimal(number)
        case (.boolean(let isTrue), .boolean): return .boolean(isTrue)
        case (.string(""), .time): return nil
        case (.string(let text), .boolean), (.string(let text), .time), (.string(let text), .binary):
            guard let value = definition.kind.value(of: text) else {
                throw refused(definition.kind == .time ? "a time such as 2026-01-31T12:00:00Z" : definition.kind.needed)
            }
            return value
        case (.object(let members), .complex):
            var parts: [String: AttributeValue] = [:]
            for member in members {
                // SCIM shows an unknown part to a client that reads the user, and refuses the part when the client writes it back.
                guard let name = definition.knownPart(member.name) else {
                    let known = definition.knownParts
                    throw DirectoryError(
                        .invalidAttribute,
                        "'\(definition.name)' was given a part \(EntityName.shown(member.name)), which it does not have.",
                        advice: SimilarWord.nearest(to: member.name, among: known).map { "Did you mean '\($0)'?" }
                            ?? "Give \(known.joined(separator: ", ")).", attribute: definition.name)
                }
                guard parts[name] == nil else { throw refused("each part once") }
                parts[name] = try member.value.part(name, of: definition)
            }
            return .complex(parts)
        default: throw refused("text, a number or what else it is declared as")
        }
    }

    private func part(_ name: String, of definition: AttributeDefinition) throws -> AttributeValue? {
        switch (self, name) {
        case (.null, _): return nil
        case (.boolean(let isTrue), "primary"): return .boolean(isTrue)
        // Some clients send 'primary' as text.
        case (.string("true"), "primary"): return .boolean(true)
        case (.string("false"), "primary"): return .boolean(false)
        // Some clients send a telephone number as a JSON number.
        case (.integer(let number), "value"): return .string(String(number))
        case (.string(let text), _) where name != "primary": return .string(text)
        default:
            throw DirectoryError(
                .invalidAttribute,
                "The part '\(name)' of '\(definition.name)' is not \(name == "primary" ? "true or false" : "text").",
                attribute: definition.name)
        }
    }
}

extension JSONValue {
    /// A whole number, clamped to the range of `Int`; nil for any other value. In JSON, 5.0 and 5 are the same number.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(clamping: number)
        case .decimal(let number) where number == number.rounded():
            Int64(exactly: number).map { Int(clamping: $0) } ?? (number > 0 ? .max : .min)
        default: nil
        }
    }
}
