import Foundation
import RosterText

/// The JSON form in which attributes are stored, and in which changes are told.
///
/// Strings, numbers, booleans, lists and objects stand for themselves; a time is `{"$time": milliseconds since 1970}`
/// and binary data `{"$binary": "base64"}`.
extension AttributeSet {
    /// Reads the stored form. Cost: about a microsecond for a usual user.
    init(json bytes: UnsafeBufferPointer<UInt8>) throws {
        var scanner = JSONScanner(bytes)
        do {
            var entries: [Entry] = []
            try scanner.expect(UInt8(ascii: "{"))
            if !scanner.take(UInt8(ascii: "}")) {
                entries.reserveCapacity(12)
                repeat {
                    let name = AttributeName(try scanner.string())
                    try scanner.expect(UInt8(ascii: ":"))
                    entries.append(Entry(name, try Self.value(&scanner, depth: 0)))
                } while scanner.take(UInt8(ascii: ","))
                try scanner.expect(UInt8(ascii: "}"))
            }
            self.init(sorted: entries)
        } catch {
            throw DirectoryError(
                .damaged, "A stored record is damaged at byte \(error.offset): \(error.problem).",
                advice: "Run 'roster check' and restore a backup.")
        }
    }

    /// Reads the stored form.
    init(json text: String) throws {
        var text = text
        self = try text.withUTF8 { try AttributeSet(json: $0) }
    }

    static func value(_ scanner: inout JSONScanner, depth: Int) throws(JSONScanner.Failure) -> AttributeValue {
        guard depth < 8 else { throw scanner.failure("too deep") }
        switch scanner.peek() {
        case UInt8(ascii: "\""): return .string(try scanner.string())
        case UInt8(ascii: "["):
            try scanner.expect(UInt8(ascii: "["))
            var elements: [AttributeValue] = []
            if scanner.take(UInt8(ascii: "]")) { return .list(elements) }
            repeat { elements.append(try value(&scanner, depth: depth + 1)) } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "]"))
            return .list(elements)
        case UInt8(ascii: "{"):
            try scanner.expect(UInt8(ascii: "{"))
            var parts: [String: AttributeValue] = [:]
            if scanner.take(UInt8(ascii: "}")) { return .complex(parts) }
            repeat {
                let name = try scanner.string()
                try scanner.expect(UInt8(ascii: ":"))
                parts[name] = try value(&scanner, depth: depth + 1)
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "}"))
            return tagged(parts) ?? .complex(parts)
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            if scanner.take(word: "true") { return .boolean(true) }
            if scanner.take(word: "false") { return .boolean(false) }
            throw scanner.failure("expected a value")
        default:
            switch try scanner.number() {
            case .integer(let number): return .integer(number)
            case .decimal(let number): return .decimal(number)
            }
        }
    }

    private static func tagged(_ parts: [String: AttributeValue]) -> AttributeValue? {
        guard parts.count == 1 else { return nil }
        if case .integer(let milliseconds)? = parts["$time"] { return .time(Date(milliseconds: milliseconds)) }
        if case .string(let base64)? = parts["$binary"] { return Data(base64Encoded: base64).map { .binary($0) } }
        return nil
    }

    /// How many bytes the stored form has without binary values.
    var textSize: Int {
        let texts = filter { entry in
            if case .binary = entry.value { return false }
            return true
        }
        return AttributeSet(sorted: texts).json.utf8.count
    }

    /// The stored form: names and parts in order, no white space.
    var json: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
        for (index, entry) in enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(string: entry.name.rawValue, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONText.append(entry.value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Writes JSON.
enum JSONText {
    static func append(_ value: AttributeValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): append(string: text, to: &bytes)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .decimal(let number): bytes.append(contentsOf: String(number.isFinite ? number : 0).utf8)
        case .boolean(let isTrue): bytes.append(contentsOf: isTrue ? "true".utf8 : "false".utf8)
        case .time(let date): bytes.append(contentsOf: "{\"$time\":\(date.milliseconds)}".utf8)
        case .binary(let data): bytes.append(contentsOf: "{\"$binary\":\"\(data.base64EncodedString())\"}".utf8)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .complex(let parts):
            bytes.append(UInt8(ascii: "{"))
            for (index, part) in parts.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(string: part.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(part.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    static func append(string text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Text hardly ever has anything to escape: runs without are taken as a whole.
            var start = 0
            for index in utf8.indices {
                let byte = utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: utf8[start..<index])
                appendEscaped(byte, to: &bytes)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: ("\\u00" + (digits.count < 2 ? "0" : "") + digits).utf8)
        default: bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        }
    }
}
