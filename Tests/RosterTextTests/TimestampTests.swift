import Foundation
import RosterText
import Testing

@Suite("Times as text")
struct TimestampTests {
    static let moments: [(String, Int64)] = [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.5-01:30", 951_831_000_500),
        ("0001-01-01T00:00:00", -62_135_596_800_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59Z", 253_402_300_799_000), ("2026-01-31t12:00:00z", 1_769_860_800_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("1970-01-01T00:00:00.1239Z", 124),
    ]

    @Test("A day and a time are read in both forms", arguments: moments)
    func readsDateTime(text: String, milliseconds: Int64) {
        #expect(Timestamp.date(text, .dateTime)?.milliseconds == milliseconds)
        #expect(Timestamp.date(text)?.milliseconds == milliseconds)
    }

    static let otherForms: [(String, Int64)] = [
        ("1970-01-02", 86_400_000), ("19700102", 86_400_000), ("19700101000001Z", 1_000),
        ("19700101000001.5Z", 1_500), ("1970010101Z", 3_600_000), ("1970010100,5Z", 1_800_000),
        ("197001010001.5+01", -3_510_000), ("1970-01-01T01", 3_600_000), ("1970-01-01T01:00+0030", 1_800_000),
    ]

    @Test("ISO 8601 and LDAP's generalized time are read only where any form is accepted", arguments: otherForms)
    func readsOtherForms(text: String, milliseconds: Int64) {
        #expect(Timestamp.date(text)?.milliseconds == milliseconds)
        #expect(Timestamp.date(text, .dateTime) == nil)
    }

    @Test(
        "Other text is no time",
        arguments: [
            "", "2000", "1900-02-29T00:00:00Z", "2000-13-01T00:00:00Z", "2000-00-01T00:00:00Z", "2000-01-01T24:00:00Z",
            "2000-01-01T00:00:00.Z", "2000-01-01T00:00:00+1:00", "2000-01-01T00:00:00Zx", "2000-01-01 00:00:00Z",
            "-200-01-01T00:00:00Z", "２０００-01-01T00:00:00Z", "2000-01-01T00:60:00Z", "2000-01-01T00:00:61Z", "2000-1-1",
        ])
    func refuses(text: String) {
        #expect(Timestamp.date(text) == nil && Timestamp.date(text, .dateTime) == nil)
    }

    @Test("A written time is read as the same time, and is what Foundation writes", arguments: 0..<200)
    func writesWhatItReads(index: Int64) {
        let milliseconds = -62_135_596_800_000 + index * 1_585_116_774_613
        let date = Date(milliseconds: milliseconds)
        let text = Timestamp.text(date)
        #expect(Timestamp.date(text, .dateTime)?.milliseconds == milliseconds)
        let seconds = Timestamp.text(date, hasMilliseconds: false)
        #expect(seconds == text.dropLast(5) + "Z")
        // Foundation takes days before October 15th, 1582 to be of the Julian calendar, and ISO 8601 does not.
        if milliseconds > -12_219_292_800_000 { #expect(seconds == date.formatted(.iso8601)) }
    }

    @Test("Years that four digits cannot write are written in full")
    func writesDistantYears() {
        #expect(Timestamp.text(Date(milliseconds: 253_402_300_800_000)) == "10000-01-01T00:00:00.000Z")
        #expect(Timestamp.text(Date(milliseconds: -62_167_219_200_001)) == "-1-12-31T23:59:59.999Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: .infinity)).hasSuffix("Z"))
    }
}
