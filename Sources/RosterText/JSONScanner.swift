/// Reads JSON (RFC 8259) strictly, token by token, and knows the offset of each token.
///
/// Foundation's decoder is not used for two reasons. A look-up decodes a user's attributes from JSON, and Foundation takes
/// longer for that than SQLite takes for the whole look-up (see roster-bench, `decode.*`). And Foundation cannot say in
/// which line of a seed a mistake is.
public struct JSONScanner {
    /// A mistake in the text.
    public struct Failure: Error {
        /// The offset of the byte at which the mistake was found.
        package let offset: Int
        /// A description of the mistake, without a full stop.
        package let problem: String

        /// Makes a failure.
        package init(offset: Int, problem: String) {
            self.offset = offset
            self.problem = problem
        }
    }

    /// A number of JSON.
    public enum Number {
        /// A number that is written without a fraction or an exponent and that 64 bits can hold.
        case integer(Int64)
        /// Any other number.
        case decimal(Double)
    }

    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte.
    public var offset: Int

    /// Makes a scanner of bytes, which must be valid UTF-8, that begins at an offset.
    @inlinable public init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// A failure at the scanner's offset.
    package func failure(_ problem: String) -> Failure { Failure(offset: offset, problem: problem) }

    /// A part of the text.
    package func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

    /// Whether all bytes are taken.
    @inlinable public var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte after white space, without taking it; 0 at the end.
    @inlinable @inline(__always)
    public mutating func peek() -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte > 0x20 || (byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09) { return byte }
            offset += 1
        }
        return 0
    }

    /// Takes the byte if it comes next after white space.
    @inlinable @inline(__always)
    public mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte, offset < bytes.count else { return false }
        offset += 1
        return true
    }

    /// Takes the byte, which must come next after white space.
    @inlinable public mutating func expect(_ byte: UInt8) throws(Failure) {
        guard take(byte) else { throw missing(byte) }
    }

    @usableFromInline func missing(_ byte: UInt8) -> Failure {
        failure("expected '\(Character(Unicode.Scalar(byte)))'\(isAtEnd ? ", but the text ends" : "")")
    }

    /// Takes `true`, `false` or `null` if it comes next after white space.
    package mutating func take(word: StaticString) -> Bool {
        _ = peek()
        let count = word.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { return false }
        offset += count
        return true
    }

    /// Takes a string.
    package mutating func string() throws(Failure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = offset
        offset = plainEnd(from: start)
        guard offset < bytes.count else { throw failure("the string has no end") }
        switch bytes[offset] {
        case UInt8(ascii: "\""):
            offset += 1
            return decode(start..<(offset - 1))
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        default: throw failure("a control character in a string must be escaped")
        }
    }

    /// The offset of the next byte that does not mean itself in a string: a quotation mark, a backslash or a control
    /// character. The number of bytes where none follows.
    @inline(__always)
    private func plainEnd(from start: Int) -> Int {
        var index = start
        if let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }) {
            // Eight bytes at a time: the highest bit of a byte of `found` is set if that byte is one of those. (A borrow can
            // set further bits, but only behind the first one.)
            let ones: UInt64 = 0x0101_0101_0101_0101
            while index + 8 <= bytes.count {
                let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let quotes = word ^ (ones &* 0x22)
                let backslashes = word ^ (ones &* 0x5C)
                let controls = (word &- ones &* 0x20) & ~word
                let found =
                    ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | controls) & (ones &* 0x80)
                if found != 0 { return index + found.trailingZeroBitCount / 8 }
                index += 8
            }
        }
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
        return index
    }

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
            guard let digit = bytes[offset].hexDigit else {
                throw failure("\\u needs four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    /// Takes a string without decoding it.
    ///
    /// - Returns: The offsets of its text, in which escapes are not replaced.
    package mutating func skipString() throws(Failure) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = offset
        var end = plainEnd(from: start)
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "\"") {
                offset = end + 1
                return start..<end
            }
            // The byte after a backslash does not end the string.
            end = plainEnd(from: end + (bytes[end] == UInt8(ascii: "\\") ? 2 : 1))
        }
        offset = bytes.count
        throw failure("the string has no end")
    }

    /// Takes a value of any kind without decoding it.
    package mutating func skipValue() throws(Failure) {
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
            // The rest of a number or a word.
            while depth == 0, offset < bytes.count, bytes[offset] != UInt8(ascii: ","),
                bytes[offset] != UInt8(ascii: "}"), bytes[offset] != UInt8(ascii: "]")
            {
                offset += 1
            }
        } while depth > 0
    }

    /// Takes a number.
    package mutating func number() throws(Failure) -> Number {
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
