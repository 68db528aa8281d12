package import Foundation

/// A JSON document (RFC 8259) in which every value knows where it stands, so that a mistake in a seed can be shown.
///
/// Stricter than the RFC demands: a name that stands twice in an object is refused (section 4 leaves it open), and so
/// are more than 64 levels. A byte order mark is skipped (section 8.1).
package struct JSONDocument: Sendable, Hashable {
    /// A value by its kind.
    package enum Content: Sendable, Hashable {
        /// The members in the order in which they stand.
        case object([Member])
        case array([JSONDocument])
        case string(String)
        /// A number that is written without a fraction and fits.
        case integer(Int64)
        /// Any other number.
        case decimal(Double)
        case boolean(Bool)
        case null
    }

    /// A name and its value in an object.
    package struct Member: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The line of the name, from 1.
        package let line: Int
        /// The column of the name in Unicode scalars, from 1.
        package let column: Int
        /// The value.
        package let value: JSONDocument
    }

    /// How many arrays and objects may stand within one another.
    static let maximumDepth = 64

    /// The value.
    package let content: Content
    /// The line on which the value begins, from 1.
    package let line: Int
    /// The column at which the value begins, in Unicode scalars, from 1.
    package let column: Int

    /// Reads a document.
    ///
    /// - Parameter allowsTrailingCommas: Whether a comma may stand before a closing bracket.
    /// - Throws: ``DirectoryError`` `invalidInput` with line and column.
    package init(_ data: Data, allowsTrailingCommas: Bool = false) throws {
        guard !data.starts(with: [0xFF, 0xFE]), !data.starts(with: [0xFE, 0xFF]) else {
            throw DirectoryError.malformed(
                line: 1, column: 1, "the document is UTF-16, but JSON is UTF-8.", advice: "Save it as UTF-8.")
        }
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        self = try text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var reader = JSONDocumentReader(bytes.bindMemory(to: UInt8.self), allowsTrailingCommas)
            do {
                return try reader.document()
            } catch let error as JSONScanner.Failure {
                reader.position.move(to: error.offset)
                throw DirectoryError.malformed(
                    line: reader.position.line, column: reader.position.column, error.problem + ".",
                    advice: "Correct the JSON there.")
            }
        }
    }

    fileprivate init(_ content: Content, _ line: Int, _ column: Int) {
        self.content = content
        self.line = line
        self.column = column
    }

    /// The value of a member; nil where it is missing or this is not an object.
    package subscript(name: String) -> JSONDocument? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// An error about this value, and where it stands.
    package func failure(_ problem: String, advice: String) -> DirectoryError {
        DirectoryError.malformed(line: line, column: column, problem, advice: advice)
    }
}

extension JSONDocument.Member {
    /// An error about this name, and where it stands.
    package func failure(_ problem: String, advice: String) -> DirectoryError {
        DirectoryError.malformed(line: line, column: column, problem, advice: advice)
    }
}

private struct JSONDocumentReader {
    private var scanner: JSONScanner
    private let allowsTrailingCommas: Bool
    var position: JSONPosition

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ allowsTrailingCommas: Bool) {
        self.allowsTrailingCommas = allowsTrailingCommas
        scanner = JSONScanner(bytes)
        position = JSONPosition(bytes)
    }

    mutating func document() throws(JSONScanner.Failure) -> JSONDocument {
        if let offset = position.firstInvalidByte() {
            throw JSONScanner.Failure(offset: offset, problem: "the text is not valid UTF-8")
        }
        let value = try value(depth: 0)
        _ = scanner.peek()
        guard scanner.isAtEnd else { throw scanner.failure("something follows the end of the document") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONScanner.Failure) -> JSONDocument {
        let next = scanner.peek()
        position.move(to: scanner.offset)
        let (line, column) = (position.line, position.column)
        return JSONDocument(try content(next, depth: depth), line, column)
    }

    private mutating func content(_ next: UInt8, depth: Int) throws(JSONScanner.Failure) -> JSONDocument.Content {
        switch next {
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        default: break
        }
        if scanner.take(word: "true") { return .boolean(true) }
        if scanner.take(word: "false") { return .boolean(false) }
        if scanner.take(word: "null") { return .null }
        if scanner.isAtEnd { throw scanner.failure("expected a value, but the text ends") }
        switch try scanner.number() {
        case .integer(let number): return .integer(number)
        case .decimal(let number): return .decimal(number)
        }
    }

    private mutating func text() throws(JSONScanner.Failure) -> String {
        let start = scanner.offset
        let text = try scanner.string()
        guard !text.hasEndlessMarks else {
            throw JSONScanner.Failure(offset: start, problem: "more than 256 combining marks stand in a row")
        }
        return text
    }

    private mutating func elements(depth: Int) throws(JSONScanner.Failure) -> [JSONDocument] {
        try checkDepth(depth)
        try scanner.expect(UInt8(ascii: "["))
        var elements: [JSONDocument] = []
        if scanner.take(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while takeComma(before: "]")
        try scanner.expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func members(depth: Int) throws(JSONScanner.Failure) -> [JSONDocument.Member] {
        try checkDepth(depth)
        try scanner.expect(UInt8(ascii: "{"))
        var members: [JSONDocument.Member] = []
        var names: Set<String> = []
        if scanner.take(UInt8(ascii: "}")) { return members }
        repeat {
            _ = scanner.peek()
            let start = scanner.offset
            position.move(to: start)
            let (line, column) = (position.line, position.column)
            let name = try text()
            guard names.insert(name).inserted else {
                throw JSONScanner.Failure(offset: start, problem: "this name stands in the object already")
            }
            try scanner.expect(UInt8(ascii: ":"))
            let value = try value(depth: depth + 1)
            members.append(JSONDocument.Member(name: name, line: line, column: column, value: value))
        } while takeComma(before: "}")
        try scanner.expect(UInt8(ascii: "}"))
        return members
    }

    /// Takes the comma after an element; false where the last one was read.
    private mutating func takeComma(before end: Unicode.Scalar) -> Bool {
        guard scanner.take(UInt8(ascii: ",")) else { return false }
        return !(allowsTrailingCommas && scanner.peek() == UInt8(ascii: end))
    }

    private func checkDepth(_ depth: Int) throws(JSONScanner.Failure) {
        guard depth < JSONDocument.maximumDepth else {
            throw scanner.failure("more than \(JSONDocument.maximumDepth) levels stand within one another")
        }
    }
}

/// The line and column of a byte. Moving forward costs only the way between, so that a whole document is one pass.
private struct JSONPosition {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private(set) var line = 1
    private(set) var column = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Where the first bytes are that are not UTF-8.
    func firstInvalidByte() -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var decoder = UTF8()
        var source = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&source) { offset += UTF8.width(scalar) }
        return offset
    }

    mutating func move(to target: Int) {
        if target < offset { self = JSONPosition(bytes) }
        while offset < min(target, bytes.count) {
            let byte = bytes[offset]
            offset += 1
            let endsLine = byte == 0x0A || (byte == 0x0D && !(offset < bytes.count && bytes[offset] == 0x0A))
            if endsLine {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}
