import Foundation
import RosterText

/// Times in SAML's form (core, 1.3.3): `xs:dateTime` in UTC, which ends with `Z`.
enum XMLDateTime {
    /// Reads a time such as `2026-11-21T04:30:00Z`, with or without a fraction of up to 12 digits; returns nil for any
    /// other form. Years are 1970 to 9999, and leap seconds are refused.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard (20...33).contains(bytes.count), bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
            bytes[17] != UInt8(ascii: "6"), let date = Timestamp.date(text, .dateTime), date.milliseconds >= 0
        else { return nil }
        return date
    }
}
