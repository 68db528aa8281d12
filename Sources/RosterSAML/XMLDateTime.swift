import Foundation

/// Dates as SAML writes them (core, 1.3.3): `xs:dateTime` in UTC, which ends with `Z`.
enum XMLDateTime {
    /// The time, or `nil` where the text is anything else: `2026-11-21T04:30:00Z`, with or without a fraction of up to
    /// 12 digits. Years are from 1970 to 9999.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard (20...33).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
        for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] where bytes[index] != mark.utf8.first
        {
            return nil
        }
        guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), year >= 1970, (1...12).contains(month),
            (1...days(inMonth: month, of: year)).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction = 0.0
        let rest = bytes[19..<bytes.count - 1]
        if !rest.isEmpty {
            guard rest.first == UInt8(ascii: "."), rest.count > 1, let digits = number(rest.dropFirst()) else {
                return nil
            }
            fraction = Double(digits) / pow(10, Double(rest.count - 1))
        }
        let seconds = (daysSince1970(year: year, month: month, day: day) * 24 + hour) * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// At most 12 digits, and nothing else.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - 477
        let inYear = (1..<month).reduce(0) { $0 + days(inMonth: $1, of: year) }
        return (year - 1970) * 365 + leapDays + inYear + day - 1
    }
}
