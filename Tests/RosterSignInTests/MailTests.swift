import Foundation
import Roster
import Testing

@testable import RosterSignIn

@Suite("Mails")
struct MailTests {
    private func lines(_ message: MailMessage) throws -> [String] {
        let bytes = try message.bytes(from: "roster@example.com", at: Date(timeIntervalSince1970: 1_800_000_000))
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("A subject with line breaks and letters of any script adds no field, and no line is too long")
    func header() throws {
        let subject = "Zoë\r\nBcc: eve@example.com " + String(repeating: "漢", count: 60)
        let message = try #require(MailMessage(to: "zoe@example.com", subject: subject, text: "."))
        let lines = try lines(message)
        #expect(!lines.contains { $0.hasPrefix("Bcc") } && lines.allSatisfy { $0.utf8.count <= 78 })
        #expect(lines.contains("Date: Fri, 15 Jan 2027 08:00:00 +0000"))
        #expect(lines.contains("Auto-Submitted: auto-generated"))
    }

    @Test("The organization's name is that of the sender, in encoded words, and adds no field")
    func sender() throws {
        let name = "Ünlü\r\nBcc: eve@example.com, \"A\" <b@example.com>"
        let message = try #require(MailMessage(to: "zoe@example.com", subject: "s", text: ".", senderName: name))
        let lines = try lines(message)
        #expect(!lines.contains { $0.hasPrefix("Bcc") } && lines.allSatisfy { $0.utf8.count <= 78 })
        #expect(lines.first?.hasPrefix("From: =?utf-8?B?") == true)
        #expect(lines.contains(" <roster@example.com>") && !lines.contains { $0.contains("<b@") })
    }

    @Test(
        "An address with a second recipient, a line break, a bracket, a space or other letters gets no mail",
        arguments: ["a@b.c,d@e.f", "a@b.c\r\nRCPT TO:<d@e.f>", "<a@b.c>", "a b@c.d", "zoë@b.c", "a", "@b.c", "a@", ""])
    func addresses(address: String) {
        #expect(MailMessage(to: address, subject: "s", text: "t") == nil)
    }

    @Test(
        "Every text has a subject and the link, and only places that are filled", arguments: ["en", "de", "es", "ja"])
    func texts(language: String) {
        for kind in PasswordLink.Kind.allCases {
            let text = MailText.text(kind.rawValue, in: language)
            let places = Set(text.matches(of: #/\{\{(.*?)\}\}/#).map { String($0.1) })
            #expect(places == ["organization", "name", "uid", "url", "expires"], "\(language)/\(kind)")
            #expect(text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().first == "")
        }
        let places = Set(
            MailText.text(MailText.newBrowser, in: language).matches(of: #/\{\{(.*?)\}\}/#).map { String($0.1) })
        #expect(places == ["organization", "name", "uid", "url", "time", "address", "browser"], "\(language)")
        let several = Set(
            MailText.text(MailText.newBrowsers, in: language).matches(of: #/\{\{(.*?)\}\}/#).map { String($0.1) })
        #expect(
            several == ["organization", "name", "uid", "url", "count", "first", "last", "address", "browser"],
            "\(language)")
    }

    @Test(
        "A mail server's address needs smtp or smtps, a user together with a password, and no more",
        arguments: [
            ("smtp://mail.example.com:587", nil as String?, true), ("smtps://u@mail.example.com", "secret", true),
            ("smtps://u@mail.example.com", nil, false), ("smtp://mail.example.com", "secret", false),
            ("http://mail.example.com", nil, false), ("smtp://u:p@mail.example.com", "secret", false),
            ("smtp://mail.example.com/x", nil, false), ("", nil, false),
        ])
    func server(url: String, password: String?, isUsable: Bool) {
        let settings = try? Mailer.Settings(url: url, password: password, sender: "roster@example.com")
        #expect((settings != nil) == isUsable)
    }
}
