package import Foundation

/// Moments as text: ISO 8601, RFC 3339 and LDAP's generalized time. Offsets of the Gregorian calendar are computed here,
/// since Foundation's formatter takes longer than a whole request.
package enum Timestamp {
    /// The forms that a reader accepts.
    package enum Form: Sendable {
        /// ISO 8601 with or without separators, from a day alone (`2026-01-31`) to a fraction of the smallest unit
        /// (`2026-01-31T12:00:00.5+02:00`). LDAP's generalized time (`20260131120000Z`; RFC 4517, section 3.3.13) is one
        /// of these forms. A time without an offset is in UTC.
        case any
        /// A day and a time to the second, with separators, as RFC 3339 writes them. A time without an offset is in UTC,
        /// as in SCIM (RFC 7643, section 2.3.5).
        case dateTime
    }

    /// Reads a moment, to the millisecond; nil if the text has another form or the calendar has no such day.
    package static func date(_ text: String, _ form: Form = .any) -> Date? {
        var reader = TimestampReader(rest: text.utf8[...], isStrict: form == .dateTime)
        return reader.milliseconds().map { Date(milliseconds: $0) }
    }

    /// Writes a moment as RFC 3339 does, in UTC, such as `2026-01-31T12:00:00.000Z`.
    ///
    /// - Parameters:
    ///   - date: The moment. Its year has four digits unless it is before the year 0 or after 9999, which RFC 3339 cannot
    ///     write.
    ///   - hasMilliseconds: Whether the milliseconds are written; otherwise they are cut off.
    package static func text(_ date: Date, hasMilliseconds: Bool = true) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(28)
        append(date, hasMilliseconds: hasMilliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a moment in the form of ``text(_:hasMilliseconds:)``.
    package static func append(_ date: Date, hasMilliseconds: Bool = true, to text: inout [UInt8]) {
        let (days, time) = date.milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = calendar(days)
        if (0...9_999).contains(year) {
            append(year, 4, "-", to: &text)
        } else {
            text.append(contentsOf: "\(year)-".utf8)
        }
        append(month, 2, "-", to: &text)
        append(day, 2, "T", to: &text)
        append(time / 3_600_000, 2, ":", to: &text)
        append(time / 60_000 % 60, 2, ":", to: &text)
        append(time / 1_000 % 60, 2, hasMilliseconds ? "." : "Z", to: &text)
        if hasMilliseconds { append(time % 1_000, 3, "Z", to: &text) }
    }

    private static func append(_ number: Int64, _ digits: Int, _ mark: Unicode.Scalar, to text: inout [UInt8]) {
        var divisor: Int64 = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: mark))
    }

    // MARK: The calendar

    // Years begin in March here, so that the leap day is the last day of a year (H. Hinnant, "chrono-compatible low-level
    // date algorithms"). A cycle of 400 years has 146,097 days.

    /// The date of a day, counted from 1970-01-01.
    private static func calendar(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (cycle, day) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfCycle = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The days from 1970-01-01 to a date, whose year is not negative.
    fileprivate static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // 400 years more keep the divisions positive.
        let year = (month <= 2 ? year - 1 : year) + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }
}

private struct TimestampReader {
    var rest: Substring.UTF8View
    let isStrict: Bool

    mutating func milliseconds() -> Int64? {
        guard let year = number(4) else { return nil }
        let hasDashes = take("-")
        guard hasDashes || !isStrict, let month = number(2), (1...12).contains(month), !hasDashes || take("-"),
            let day = number(2), day >= 1, day <= Self.lastDay(of: month, year)
        else { return nil }
        let midnight = Timestamp.days(year, month, day) * 86_400
        if rest.isEmpty, !isStrict { return midnight * 1_000 }
        guard take("T") || take("t") || !hasDashes, let hour = number(2), hour < 24 else { return nil }
        var seconds = hour * 3_600
        // A fraction is one of the smallest unit that is given.
        var unit: Int64 = 3_600
        if takeSeparator() {
            guard let minute = number(2), minute < 60 else { return nil }
            seconds += minute * 60
            unit = 60
            if takeSeparator() {
                // 60 is a leap second.
                guard let second = number(2), second <= 60 else { return nil }
                seconds += second
                unit = 1
            }
        }
        guard unit == 1 || !isStrict, let fraction = fraction(), let offset = offset(), rest.isEmpty else { return nil }
        return (midnight + seconds - offset) * 1_000 + Int64((fraction * Double(unit) * 1_000).rounded())
    }

    private mutating func fraction() -> Double? {
        guard take(".") || (!isStrict && take(",")) else { return 0 }
        guard startsWithDigit else { return nil }
        var fraction = 0.0
        var scale = 0.1
        while let digit = number(1) {
            fraction += Double(digit) * scale
            scale /= 10
        }
        return fraction
    }

    /// The seconds by which the clock is ahead of UTC.
    private mutating func offset() -> Int64? {
        if rest.isEmpty || take("Z") || take("z") { return 0 }
        let isAhead = take("+")
        guard isAhead || take("-"), let hours = number(2), hours < 24 else { return nil }
        var seconds = hours * 3_600
        if takeSeparator() {
            guard let minutes = number(2), minutes < 60 else { return nil }
            seconds += minutes * 60
        } else if isStrict {
            return nil
        }
        return isAhead ? seconds : -seconds
    }

    private var startsWithDigit: Bool { rest.first.map { $0 &- 0x30 < 10 } ?? false }

    /// Takes the colon before another unit, which may be left out unless the reader is strict.
    ///
    /// - Returns: Whether another unit follows.
    private mutating func takeSeparator() -> Bool { take(":") || (!isStrict && startsWithDigit) }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes exactly so many digits.
    private mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 &- 0x30) }
    }

    private static func lastDay(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
