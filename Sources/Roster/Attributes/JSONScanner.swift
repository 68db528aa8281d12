import Foundation

/// Reads JSON (RFC 8259) token by token, strictly, and knows where it is.
///
/// Why not Foundation's decoder: a look-up reads a user's attributes from JSON, for which Foundation takes longer than
/// SQLite does for the whole look-up (see roster-bench, `decode.*`), and it cannot say in which line of a seed a
/// mistake is.
struct JSONScanner {
    /// What is wrong, and at which byte.
    struct Failure: Error {
        let offset: Int
        let problem: String
    }

    enum Number {
        case integer(Int64)
        case decimal(Double)
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    func failure(_ problem: String) -> Failure { Failure(offset: offset, problem: problem) }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte after white space, without taking it; 0 at the end.
    @inline(__always)
    mutating func peek() -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte > 0x20 || (byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09) { return byte }
            offset += 1
        }
        return 0
    }

    /// Takes the byte if it comes next.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte, offset < bytes.count else { return false }
        offset += 1
        return true
    }

    mutating func expect(_ byte: UInt8) throws(Failure) {
        guard take(byte) else {
            throw failure("expected '\(Character(Unicode.Scalar(byte)))'\(isAtEnd ? ", but the text ends" : "")")
        }
    }

    /// Takes `true`, `false` or `null`.
    mutating func take(word: StaticString) -> Bool {
        _ = peek()
        let count = word.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// Takes a string.
    mutating func string() throws(Failure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                let text = decode(start..<offset)
                offset += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw failure("a control character in a string must be escaped") }
            offset += 1
        }
        throw failure("the string has no end")
    }

    /// The text is valid UTF-8: a document is checked as a whole before it is scanned.
    @inline(__always)
    private func decode(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private mutating func escapedString(from start: Int) throws(Failure) -> String {
        var text = decode(start..<offset)
        while offset < bytes.count {
            let runStart = offset
            while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\") {
                if bytes[offset] < 0x20 { throw failure("a control character in a string must be escaped") }
                offset += 1
            }
            text += decode(runStart..<offset)
            guard offset < bytes.count else { break }
            offset += 1
            if bytes[offset - 1] == UInt8(ascii: "\"") { return text }
            text.unicodeScalars.append(try escape())
        }
        throw failure("the string has no end")
    }

    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        guard offset < bytes.count else { throw failure("the string has no end") }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            let high = try codeUnit()
            var value = UInt32(high)
            if UTF16.isLeadSurrogate(high), offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
                bytes[offset + 1] == UInt8(ascii: "u")
            {
                offset += 2
                let low = try codeUnit()
                guard UTF16.isTrailSurrogate(low) else { throw failure("half a surrogate pair") }
                value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair") }
            return scalar
        default: throw failure("unknown escape")
        }
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        guard offset + 4 <= bytes.count else { throw failure("\\u needs four hexadecimal digits") }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
                throw failure("\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    /// Takes a string without making it; where its text stands, escapes and all.
    mutating func skipString() throws(Failure) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = offset
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") { return start..<(offset - 1) }
            if byte == UInt8(ascii: "\\") { offset += 1 }
        }
        throw failure("the string has no end")
    }

    /// Takes a value of any kind without making it.
    mutating func skipValue() throws(Failure) {
        var depth = 0
        repeat {
            switch peek() {
            case UInt8(ascii: "\""): _ = try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                offset += 1
            case 0: throw failure("the text ends")
            default: offset += 1
            }
            // What is left of a number or a word.
            while depth == 0, offset < bytes.count, bytes[offset] != UInt8(ascii: ","),
                bytes[offset] != UInt8(ascii: "}")
            {
                offset += 1
            }
        } while depth > 0
    }

    /// Takes a number: whole where it is written so and fits, else with a fraction.
    mutating func number() throws(Failure) -> Number {
        _ = peek()
        let start = offset
        var isWhole = true
        func isDigit(_ index: Int) -> Bool { index < bytes.count && bytes[index] &- 0x30 < 10 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        guard isDigit(offset) else { throw failure("expected a value") }
        if bytes[offset] == UInt8(ascii: "0") {
            offset += 1
            if isDigit(offset) { throw failure("a number must not begin with 0") }
        }
        while isDigit(offset) { offset += 1 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            guard isDigit(offset) else { throw failure("expected a digit after the point") }
            while isDigit(offset) { offset += 1 }
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            guard isDigit(offset) else { throw failure("expected a digit in the exponent") }
            while isDigit(offset) { offset += 1 }
        }
        let text = decode(start..<offset)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw Failure(offset: start, problem: "the number is too large")
        }
        return .decimal(value)
    }
}
