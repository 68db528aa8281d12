import Foundation
import RosterText

/// Values as text in one cell or line: plain text for a single value, JSON for lists and values with parts.
enum ExchangeText {
    static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .decimal(let number): return String(number)
        case .boolean(let isTrue): return isTrue ? "true" : "false"
        case .time(let date): return text(date)
        case .binary(let data): return Base64.text(data)
        case .list, .complex:
            var bytes: [UInt8] = []
            JSONText.append(plain(value), to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The value with times and binary data as text, as seeds have them. Parts keep their `{"$time": …}`, since nothing else
    /// tells their type.
    static func plain(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .time, .binary: .string(text(value))
        case .list(let elements): .list(elements.map(plain))
        default: value
        }
    }

    /// Reads the text that ``text(_:)-(AttributeValue)`` wrote for an attribute. ``typed(_:as:)`` gives it the attribute's
    /// kind.
    static func value(of text: String, _ definition: AttributeDefinition) -> AttributeValue {
        guard definition.isMultiValued || definition.kind == .complex, text.hasPrefix("[") || text.hasPrefix("{") else {
            return .string(text)
        }
        return parsed(text) ?? .string(text)
    }

    /// A time in ISO 8601, to the millisecond; `@` and the milliseconds since 1970 if its year is not one of 1 to 9999, which
    /// ISO 8601 cannot write.
    private static func text(_ date: Date) -> String {
        (-62_135_596_800_000..<253_402_300_800_000).contains(date.milliseconds)
            ? Timestamp.text(date) : "@\(date.milliseconds)"
    }

    /// The time that a text with `@` means; nil for any other text.
    static func distantTime(_ text: String) -> Date? {
        text.hasPrefix("@") ? Int64(text.dropFirst()).map { Date(milliseconds: $0) } : nil
    }

    /// A list or an object of JSON; nil for anything else.
    static func parsed(_ text: String) -> AttributeValue? {
        guard text.hasPrefix("[") || text.hasPrefix("{"),
            let set = try? AttributeSet(json: "{\"value\":\(text)}"), set.count == 1
        else { return nil }
        return set["value"]
    }

    /// Converts a value of JSON, CSV or LDIF to the kind of an attribute. Times and binary data are text in these formats.
    static func typed(_ value: AttributeValue, as definition: AttributeDefinition) throws -> AttributeValue {
        if case .list(let elements) = value { return .list(try elements.map { try typed($0, as: definition) }) }
        guard case .string(let text) = value else { return value }
        if definition.kind == .time, let date = distantTime(text) { return .time(date) }
        guard let typed = definition.kind.value(of: text) else {
            throw DirectoryError(
                .invalidAttribute, "'\(definition.name)' needs \(definition.kind.needed).", attribute: definition.name)
        }
        return typed
    }
}
