import Foundation
import RosterText

/// The field `Retry-After` of an answer (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The longest delay that is obeyed, in seconds: an hour.
    static let longest = 3_600

    /// The delay that a server asks for, at most an hour; nil if the field is missing, malformed, names a time that has passed, or is
    /// there twice with different values.
    ///
    /// - Parameter now: The time of the server's clock.
    static func delay(_ fields: [String], now: Date) -> Duration? {
        guard let field = fields.first, fields.allSatisfy({ $0 == field }) else { return nil }
        let seconds: Int
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that is too large for the type asks for more than an hour.
            seconds = Int(field) ?? longest
        } else {
            guard let date = HTTPDate.date(field) else { return nil }
            seconds = Int(min(max(date.timeIntervalSince(now).rounded(.up), 0), Double(longest)))
        }
        return seconds > 0 ? .seconds(min(seconds, longest)) : nil
    }
}

/// Dates in header fields (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`; nil for other texts.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let words = text.words
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT": return date(words[3], words[2], words[1], words[4])
        case 5: return date(words[4], words[1], words[2].count == 1 ? "0" + words[2] : words[2], words[3])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let day = words[1].split(separator: "-").map(String.init)
            guard day.count == 3, day[2].count == 2, let year = Int(day[2]) else { return nil }
            // Two digits mean a year that is not more than 50 years ahead.
            return date(year < 70 ? "20\(day[2])" : "19\(day[2])", day[1], day[0], words[2])
        default: return nil
        }
    }

    private static func date(_ year: String, _ month: String, _ day: String, _ time: String) -> Date? {
        guard let index = months.firstIndex(of: month) else { return nil }
        return Timestamp.date("\(year)-\(index < 9 ? "0" : "")\(index + 1)-\(day)T\(time)Z", .dateTime)
    }
}
