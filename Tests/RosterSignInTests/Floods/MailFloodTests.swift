import Foundation
import Roster
import RosterText
import Testing
import TestSupport

@testable import RosterSignIn

/// A mail server on this machine, which takes mails once its gate is open.
private final class MailBox: Sendable {
    /// The text of a subject in RFC 2047's form.
    private static func plain(_ subject: String) -> String {
        guard subject.hasPrefix("=?utf-8?B?"),
            let bytes = Data(base64Encoded: String(subject.dropFirst(10).dropLast(2)))
        else { return subject }
        return String(decoding: bytes, as: UTF8.self)
    }

    let subjects = Gathered<String>()
    let gate = Gate()
    private let server: SocketServer

    init() throws {
        let (subjects, gate) = (subjects, gate)
        server = try SocketServer { peer in
            guard peer.send("220 test\r\n") else { return }
            var subject = ""
            while let line = peer.line() {
                switch line.prefix(4).uppercased() {
                case "DATA":
                    _ = peer.send("354 go on\r\n")
                    while let text = peer.line(), text != "." {
                        if text.hasPrefix("Subject: ") { subject = Self.plain(String(text.dropFirst(9))) }
                    }
                    gate.pass()
                    subjects.append(subject)
                    _ = peer.send("250 taken\r\n")
                case "QUIT":
                    _ = peer.send("221 bye\r\n")
                    return
                default: _ = peer.send("250 test\r\n")
                }
            }
        }
    }

    func settings() throws -> Mailer.Settings {
        try Mailer.Settings(url: "smtp://127.0.0.1:\(server.port)", password: nil, sender: "roster@example.com")
    }
}

@Suite("Floods of mails", .timeLimit(.minutes(5)))
struct MailFloodTests {
    private static let issuer = "https://id.example.com"

    private static func users(_ count: Int) throws -> [User] {
        let directory = try Directory.inMemory()
        return try (0..<count).map { number in
            try directory.unrestricted.users.create(
                "user\(number)", attributes: ["emails": [["value": .string("user\(number)@example.com")]]])
        }
    }

    private static func signIn(_ number: Int = 0) -> Mailer.BrowserSignIn {
        .init(
            at: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)), from: "192.0.2.1",
            with: "Browser \(number)")
    }

    private static func link() throws -> PasswordLink {
        PasswordLink(token: "token", expires: Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test("1,000 new browsers of one person are two mails, and another person's password link is sent")
    func onePerson() async throws {
        let box = try MailBox()
        let lost = Gathered<String>()
        let mailer = Mailer(
            try box.settings(), span: .seconds(1), warn: { _ in }, noteLost: { user, _ in lost.append(user.uid) })
        let users = try Self.users(2)
        for number in 0..<1_000 { try mailer.tell(users[0], of: Self.signIn(number), issuer: Self.issuer) }
        try mailer.send(Self.link(), .reset, to: users[1], issuer: Self.issuer)
        box.gate.open()
        #expect(try await onThread { box.subjects.wait(for: 3).count } == 3)
        // The mailer may have begun with the first notice before the link came.
        #expect(
            box.subjects.all.sorted() == [
                "A new password for id.example.com", "New sign-in at id.example.com", "New sign-ins at id.example.com",
            ])
        #expect(lost.all.isEmpty && mailer.lost.allSatisfy { $0.count == 0 })
    }

    @Test("Notices take no place of links, links are sent first, and each lost mail is told")
    func manyPeople() async throws {
        let box = try MailBox()
        let (lost, warnings) = (Gathered<String>(), Gathered<String>())
        let mailer = Mailer(
            try box.settings(), warn: { warnings.append($0) },
            noteLost: { user, purpose in lost.append("\(user.uid) \(purpose)") })
        let users = try Self.users(Mailer.capacity + 50)
        var refused = 0
        for user in users {
            do { try mailer.tell(user, of: Self.signIn(), issuer: Self.issuer) } catch { refused += 1 }
        }
        // One mail may have been taken from the queue already.
        #expect(refused == 50 || refused == 49)
        #expect(lost.all.count == refused && warnings.all.count == refused)
        #expect(lost.all.allSatisfy { $0.hasSuffix(" notice") })
        #expect(mailer.lost.map(\.count) == [0, refused])
        try mailer.send(Self.link(), .reset, to: users[0], issuer: Self.issuer)
        box.gate.open()
        let subjects = try await onThread { box.subjects.wait(for: 2) }
        #expect(subjects[1].contains("password"), "\(subjects.prefix(3))")
    }
}
