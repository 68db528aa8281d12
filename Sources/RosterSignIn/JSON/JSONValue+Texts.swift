import Roster
package import RosterText

extension JSONValue {
    /// Reads a document that must be sound.
    ///
    /// - Throws: `DirectoryError` `invalidInput`.
    init(text: String) throws { try self.init(strictly: Array(text.utf8)) }

    package var written: String { String(decoding: bytes, as: UTF8.self) }

    package static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The texts of an array, or the text itself; other values are left out.
    package var texts: [String] { elements.compactMap(\.text) }

    /// A NumericDate as we write it.
    var seconds: Double? {
        if case .integer(let number) = self { return Double(number) }
        return nil
    }

    /// The value of the claim with exactly this name; nil for a missing claim.
    func claim(_ name: String) -> JSONValue? { members.first { $0.name.hasSameBytes(as: name) }?.value }
}

extension String {
    package var words: [String] { split(separator: " ").map(String.init) }
}
