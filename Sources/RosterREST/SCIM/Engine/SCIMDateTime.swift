/// Reads times in the form of RFC 3339, which SCIM uses (RFC 7643, section 2.3.5).
struct SCIMDateTime {
    private var rest: Substring.UTF8View

    /// The milliseconds since 1970; nil if the text is not a time. A time without an offset is universal time, as it is
    /// in filters.
    static func milliseconds(_ text: String) -> Int64? {
        var scanner = SCIMDateTime(rest: text[...].utf8)
        return scanner.time()
    }

    private mutating func time() -> Int64? {
        guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
            let day = number(digits: 2), take("Tt"), let hour = number(digits: 2), take(":"),
            let minute = number(digits: 2), take(":"), let second = number(digits: 2),
            (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            hour < 24, minute < 60, second <= 60, let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        let minutes = (Self.daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1000 + fraction
    }

    /// Takes the fraction of the second in milliseconds and drops the digits after them.
    private mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { Self.digits.contains($0) }
        rest = rest[digits.endIndex...]
        let text = String(decoding: digits.prefix(3), as: UTF8.self)
        return digits.isEmpty ? nil : Int64((text + "00").prefix(3))
    }

    /// Takes the offset: the minutes by which the time is ahead of universal time.
    private mutating func offset() -> Int64? {
        if rest.isEmpty || take("Zz") { return 0 }
        let isBehind = rest.first == UInt8(ascii: "-")
        guard take("+-"), let hours = number(digits: 2), hours < 24, take(":"), let minutes = number(digits: 2),
            minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isBehind ? -1 : 1)
    }

    private mutating func number(digits count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.digits.contains) else { return nil }
        rest = rest[digits.endIndex...]
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Takes one of the marks if it comes next.
    private mutating func take(_ marks: StaticString) -> Bool {
        guard let next = rest.first, marks.description.utf8.contains(next) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The days from 1970 to a day of the Gregorian calendar. They are counted in years that start in March.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Another cycle of the calendar keeps January of the year 0 above zero.
        let year = (month > 2 ? year : year - 1) + 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }
}
