import RosterText

/// The form of dates in a CSV document, such as `DD.MM.YYYY` or `MM/DD/YYYY`.
///
/// `D` or `DD` is the day and `M` or `MM` the month, with one or two digits in the document; `YYYY` is the year with four digits. Each
/// occurs once, and all other characters mean themselves.
public struct DateFormat: Sendable, Hashable, CustomStringConvertible {
    private enum Part: Sendable, Hashable {
        case year, month, day
        case other(Character)
    }

    /// The text that describes the form.
    public let description: String
    private let parts: [Part]

    /// Reads a description of a form; nil if it does not have a day, a month and a year once each.
    public init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        let known: [(text: String, part: Part)] = [
            ("YYYY", .year), ("MM", .month), ("M", .month), ("DD", .day), ("D", .day),
        ]
        while let first = rest.first {
            if let found = known.first(where: { rest.hasPrefix($0.text) }) {
                parts.append(found.part)
                rest = rest.dropFirst(found.text.count)
            } else {
                guard !first.isLetter, !first.isNumber else { return nil }
                parts.append(.other(first))
                rest = rest.dropFirst()
            }
        }
        for part in [Part.year, .month, .day] {
            guard parts.count(where: { $0 == part }) == 1 else { return nil }
        }
        (description, self.parts) = (text, parts)
    }

    /// The date of a text in ISO 8601, such as `2026-01-31`; nil if the text has another form or the calendar has no such day.
    func date(_ text: String) -> String? {
        var rest = text[...]
        var numbers: [Part: String] = [:]
        for part in parts {
            switch part {
            case .other(let character):
                guard rest.first == character else { return nil }
                rest = rest.dropFirst()
            case .year, .month, .day:
                let digits = rest.prefix(part == .year ? 4 : 2).prefix { $0.isASCII && $0.isNumber }
                guard digits.count == 4 || part != .year && !digits.isEmpty else { return nil }
                numbers[part] = digits.count == 1 ? "0" + digits : String(digits)
                rest = rest.dropFirst(digits.count)
            }
        }
        guard rest.isEmpty, let year = numbers[.year], let month = numbers[.month], let day = numbers[.day] else {
            return nil
        }
        let date = "\(year)-\(month)-\(day)"
        return ValueForm.isDate(date) ? date : nil
    }
}
