/// Appends JSON (RFC 8259) in UTF-8 to bytes. Every writer of JSON in the package uses these functions.
public enum JSONText {
    /// The brackets around a list.
    public enum Brackets: Sendable {
        /// The brackets of an array.
        case square
        /// The brackets of an object.
        case curly

        @usableFromInline var bytes: (open: UInt8, close: UInt8) {
            switch self {
            case .square: (UInt8(ascii: "["), UInt8(ascii: "]"))
            case .curly: (UInt8(ascii: "{"), UInt8(ascii: "}"))
            }
        }
    }

    /// Appends a list.
    ///
    /// - Parameters:
    ///   - elements: The elements, or the members of an object.
    ///   - brackets: The brackets around the list.
    ///   - isSpaced: Whether a space follows every comma.
    ///   - bytes: The bytes that the text is appended to.
    ///   - write: Appends one element.
    @inlinable public static func append<Elements: Sequence>(
        _ elements: Elements, in brackets: Brackets, isSpaced: Bool = false, to bytes: inout [UInt8],
        _ write: (Elements.Element, inout [UInt8]) throws -> Void
    ) rethrows {
        let brackets = brackets.bytes
        bytes.append(brackets.open)
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            if !isFirst && isSpaced { bytes.append(UInt8(ascii: " ")) }
            isFirst = false
            try write(element, &bytes)
        }
        bytes.append(brackets.close)
    }

    /// Appends the name of a member and the colon after it.
    @inlinable public static func append(name: String, isSpaced: Bool = false, to bytes: inout [UInt8]) {
        append(string: name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if isSpaced { bytes.append(UInt8(ascii: " ")) }
    }

    /// Appends a string in quotation marks.
    @inlinable public static func append(string text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(utf8: $0, to: &bytes) }
    }

    /// Appends a string in quotation marks, whose UTF-8 is given.
    @inlinable public static func append(utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // Text seldom has a character to escape, so that runs without one are appended as a whole.
        var start = 0
        for index in utf8.indices {
            let byte = utf8[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: utf8[start..<index])
            append(escaped: byte, to: &bytes)
            start = index + 1
        }
        bytes.append(contentsOf: utf8[start...])
        bytes.append(UInt8(ascii: "\""))
    }

    @usableFromInline static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: ("\\u00" + Hexadecimal.text(CollectionOfOne(byte))).utf8)
        default: bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        }
    }

    /// Appends a number so that reading it gives the same number; `null` if it is not finite, which JSON cannot say.
    package static func append(_ number: Double, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: (number.isFinite ? number.description : "null").utf8)
    }

    /// Appends a whole number.
    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: number.description.utf8)
    }

    /// Appends `true` or `false`.
    package static func append(_ isTrue: Bool, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
    }
}

extension JSONValue {
    /// The value as JSON text in UTF-8, without white space. Cost: linear in its size.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }

    /// Appends the value as JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that the text is appended to.
    ///   - isSpaced: Whether a space follows every comma and colon.
    package func write(to bytes: inout [UInt8], isSpaced: Bool = false) {
        switch self {
        case .object(let members):
            JSONText.append(members, in: .curly, isSpaced: isSpaced, to: &bytes) { member, bytes in
                JSONText.append(name: member.name, isSpaced: isSpaced, to: &bytes)
                member.value.write(to: &bytes, isSpaced: isSpaced)
            }
        case .array(let elements):
            JSONText.append(elements, in: .square, isSpaced: isSpaced, to: &bytes) { element, bytes in
                element.write(to: &bytes, isSpaced: isSpaced)
            }
        case .string(let text): JSONText.append(string: text, to: &bytes)
        case .integer(let number): JSONText.append(number, to: &bytes)
        case .decimal(let number): JSONText.append(number, to: &bytes)
        case .boolean(let isTrue): JSONText.append(isTrue, to: &bytes)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }
}
