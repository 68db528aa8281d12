import Foundation
import Roster
import RosterSignIn
import RosterText

extension JSONValue {
    /// Reads a document: strictly, with no name twice in an object and at most 64 levels.
    ///
    /// - Throws: `DirectoryError` `invalidInput` with line and column.
    init(parsing bytes: [UInt8]) throws {
        // Files may begin so; over the network it must not stand there (RFC 8259, section 8.1).
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw RequestError(.badRequest, "The body begins with a byte order mark. Leave it out.")
        }
        try self.init(strictly: bytes)
    }
}

extension JSONValue {
    /// The value of an attribute as JSON: a time as RFC 3339 says, bytes in base64.
    init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .decimal(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .time(let date): self = .string(Timestamp.text(date))
        case .binary(let data): self = .string(data.base64EncodedString())
        case .list(let elements): self = .array(elements.map { JSONValue($0) })
        case .complex(let parts):
            self = .object(parts.sorted { $0.key < $1.key }.map { Member($0.key, JSONValue($0.value)) })
        }
    }

    /// The value that an attribute takes from JSON; nil for `null`.
    ///
    /// - Throws: `DirectoryError` `invalidAttribute` where it is none of the attribute's type.
    func attributeValue(for definition: AttributeDefinition) throws -> AttributeValue? {
        func refused(_ expected: String) -> DirectoryError {
            DirectoryError(
                .invalidAttribute, "'\(definition.name)' was given a value of another type.",
                advice: "Give \(expected).", attribute: definition.name)
        }
        // JSON does not tell 5.0 from 5.
        if case .decimal(let number) = self, definition.kind != .decimal, number > -0x1p63,
            let whole = Int64(exactly: number)
        {
            return try JSONValue.integer(whole).attributeValue(for: definition)
        }
        switch (self, definition.kind) {
        case (.null, _): return nil
        case (.array(let elements), _) where !definition.isMultiValued:
            // One value in an array is that value; anything else is none that the attribute could have.
            guard elements.count <= 1, elements.first.map({ if case .array = $0 { false } else { true } }) ?? true
            else { throw refused("one value") }
            return try elements.first?.attributeValue(for: definition)
        case (.array(let elements), _):
            return .list(try elements.compactMap { try $0.attributeValue(for: definition) })
        case (.string(let text), .string), (.string(let text), .complex): return .string(text)
        case (.integer(let number), .string): return .string(String(number))
        case (.integer(let number), .integer): return .integer(number)
        case (.integer(let number), .decimal): return .decimal(Double(number))
        case (.decimal(let number), .decimal): return .decimal(number)
        case (.boolean(let isTrue), .boolean): return .boolean(isTrue)
        case (.string(let text), .boolean):
            switch text.lowercased() {
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            default: throw refused("true or false")
            }
        case (.string(let text), .time):
            if text.isEmpty { return nil }
            guard let date = Timestamp.date(text) else { throw refused("a time such as 2026-01-31T12:00:00Z") }
            return .time(date)
        case (.string(let text), .binary):
            guard let data = Data(base64Encoded: text) else { throw refused("base64") }
            return .binary(data)
        case (.object(let members), .complex):
            var parts: [String: AttributeValue] = [:]
            for member in members { parts[member.name] = try member.value.part(of: definition) }
            return .complex(parts)
        default: throw refused("text, a number or what else it is declared as")
        }
    }

    private func part(of definition: AttributeDefinition) throws -> AttributeValue? {
        switch self {
        case .null: return nil
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(number)
        case .decimal(let number): return .decimal(number)
        case .boolean(let isTrue): return .boolean(isTrue)
        case .object, .array:
            throw DirectoryError(
                .invalidAttribute, "A part of '\(definition.name)' is not a plain value.", attribute: definition.name)
        }
    }
}

extension JSONValue {
    /// A whole number, cut to what a page or a count can be; nil for anything else. JSON does not tell 5.0 from 5.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): Int(clamping: number)
        case .decimal(let number) where number == number.rounded():
            Int64(exactly: number).map { Int(clamping: $0) } ?? (number > 0 ? .max : .min)
        default: nil
        }
    }
}

/// Times as RFC 3339 writes them, in universal time with milliseconds.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func date(_ text: String) -> Date? {
        (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    /// Foundation's formatter takes longer than the whole request.
    static func text(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let (days, rest) = milliseconds.floorQuotientAndRemainder(dividingBy: 86_400_000)
        guard (-719_162...2_932_896).contains(days) else { return date.formatted(style) }
        // Days since 0000-03-01, in years that begin in March (H. Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = days + 719_468
        let (era, day) = shifted.floorQuotientAndRemainder(dividingBy: 146_097)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let number = month < 10 ? month + 3 : month - 9
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ value: Int64, _ digits: Int, _ separator: Unicode.Scalar) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: separator))
        }
        append(year + era * 400 + (number <= 2 ? 1 : 0), 4, "-")
        append(number, 2, "-")
        append(dayOfYear - (153 * month + 2) / 5 + 1, 2, "T")
        append(rest / 3_600_000, 2, ":")
        append(rest / 60_000 % 60, 2, ":")
        append(rest / 1_000 % 60, 2, ".")
        append(rest % 1_000, 3, "Z")
        return String(decoding: text, as: UTF8.self)
    }
}

extension Int64 {
    fileprivate func floorQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
