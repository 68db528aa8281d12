import Foundation
import Roster
import RosterStore
import RosterText
import Synchronization
import Testing
import TestSupport

@testable import RosterSignIn

@Suite("What follows from a change of a mail address")
struct AddressTests {
    /// A directory with an administrator, an editor, somebody who is editor and help desk, and `ada`, who has a password.
    private struct Company {
        let directory: Directory
        let clock = SettableClock()
        let signIn: SignIn
        var admin: DirectoryView { directory.unrestricted }

        init() throws {
            let clock = clock
            directory = try emptyDirectory(clock: { clock.now })
            signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
            let view = directory.unrestricted
            let hash = try PasswordHash.make("a staple of horses", .forTests).text
            for name in ["editor", "both", "ada"] {
                try view.users.create(
                    name, attributes: ["mail": .string("\(name)@example.com"), "password": .string(hash)])
            }
            for (role, power) in [("hr", Power.peopleEditor), ("desk", .helpDesk)] {
                try view.roles.create(role)
                try view.roles.setPower(power, of: .named(role))
                try view.roles.add([.user("both")], to: .named(role))
            }
            try view.roles.add([.user("editor")], to: "hr")
        }

        func view(_ name: String) throws -> DirectoryView {
            name == "client"
                ? directory.acting(as: .provisioning("hr"))
                : name == "root"
                    ? admin : directory.acting(as: .user(try admin.users.user(.named(name)).id), by: .local)
        }

        func isHeld(_ name: String = "ada") throws -> Bool {
            try admin.read { try $0.addresses.isAddressHeld(of: $0.users.id(of: .named(name))) }
        }

        /// The former addresses whose mails no server has sent yet.
        func notices() throws -> [String] {
            try directory.store.read { try $0.all(AddressStatements.notices, [.integer(100)]) { $0.text(1) } }
        }
    }

    /// The ways to give `ada` another address.
    private static let ways: [[AttributeChange]] = [
        [.set("mail", "evil@example.net")], [.set("emails", [["value": "evil@example.net"]])],
        [.set("emails", [["value": "ada@example.com"], ["value": "evil@example.net", "primary": true]])],
        [.clear("emails"), .add("emails", [["value": "evil@example.net"]])],
    ]

    @Test(
        "An address that an editor set gets no link for a day; one of somebody who may set the password does"
    )
    func held() throws {
        let company = try Company()
        for way in Self.ways {
            for (setter, expected) in [
                ("editor", true), ("both", false), ("root", false), ("client", false),
            ] {
                try company.admin.users.modify("ada", attributes: ["emails": [["value": "ada@example.com"]]])
                try company.view(setter).users.modify("ada", way)
                #expect(try company.admin.users.user("ada").mail == "evil@example.net")
                #expect(try company.isHeld() == expected, "\(setter) \(way)")
            }
        }
        try company.view("editor").users.modify("ada", attributes: ["mail": "other@example.net"])
        company.clock.advance(by: 86_399)
        #expect(try company.isHeld())
        company.clock.advance(by: 2)
        #expect(try !company.isHeld())
        try company.view("editor").users.modify("ada", attributes: ["mail": "OTHER@example.net", "title": "Dr."])
        #expect(try !company.isHeld(), "another spelling is the same address")
    }

    @Test("A held address gets neither a forgotten password's link nor one that an administrator mails")
    func noLink() async throws {
        let company = try Company()
        let (count, mailer) = try Self.mailer()
        let oauth = company.signIn.oauth
        try await company.view("editor").users.modify("ada", attributes: ["mail": "evil@example.net"])
        try await oauth.passwordLinks.sendLink(to: "ada", by: mailer)
        try await oauth.passwordLinks.sendLink(to: "evil@example.net", by: mailer)
        #expect(code { try company.admin.read { try $0.addresses.checkMailingLink(to: "ada") } } == .notPermitted)
        try await oauth.passwordLinks.sendLink(to: "editor", by: mailer)
        try await Self.wait(for: 1, count)
        company.clock.advance(by: 86_401)
        try await oauth.passwordLinks.sendLink(to: "ada", by: mailer)
        try await Self.wait(for: 2, count)
    }

    @Test("A new user of an editor is invited at once, but gets no link for a forgotten password")
    func newUser() async throws {
        let company = try Company()
        try await company.view("editor").users.create("new", attributes: ["mail": "new@example.com"])
        try await company.view("editor").users.load([NewUser("loaded", attributes: ["mail": "loaded@example.com"])])
        for name in ["new", "loaded"] {
            #expect(try !company.isHeld(name))
            try await company.signIn.setPassword("a staple of horses", of: .named(name), in: company.view("both"))
            #expect(try company.isHeld(name))
        }
    }

    @Test("The former address is told of every change, once, and not of the new address")
    func notices() async throws {
        let company = try Company()
        for way in Self.ways {
            for setter in ["editor", "both", "root", "client"] {
                try await company.admin.users.modify("ada", attributes: ["emails": [["value": "ada@example.com"]]])
                let (_, mailer) = try Self.mailer()
                try await company.signIn.oauth.passwordLinks.sendAddressNotices(by: mailer)
                #expect(try company.notices() == [])
                try await company.view(setter).users.modify("ada", way)
                #expect(try company.notices() == ["ada@example.com"], "\(setter) \(way)")
            }
        }
        let csv = Data("uid,mail\nada,imported@example.com\n".utf8)
        try await company.admin.importPeople(from: csv, named: "people.csv", options: .init(format: .csv))
        #expect(try company.notices() == ["ada@example.com", "evil@example.net"])
        try await company.admin.users.modify("ada", [.clear("emails")])
        #expect(try company.notices().sorted() == ["ada@example.com", "evil@example.net", "imported@example.com"])
        try await company.admin.users.modify("ada", attributes: ["mail": "first@example.com"])
        #expect(try company.notices().count == 3, "nobody had an address before")
        let (count, mailer) = try Self.mailer()
        try await company.signIn.oauth.passwordLinks.sendAddressNotices(by: mailer)
        try await company.signIn.oauth.passwordLinks.sendAddressNotices(by: mailer)
        try await Self.wait(for: 3, count)
        let user = try await company.admin.users.user("ada")
        let mail = try #require(
            MailText.changedAddress(
                "ada@example.com", at: company.clock.now, of: user, issuer: "https://id.example.com"))
        #expect(mail.recipient == "ada@example.com" && !mail.text.contains("first@") && mail.text.contains("ada"))
    }

    @Test("The texts have a subject, and only places that are filled", arguments: MailText.languages)
    func texts(language: String) {
        let places = MailText.text(MailText.changedAddress, in: language).matches(of: #/\{\{(.*?)\}\}/#).map {
            String($0.1)
        }
        #expect(Set(places) == ["organization", "name", "uid", "url", "time"])
    }

    @Test("A password link ends with the address, the name, the dates, the state and any change of the password")
    func links() async throws {
        let ends: [(String, @Sendable (Company) async throws -> Void)] = [
            ("address", { try await $0.admin.users.modify("ada", attributes: ["mail": "x@example.com"]) }),
            ("no address", { try await $0.admin.users.modify("ada", [.clear("emails")]) }),
            ("name", { try await $0.admin.users.modify("ada", attributes: ["uid": "lovelace"]) }),
            ("spelling", { try await $0.admin.users.modify("ada", attributes: ["uid": "ADA"]) }),
            ("disabled", { try await $0.admin.users.modify("ada", attributes: ["active": false]) }),
            ("end date", { try await $0.admin.users.modify("ada", attributes: ["activeEndDate": "2999-01-01"]) }),
            ("start date", { try await $0.admin.users.modify("ada", attributes: ["activeStartDate": "1999-01-01"]) }),
            ("password", { try await $0.signIn.setPassword("another staple", of: "ada", in: $0.admin) }),
            ("no password", { try await $0.admin.users.modify("ada", [.clear("password")]) }),
            (
                "newer link",
                { company in
                    _ = try await company.admin.awaitWrite { try $0.links.makePasswordLink(for: "ada", .reset) }
                }
            ),
            ("deleted", { try await $0.admin.users.delete("ada") }),
            (
                "import",
                {
                    let csv = Data("uid,mail\nada,imported@example.com\n".utf8)
                    try await $0.admin.importPeople(from: csv, named: "people.csv", options: .init(format: .csv))
                }
            ),
        ]
        for (what, end) in ends {
            let company = try Company()
            let link = try await company.admin.awaitWrite { try $0.links.makePasswordLink(for: "ada", .reset) }
            let digest = try PasswordLink.digest(of: link.token)
            try await company.admin.users.modify("ada", attributes: ["title": "Dr.", "mail": "ADA@example.com"])
            #expect(
                try await company.signIn.oauth.passwordLinks.userName(ofLink: digest) == "ada",
                "other changes leave the link")
            try await end(company)
            await #expect(throws: DirectoryError.self, "\(what)") {
                try await company.signIn.oauth.passwordLinks.userName(ofLink: digest)
            }
        }
        let company = try Company()
        let end = Timestamp.text(company.clock.now.addingTimeInterval(600))
        try await company.admin.users.modify("ada", attributes: ["activeEndDate": .string(end)])
        let link = try await company.admin.awaitWrite { try $0.links.makePasswordLink(for: "ada", .reset) }
        company.clock.advance(by: 601)
        let digest = try PasswordLink.digest(of: link.token)
        await #expect(throws: DirectoryError.self) {
            try await company.signIn.oauth.passwordLinks.userName(ofLink: digest)
        }
        #expect(code { try company.admin.write { try $0.links.makePasswordLink(for: "ada", .reset) } } == .notPermitted)
    }

    /// A mailer at whose server nobody listens, and the number of its mails that failed.
    private static func mailer() throws -> (count: Counter, Mailer) {
        let count = Counter()
        let settings = try Mailer.Settings(url: "smtp://127.0.0.1:9", password: nil, sender: "roster@example.com")
        return (count, Mailer(settings) { _ in count.value.add(1, ordering: .relaxed) })
    }

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    private static func wait(for expected: Int, _ count: Counter) async throws {
        for _ in 0..<1_000 where count.value.load(ordering: .relaxed) < expected {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(count.value.load(ordering: .relaxed) == expected)
    }
}
