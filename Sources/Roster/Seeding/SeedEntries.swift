import Foundation
import RosterText

/// An object in a list of a seed.
struct SeedEntry {
    struct Member {
        let name: String
        /// The line of the name.
        let nameLine: Int
        /// The value; nil for `null`.
        let value: AttributeValue?
        /// The line of the value.
        let line: Int
        /// The lines of the elements, if the value is a list.
        let elementLines: [Int]
    }
    /// The line on which the object begins.
    let line: Int
    /// The members in their order; nil if this is no object.
    let members: [Member]?
}

/// Reads a seed piece by piece: only the entry at hand takes memory besides the text.
struct SeedScanner: Sendable {
    private let data: Data
    /// The offset of the next byte, and the line on which it is.
    private(set) var offset: Int
    private(set) var line = 1
    private static let maximumDepth = 64

    /// - Throws: `invalidInput` where the text is not UTF-8.
    init(_ data: Data) throws {
        self.data = data
        offset = data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if let invalid = data.withUnsafeBytes({ $0.bindMemory(to: UInt8.self).firstInvalidUTF8 }) {
            throw malformed(JSONScanner.Failure(offset: invalid, problem: "the text is not valid UTF-8"))
        }
    }

    /// Runs `body` on a scanner of the text from here on, and stays where the scanner stopped.
    private mutating func scan<Value>(
        _ body: (inout Values) throws(JSONScanner.Failure) -> Value
    ) throws -> Value {
        let start = offset
        let (result, end, endLine) = data.withUnsafeBytes { bytes in
            let rest = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[start...])
            var values = Values(rest, line)
            let result = Result { () throws(JSONScanner.Failure) in try body(&values) }
            values.countLines()
            return (result, start + values.scanner.offset, values.line)
        }
        switch result {
        case .success(let value):
            offset = end
            line = endLine
            return value
        case .failure(let failure):
            throw malformed(JSONScanner.Failure(offset: start + failure.offset, problem: failure.problem))
        }
    }

    /// The error for a mistake in the text.
    private func malformed(_ failure: JSONScanner.Failure) -> DirectoryError { .malformed(failure, in: Array(data)) }

    // MARK: Objects and lists

    /// Takes the brace or the bracket that begins an object or a list; false where something else stands there.
    mutating func begin(_ bracket: Unicode.Scalar) throws -> Bool {
        try scan { values throws(JSONScanner.Failure) in values.scanner.take(UInt8(ascii: bracket)) }
    }

    /// Goes to the next member or element; false after the last one, whose end is taken.
    ///
    /// - Parameter isFirst: Whether none came before it.
    mutating func goOn(to end: Unicode.Scalar, isFirst: Bool) throws -> Bool {
        try scan { values throws(JSONScanner.Failure) in
            if isFirst, values.scanner.take(UInt8(ascii: end)) { return false }
            if isFirst || values.scanner.take(UInt8(ascii: ",")) {
                _ = values.scanner.peek()
                return true
            }
            try values.scanner.expect(UInt8(ascii: end))
            return false
        }
    }

    /// Takes a member's name and the colon after it, and goes to the value.
    mutating func name() throws -> String {
        try scan { values throws(JSONScanner.Failure) in
            let name = try values.text()
            try values.scanner.expect(UInt8(ascii: ":"))
            _ = values.scanner.peek()
            return name
        }
    }

    /// Takes a value; nil for `null`.
    mutating func value() throws -> AttributeValue? {
        try scan { values throws(JSONScanner.Failure) in try values.value(depth: 2) }
    }

    /// Takes an element of a list.
    mutating func entry() throws -> SeedEntry {
        try scan { values throws(JSONScanner.Failure) in try values.entry() }
    }

    /// Takes the list or the object of a member of the document without looking into it.
    mutating func skip() throws {
        try scan { values throws(JSONScanner.Failure) in try values.scanner.skipValue() }
    }

    /// Takes an element of a list.
    ///
    /// - Returns: The text of the element.
    mutating func text() throws -> Data {
        let start = offset
        _ = try value()
        return data[data.startIndex + start..<data.startIndex + offset]
    }

    /// Refuses a text that goes on.
    mutating func finish() throws {
        try scan { values throws(JSONScanner.Failure) in
            _ = values.scanner.peek()
            guard values.scanner.isAtEnd else {
                throw values.scanner.failure("something follows the end of the document")
            }
        }
    }

    // MARK: Values

    /// Reads values, and counts the lines up to them.
    private struct Values {
        var scanner: JSONScanner
        private let bytes: UnsafeBufferPointer<UInt8>
        private var counted = 0
        private(set) var line: Int

        init(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) {
            self.bytes = bytes
            self.line = line
            scanner = JSONScanner(bytes)
        }

        static func endsLine(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            if bytes[index] == 0x0A { return true }
            return bytes[index] == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A)
        }

        mutating func countLines() {
            while counted < scanner.offset {
                if bytes[counted] <= 0x0D, Self.endsLine(counted, bytes) { line += 1 }
                counted += 1
            }
        }

        mutating func entry() throws(JSONScanner.Failure) -> SeedEntry {
            let next = scanner.peek()
            countLines()
            let start = line
            guard next == UInt8(ascii: "{") else {
                _ = try value(depth: 2)
                return SeedEntry(line: start, members: nil)
            }
            var members: [SeedEntry.Member] = []
            try object { values, name, nameLine throws(JSONScanner.Failure) in
                _ = values.scanner.peek()
                values.countLines()
                let line = values.line
                var lines: [Int] = []
                let value =
                    values.scanner.peek() == UInt8(ascii: "[")
                    ? try values.list(depth: 3, &lines) : try values.value(depth: 3)
                members.append(.init(name: name, nameLine: nameLine, value: value, line: line, elementLines: lines))
            }
            return SeedEntry(line: start, members: members)
        }

        mutating func text() throws(JSONScanner.Failure) -> String {
            _ = scanner.peek()
            let start = scanner.offset
            let text = try scanner.string()
            guard !text.hasEndlessMarks else {
                throw JSONScanner.Failure(offset: start, problem: "more than 256 combining marks stand in a row")
            }
            return text
        }

        mutating func value(depth: Int) throws(JSONScanner.Failure) -> AttributeValue? {
            switch scanner.peek() {
            case UInt8(ascii: "\""): return .string(try text())
            case UInt8(ascii: "["):
                var lines: [Int] = []
                return try list(depth: depth, &lines)
            case UInt8(ascii: "{"):
                try checkDepth(depth)
                var parts: [String: AttributeValue] = [:]
                var hasNull = false
                try object { values, name, _ throws(JSONScanner.Failure) in
                    if let part = try values.value(depth: depth + 1) { parts[name] = part } else { hasNull = true }
                }
                // Parts have no declared type: nothing else says that a part is a time.
                if parts.count == 1, case .integer(let milliseconds)? = parts["$time"] {
                    return .time(Date(milliseconds: milliseconds))
                }
                return hasNull ? nil : .complex(parts)
            default: break
            }
            if scanner.take(word: "true") { return .boolean(true) }
            if scanner.take(word: "false") { return .boolean(false) }
            if scanner.take(word: "null") { return nil }
            if scanner.isAtEnd { throw scanner.failure("expected a value, but the text ends") }
            switch try scanner.number() {
            case .integer(let number): return .integer(number)
            case .decimal(let number): return .decimal(number)
            }
        }

        /// Takes a list; nil if `null` is in it.
        private mutating func list(depth: Int, _ lines: inout [Int]) throws(JSONScanner.Failure) -> AttributeValue? {
            try checkDepth(depth)
            try scanner.expect(UInt8(ascii: "["))
            var elements: [AttributeValue] = []
            var hasNull = false
            if scanner.take(UInt8(ascii: "]")) { return .list(elements) }
            repeat {
                _ = scanner.peek()
                countLines()
                lines.append(line)
                if let element = try value(depth: depth + 1) { elements.append(element) } else { hasNull = true }
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "]"))
            return hasNull ? nil : .list(elements)
        }

        /// Takes an object, and hands out its names with their lines; the value that follows is for `body` to take.
        private mutating func object(
            _ body: (inout Values, String, Int) throws(JSONScanner.Failure) -> Void
        ) throws(JSONScanner.Failure) {
            try scanner.expect(UInt8(ascii: "{"))
            if scanner.take(UInt8(ascii: "}")) { return }
            var names: [String] = []
            var manyNames: Set<String> = []
            repeat {
                _ = scanner.peek()
                let start = scanner.offset
                countLines()
                let line = line
                let name = try text()
                // A short list is searched faster than a set is made.
                if names.count == 32, manyNames.isEmpty { manyNames.formUnion(names) }
                let isTwin = manyNames.isEmpty ? names.contains(name) : !manyNames.insert(name).inserted
                guard !isTwin else {
                    throw JSONScanner.Failure(offset: start, problem: "this name stands in the object already")
                }
                if manyNames.isEmpty { names.append(name) }
                try scanner.expect(UInt8(ascii: ":"))
                try body(&self, name, line)
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "}"))
        }

        private func checkDepth(_ depth: Int) throws(JSONScanner.Failure) {
            guard depth < SeedScanner.maximumDepth else {
                throw scanner.failure("more than \(SeedScanner.maximumDepth) levels stand within one another")
            }
        }
    }
}
