/// A value of a JSON document that can say where it stands.
///
/// Only a mistake needs a place, so that reading a document stores none: the place is found by scanning the text again.
package struct JSONDocument: Sendable {
    /// The value.
    package let value: JSONValue
    private let text: [UInt8]
    /// The indices of the members and elements that lead to the value.
    private let path: [Int]

    /// A member of an object.
    package struct Member: Sendable {
        /// The value, with its place.
        package let document: JSONDocument
        /// The name.
        package let name: String

        /// The place of the name.
        package var place: TextPlace { document.place(ofName: true) }
    }

    /// Reads a document, as ``JSONValue/init(parsing:allowsTrailingCommas:)`` does.
    package init(_ text: [UInt8]) throws(JSONScanner.Failure) {
        self.init(value: try JSONValue(parsing: text), text: text, path: [])
    }

    private init(value: JSONValue, text: [UInt8], path: [Int]) {
        self.value = value
        self.text = text
        self.path = path
    }

    /// The members of an object; nil for any other value.
    package var members: [Member]? {
        guard case .object(let members) = value else { return nil }
        return members.enumerated().map { index, member in
            Member(document: JSONDocument(value: member.value, text: text, path: path + [index]), name: member.name)
        }
    }

    /// The elements of an array; nil for any other value.
    package var elements: [JSONDocument]? {
        guard case .array(let elements) = value else { return nil }
        return elements.enumerated().map { JSONDocument(value: $1, text: text, path: path + [$0]) }
    }

    /// The place of the value. Cost: linear in the size of the document up to the value.
    package var place: TextPlace { place(ofName: false) }

    private func place(ofName isName: Bool) -> TextPlace {
        let offset = text.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, from: bytes.starts(with: TextPlace.byteOrderMark) ? 3 : 0)
            // The text was read before, so that the scanner finds no mistake in it.
            try? scanner.follow(path, toName: isName)
            _ = scanner.peek()
            return scanner.offset
        }
        return TextPlace(of: offset, in: text)
    }
}

extension JSONScanner {
    /// Goes from a value to the value, or to the name, that a path of indices leads to.
    fileprivate mutating func follow(_ path: [Int], toName isName: Bool) throws(Failure) {
        for (level, index) in path.enumerated() {
            let isObject = take(UInt8(ascii: "{"))
            if !isObject { try expect(UInt8(ascii: "[")) }
            for _ in 0..<index {
                if isObject { try skipName() }
                try skipValue()
                try expect(UInt8(ascii: ","))
            }
            if isObject, !(isName && level == path.count - 1) { try skipName() }
        }
    }

    private mutating func skipName() throws(Failure) {
        _ = try skipString()
        try expect(UInt8(ascii: ":"))
    }
}
