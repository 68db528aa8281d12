import Foundation
import RosterText

/// Dates as SAML writes them (core, 1.3.3): `xs:dateTime` in UTC, which ends with `Z`.
enum XMLDateTime {
    /// The moment, such as `2026-11-21T04:30:00Z`, with or without a fraction of up to 12 digits; nil if the text has any
    /// other form. Years are from 1970 to 9999, and there are no leap seconds.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard (20...33).contains(bytes.count), bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            bytes[17] != UInt8(ascii: "6"), let date = Timestamp.date(text, .dateTime), date.milliseconds >= 0
        else { return nil }
        return date
    }
}
