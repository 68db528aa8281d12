import Testing

@testable import Roster

@Suite("The form of e-mail addresses and dates")
struct MailAddressTests {
    static let addresses = [
        "ada@example.com", "a@b", "root@localhost", "o'brien+tag=1@sub.example.co.uk", "first.last@x-y.example",
        "foo..bar@docomo.ne.jp", "foo.@docomo.ne.jp", ".a@x.org", "jörg@müller.example", "用户@例子.公司", "A_B@corp_local",
        "\"john doe\"@example.com", "\"a\\\"b@c\"@x.org", "x@[192.0.2.1]", "x@[IPv6:2001:db8::1]",
        "!#$%&'*/=?^`{|}~@x.org",
        "1@2", String(repeating: "a", count: 64) + "@x.org",
        "a@" + (0..<4).map { _ in String(repeating: "b", count: 60) }.joined(separator: "."),
    ]
    static let others = [
        "", "ada", "@", "a@", "@b", "a@b@c", "a b@x.org", " a@x.org", "a@x.org ", "a@x .org", "a@x..org", "a@.x",
        "a@x.",
        "a@-x", "a@x-", "a\n@x", "a@x\n", "a\u{7F}@x", "a\u{85}@x", "a\u{2028}@x", "a\u{A0}b@x", "<a@x>", "Ada <a@x>",
        "a,b@x",
        "a;b@x", "\"a@x", "\"a\"b@x", "\"a\\\"@x", "a\\b@x", "a@x,y", "a@[", "a@[]", "a@[x y]", "a@x!y", "mailto:a@x",
        String(repeating: "a", count: 65) + "@x.org", "a@" + String(repeating: "b", count: 64),
        "a@" + (0..<5).map { _ in String(repeating: "b", count: 60) }.joined(separator: "."),
        String(repeating: "ä", count: 33) + "@x.org",
    ]

    @Test("Addresses that organisations use are valid", arguments: addresses)
    func valid(text: String) { #expect(MailAddress.isValid(text)) }

    @Test("Texts to which no mail can be sent are not addresses", arguments: others)
    func invalid(text: String) { #expect(!MailAddress.isValid(text)) }

    @Test("A date is a year, a month, a day or a time that the calendar has")
    func dates() {
        for text in [
            "2026", "2026-01", "2026-01-31", "2024-02-29", "20260131", "2026-01-31T09:00:00Z",
            "2026-01-31T09:00:00.5+02:00",
            "20260131090000Z", "1815-12-10",
        ] { #expect(ValueForm.isDate(text), "\(text)") }
        for text in [
            "", "2025-02-30", "2025-02-29", "2026-13", "2026-00-01", "31.01.2026", "01/31/2026", "yesterday",
            "1990-04-17-birth",
            "26-01-31", "2026-1-3", "2026-01-31 ", "2026-01-31T25:00:00Z",
        ] { #expect(!ValueForm.isDate(text), "\(text)") }
    }
}
