package import Foundation

extension JSONValue {
    /// The document as text.
    package var written: String { String(decoding: bytes, as: UTF8.self) }

    /// An array of texts.
    package static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The texts of an array, or the text itself; other values are left out.
    package var texts: [String] { elements.compactMap(\.text) }

    /// A NumericDate that is a whole number.
    package var seconds: Double? {
        if case .integer(let number) = self { return Double(number) }
        return nil
    }

    /// The value of the claim with exactly this name; nil for a missing claim.
    package func claim(_ name: String) -> JSONValue? { members.first { $0.name.hasSameBytes(as: name) }?.value }

    /// An object with the members that have a value.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { member in member.value.map { .init(member.key, $0) } })
    }

    /// A text; null for none.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// A moment to the second; null for none.
    package static func time(_ date: Date?) -> JSONValue {
        .text(date.map { Timestamp.text($0, hasMilliseconds: false) })
    }
}
