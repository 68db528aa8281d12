import Foundation
import RosterText

/// The stored form of attributes, and the JSON form, in which servers and clients exchange attributes.
///
/// In both, strings, numbers, booleans, lists and objects within a value are written as such. A time is `{"$time": milliseconds
/// since 1970}`, and binary data is `{"$binary": "base64"}`.
extension AttributeSet {
    /// Reads the stored form. Cost: less than a microsecond for a typical user.
    package init(stored bytes: UnsafeBufferPointer<UInt8>) throws {
        var scanner = RecordScanner(bytes)
        do {
            var entries: [Entry] = []
            entries.reserveCapacity(12)
            while let entry = try scanner.next() { entries.append(Entry(entry.attributeName, try entry.decoded())) }
            self.init(sorted: entries)
        } catch {
            throw Self.damaged(error)
        }
    }

    /// Reads the stored form.
    package init(stored text: String) throws {
        self = try text.withBytes { try AttributeSet(stored: $0) }
    }

    static func damaged(_ failure: JSONScanner.Failure) -> DirectoryError {
        DirectoryError(
            .damaged, "A stored record is damaged at byte \(failure.offset): \(failure.problem).",
            advice: "Check the file and restore a backup.")
    }

    /// The stored form, with sorted names.
    var record: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        for entry in self { RecordText.append(entry.name, entry.value, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the JSON form.
    package init(json bytes: UnsafeBufferPointer<UInt8>) throws {
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
            throw Self.damaged(error)
        }
    }

    /// Reads the JSON form.
    package init(json text: String) throws {
        self = try text.withBytes { try AttributeSet(json: $0) }
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
        if case .string(let base64)? = parts["$binary"] { return Base64.bytes(base64).map { .binary(Data($0)) } }
        return nil
    }

    /// The size of the JSON form in bytes, without binary values.
    var textSize: Int {
        let texts = filter { entry in
            if case .binary = entry.value { return false }
            return true
        }
        return AttributeSet(sorted: texts).json.utf8.count
    }

    /// The JSON form, with sorted names and parts and without white space.
    var json: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        JSONText.append(self, in: .curly, to: &bytes) { entry, bytes in
            JSONText.append(name: entry.name.rawValue, to: &bytes)
            JSONText.append(entry.value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONText {
    /// Appends the JSON form of a value.
    static func append(_ value: AttributeValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): append(string: text, to: &bytes)
        case .integer(let number): append(number, to: &bytes)
        case .decimal(let number): append(number.isFinite ? number : 0, to: &bytes)
        case .boolean(let isTrue): append(isTrue, to: &bytes)
        case .time(let date): bytes.append(contentsOf: "{\"$time\":\(date.milliseconds)}".utf8)
        case .binary(let data): bytes.append(contentsOf: "{\"$binary\":\"\(Base64.text(data))\"}".utf8)
        case .list(let elements):
            append(elements, in: .square, to: &bytes) { append($0, to: &$1) }
        case .complex(let parts):
            append(parts.sorted { $0.key < $1.key }, in: .curly, to: &bytes) { part, bytes in
                append(name: part.key, to: &bytes)
                append(part.value, to: &bytes)
            }
        }
    }
}
