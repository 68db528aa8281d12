import Foundation
import Roster
import RosterSignIn
import RosterText

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
    func attributeValue(for definition: AttributeDefinition) throws -> AttributeValue? {
        func refused(_ expected: String) -> DirectoryError {
            DirectoryError(
                .invalidAttribute, "'\(definition.name)' was given a value of another type.",
                advice: "Give \(expected).", attribute: definition.name)
        }
        // In JSON, 5.0 and 5 are the same number.
        if case .decimal(let number) = self, definition.kind != .decimal, number > -0x1p63,
            let whole = Int64(exactly: number)
        {
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
            for member in members { parts[member.name] = try member.value.part(of: definition) }
            return .complex(parts)
        default: throw refused("text, a number or what else it is declared as")
        }
    }

    private func part(of definition: AttributeDefinition) throws -> AttributeValue? {
        switch self {
        case .null: return nil
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(number)
        case .decimal(let number): return .decimal(number)
        case .boolean(let isTrue): return .boolean(isTrue)
        case .object, .array:
            throw DirectoryError(
                .invalidAttribute, "A part of '\(definition.name)' is not a plain value.", attribute: definition.name)
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
