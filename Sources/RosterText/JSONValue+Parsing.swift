extension JSONValue {
    /// How many arrays and objects may be nested in one another.
    package static let maximumDepth = 64

    /// Reads a document.
    ///
    /// The parser is stricter than RFC 8259 requires. It refuses an object that has two members of one name (section 4
    /// allows them), more than ``maximumDepth`` levels, and bytes that are not UTF-8. It skips a byte order mark (section
    /// 8.1). ``TextPlace`` turns the offset of a failure into a line and a column.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - allowsTrailingCommas: Whether a comma may be before a closing bracket.
    package init(parsing bytes: [UInt8], allowsTrailingCommas: Bool = false) throws(JSONScanner.Failure) {
        let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONScanner.Failure) in
                if let offset = bytes.firstInvalidUTF8 {
                    throw JSONScanner.Failure(offset: offset, problem: "the text is not valid UTF-8")
                }
                var scanner = JSONScanner(bytes, from: bytes.starts(with: TextPlace.byteOrderMark) ? 3 : 0)
                let value = try scanner.value(allowsTrailingCommas: allowsTrailingCommas)
                _ = scanner.peek()
                guard scanner.isAtEnd else { throw scanner.failure("something follows the end of the document") }
                return value
            }
        }
        self = try result.get()
    }
}

extension JSONScanner {
    /// Refuses a text that a decoder must not read: text that is not JSON in UTF-8, too many levels, or more than 256 combining marks in a
    /// row.
    ///
    /// - Parameter levels: The largest number of arrays and objects within one another.
    package static func check(_ bytes: [UInt8], levels: Int) throws(Failure) {
        let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(Failure) in
                if let offset = bytes.firstInvalidUTF8 {
                    throw Failure(offset: offset, problem: "the text is not valid UTF-8")
                }
                // Other decoders take a text with such bytes for UTF-16, in which everything has another meaning.
                if let offset = bytes.firstIndex(of: 0) {
                    throw Failure(offset: offset, problem: "there is a NUL byte in the text")
                }
                var scanner = JSONScanner(bytes)
                try scanner.checkValue(levels: levels)
                _ = scanner.peek()
                guard scanner.isAtEnd else { throw scanner.failure("something follows the end of the document") }
            }
        }
        try result.get()
    }

    private mutating func checkValue(levels: Int) throws(Failure) {
        let bracket = peek()
        switch bracket {
        case UInt8(ascii: "\""): try checkString()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            guard levels > 0 else { throw failure("too many nested levels") }
            let end = bracket == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
            offset += 1
            if take(end) { return }
            repeat {
                if bracket == UInt8(ascii: "{") {
                    try checkString()
                    try expect(UInt8(ascii: ":"))
                }
                try checkValue(levels: levels - 1)
            } while take(UInt8(ascii: ","))
            try expect(end)
        default:
            if take(word: "true") || take(word: "false") || take(word: "null") { return }
            _ = try number()
        }
    }

    private mutating func checkString() throws(Failure) {
        _ = peek()
        let start = offset
        let text = text(try skipString())
        // A short text, and one of ASCII without escapes, has no such row of marks.
        guard text.count > 512, text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return }
        offset = start
        _ = try boundedString()
    }

    /// Takes a value of any kind.
    ///
    /// - Parameters:
    ///   - depth: How many arrays and objects the value is nested in.
    ///   - allowsTrailingCommas: Whether a comma may be before a closing bracket.
    package mutating func value(depth: Int = 0, allowsTrailingCommas: Bool = false) throws(Failure) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try boundedString())
        case UInt8(ascii: "["): return .array(try elements(depth, allowsTrailingCommas))
        case UInt8(ascii: "{"): return .object(try members(depth, allowsTrailingCommas))
        default: break
        }
        if take(word: "true") { return .boolean(true) }
        if take(word: "false") { return .boolean(false) }
        if take(word: "null") { return .null }
        if isAtEnd { throw failure("expected a value, but the text ends") }
        switch try number() {
        case .integer(let number): return .integer(number)
        case .decimal(let number): return .decimal(number)
        }
    }

    /// Takes a string that has no more than 256 combining marks in a row.
    package mutating func boundedString() throws(Failure) -> String {
        let start = offset
        let text = try string()
        guard !text.hasEndlessMarks else {
            throw Failure(offset: start, problem: "more than 256 combining marks in a row")
        }
        return text
    }

    private mutating func elements(_ depth: Int, _ allowsTrailingCommas: Bool) throws(Failure) -> [JSONValue] {
        try enter(depth)
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            elements.append(try value(depth: depth + 1, allowsTrailingCommas: allowsTrailingCommas))
        } while takeComma(before: "]", allowsTrailingCommas)
        try expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func members(_ depth: Int, _ allowsTrailingCommas: Bool) throws(Failure) -> [JSONValue.Member] {
        try enter(depth)
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            _ = peek()
            let start = offset
            let name = try boundedString()
            // Up to 16 names, comparing each with the new one is faster than hashing them.
            if members.count == 16 { names = Set(members.map(\.name)) }
            let isKnown = members.count < 16 ? members.contains { $0.name == name } : !names.insert(name).inserted
            guard !isKnown else { throw Failure(offset: start, problem: "this name is in the object already") }
            try expect(UInt8(ascii: ":"))
            members.append(
                JSONValue.Member(name, try value(depth: depth + 1, allowsTrailingCommas: allowsTrailingCommas)))
        } while takeComma(before: "}", allowsTrailingCommas)
        try expect(UInt8(ascii: "}"))
        return members
    }

    /// Takes the opening bracket that comes next.
    private mutating func enter(_ depth: Int) throws(Failure) {
        guard depth < JSONValue.maximumDepth else {
            throw failure("more than \(JSONValue.maximumDepth) nested levels")
        }
        offset += 1
    }

    /// Takes the comma after an element.
    ///
    /// - Returns: Whether another element follows.
    private mutating func takeComma(before end: Unicode.Scalar, _ allowsTrailingCommas: Bool) -> Bool {
        guard take(UInt8(ascii: ",")) else { return false }
        return !(allowsTrailingCommas && peek() == UInt8(ascii: end))
    }
}
