import Foundation
import RosterText

/// Reads a seed piece by piece: only the entry at hand takes memory besides the text.
struct SeedScanner: Sendable {
    private let data: Data
    /// The offset of the next byte, and the line on which it is.
    private(set) var offset: Int
    private(set) var line = 1

    /// - Throws: `invalidInput` if the text is not UTF-8.
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

    /// Takes the brace or the bracket that begins an object or a list; false where something else is there.
    mutating func begin(_ bracket: Unicode.Scalar) throws -> Bool {
        try scan { values throws(JSONScanner.Failure) in values.scanner.take(UInt8(ascii: bracket)) }
    }

    /// Goes to the next member or element; false after the last one, whose end is consumed.
    ///
    /// - Parameter isFirst: Whether none came before it.
    mutating func moveToNext(before end: Unicode.Scalar, isFirst: Bool) throws -> Bool {
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
            let name = try values.scanner.boundedString()
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

        mutating func countLines() {
            while counted < scanner.offset {
                let byte = bytes[counted]
                counted += 1
                if byte == 0x0A || byte == 0x0D && !(counted < bytes.count && bytes[counted] == 0x0A) { line += 1 }
            }
        }

        /// Goes to the next token, and counts the lines up to it.
        private mutating func next() -> UInt8 {
            let byte = scanner.peek()
            countLines()
            return byte
        }

        mutating func entry() throws(JSONScanner.Failure) -> SeedEntry {
            let isObject = next() == UInt8(ascii: "{")
            let start = line
            guard isObject else {
                _ = try scanner.value(depth: 2)
                return SeedEntry(line: start, members: nil)
            }
            scanner.offset += 1
            var members: [SeedEntry.Member] = []
            members.reserveCapacity(16)
            if scanner.take(UInt8(ascii: "}")) { return SeedEntry(line: start, members: members) }
            var names: Set<String> = []
            repeat {
                _ = next()
                let (nameOffset, nameLine) = (scanner.offset, line)
                let name = try scanner.boundedString()
                // A short list is searched faster than a set is made.
                if members.count == 32 { names = Set(members.map(\.name)) }
                let isTwin = members.count < 32 ? members.contains { $0.name == name } : !names.insert(name).inserted
                guard !isTwin else {
                    throw JSONScanner.Failure(
                        offset: nameOffset, problem: "this name is in the object already")
                }
                try scanner.expect(UInt8(ascii: ":"))
                let isList = next() == UInt8(ascii: "[")
                let valueLine = line
                var lines: [Int] = []
                let value = isList ? try list(&lines) : try value(depth: 3)
                members.append(
                    .init(name: name, nameLine: nameLine, value: value, line: valueLine, elementLines: lines))
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "}"))
            return SeedEntry(line: start, members: members)
        }

        mutating func value(depth: Int) throws(JSONScanner.Failure) -> AttributeValue? {
            AttributeValue(try scanner.value(depth: depth))
        }

        /// Takes a list; nil if `null` is in it.
        private mutating func list(_ lines: inout [Int]) throws(JSONScanner.Failure) -> AttributeValue? {
            try scanner.expect(UInt8(ascii: "["))
            if scanner.take(UInt8(ascii: "]")) { return .list([]) }
            var elements: [JSONValue] = []
            repeat {
                _ = next()
                lines.append(line)
                elements.append(try scanner.value(depth: 4))
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "]"))
            return AttributeValue(.array(elements))
        }
    }
}
