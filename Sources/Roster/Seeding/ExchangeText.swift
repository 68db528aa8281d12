import RosterText
import Foundation
import RosterText

/// Values as text in one cell or line: plain for one value, JSON for lists and for what has parts.
enum ExchangeText {
    static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .decimal(let number): return String(number)
        case .boolean(let isTrue): return isTrue ? "true" : "false"
        case .time(let date): return ExchangeTime.text(date)
        case .binary(let data): return data.base64EncodedString()
        case .list, .complex:
            var bytes: [UInt8] = []
            JSONText.append(plain(value), to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The value with times and bytes as text, as seeds have them. Parts keep their `{"$time": …}`: nothing else says
    /// what type they have.
    static func plain(_ value: AttributeValue) -> AttributeValue {
        switch value {
        case .time, .binary: .string(text(value))
        case .list(let elements): .list(elements.map(plain))
        default: value
        }
    }

    /// What ``text(_:)`` wrote for an attribute. Types are given by ``AttributeDefinition/typed(_:)``.
    static func value(of text: String, _ definition: AttributeDefinition) -> AttributeValue {
        guard definition.isMultiValued || definition.kind == .complex, text.hasPrefix("[") || text.hasPrefix("{") else {
            return .string(text)
        }
        return parsed(text) ?? .string(text)
    }

    /// A list or an object of JSON; nil for anything else.
    static func parsed(_ text: String) -> AttributeValue? {
        guard text.hasPrefix("[") || text.hasPrefix("{"),
            let set = try? AttributeSet(json: "{\"value\":\(text)}"), set.count == 1
        else { return nil }
        return set["value"]
    }
}

/// Times in ISO 8601, to the millisecond and without rounding; those outside of the years 1 to 9999, which it cannot
/// say, as `@` and the milliseconds since 1970.
enum ExchangeTime {
    private static let day: Int64 = 86_400_000

    static func text(_ date: Date) -> String {
        let milliseconds = date.milliseconds
        guard (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else { return "@\(milliseconds)" }
        let days = (milliseconds - remainder(milliseconds, day)) / day
        let (year, month, dayOfMonth) = calendar(days)
        let time = remainder(milliseconds, day)
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(dayOfMonth, 2) + "T"
            + digits(time / 3_600_000, 2) + ":" + digits(time / 60_000 % 60, 2) + ":" + digits(time / 1000 % 60, 2)
            + "."
            + digits(time % 1000, 3) + "Z"
    }

    static func date(_ text: String) -> Date? {
        guard text.hasPrefix("@") else { return FilterTime.moment(text) }
        return Int64(text.dropFirst()).map { Date(milliseconds: $0) }
    }

    private static func remainder(_ number: Int64, _ divisor: Int64) -> Int64 {
        let rest = number % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// The date of a day since 1970-01-01 in the Gregorian calendar, by years from March and cycles of 400 years.
    private static func calendar(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let dayOfCycle = remainder(shifted, 146_097)
        let cycle = (shifted - dayOfCycle) / 146_097
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

/// A row that a reader could not make out: where, and why.
struct UnreadableRow: Error {
    let line: Int
    let problem: String
    let advice: String?

    /// Takes apart what ``DirectoryError/malformed(line:column:_:advice:)`` has put together.
    init(_ error: DirectoryError) {
        let parts = error.message.split(separator: ": ", maxSplits: 1)
        line = parts.first?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        problem = parts.count == 2 ? String(parts[1]) : error.message
        advice = error.advice
    }
}
