import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Names, addresses and roles from outside")
struct LocalUserTests {
    @Test("A name from outside is a user's only where both have the same bytes")
    func names() async throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        let admin = try await users.create("admin").id
        try await users.create("off", isActive: false)
        let credentials = directory
        #expect(try credentials.holders.localUser(named: "admin", .exact) == .found(admin))
        #expect(try credentials.holders.localUser(named: "off", .exact) == .disabled)
        for name in ["Admin", "ADMIN"] {
            #expect(try credentials.holders.localUser(named: name, .exact) == .unknown, "\(name)")
            #expect(try credentials.holders.localUser(named: name, .ignoringASCIICase) == .found(admin), "\(name)")
        }
        for name in ["adm\u{131}n", "ａdmin", "adm\u{130}n", "admi\u{FF4E}", "admin ", "", admin.description] {
            for comparison in [NameComparison.exact, .ignoringASCIICase] {
                #expect(try credentials.holders.localUser(named: name, comparison) == .unknown, "\(name)")
            }
        }
        let jose = try await users.create("Jos\u{E9}").id
        #expect(try credentials.holders.localUser(named: "Jos\u{E9}", .exact) == .found(jose))
        #expect(
            try credentials.holders.localUser(named: "Jose\u{301}", .ignoringASCIICase) == .unknown, "== would be true")
        #expect(
            try credentials.holders.localUser(named: "JOS\u{C9}", .ignoringASCIICase) == .unknown, "no ASCII letter")
    }

    private func mail(_ value: String, _ type: String? = nil, primary: Bool = false) -> AttributeValue {
        var parts: [String: AttributeValue] = ["value": .string(value)]
        if let type { parts["type"] = .string(type) }
        if primary { parts["primary"] = true }
        return .complex(parts)
    }

    @Test("An address from outside is a user's only where it is their primary one, byte for byte")
    func addresses() async throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        func create(_ name: String, _ addresses: AttributeValue...) async throws -> UserID {
            try await users.create(name, attributes: ["emails": .list(addresses)]).id
        }
        let marked = try await create("marked", mail("m@w.test", "work", primary: true), mail("m@h.test", "home"))
        let other = try await create("other", mail("o@1.test"), mail("o@2.test", primary: true))
        let single = try await create("single", mail("s@w.test"))
        let work = try await create("work", mail("w@h.test", "Home"), mail("w@w.test"), mail("w@o.test", "other"))
        _ = try await create("home", mail("h@h.test", "home"))
        _ = try await create("private", mail("p@w.test", "work"), mail("p@h.test", "home", primary: true))
        _ = try await create("two", mail("t@1.test"), mail("t@2.test", "work"))
        let credentials = directory
        for (address, user) in [
            ("m@w.test", marked), ("m@h.test", nil), ("o@1.test", nil), ("o@2.test", other), ("s@w.test", single),
            ("w@w.test", work), ("w@h.test", nil), ("w@o.test", nil), ("h@h.test", nil), ("p@w.test", nil),
            ("p@h.test", nil), ("t@1.test", nil), ("t@2.test", nil), ("", nil), ("*", nil), ("S@W.test", nil),
            ("\u{17F}@w.test", nil),
        ] as [(String, UserID?)] {
            let found = try credentials.holders.localUser(primaryMail: address, .exact)
            #expect(found == user.map { .found($0) } ?? .unknown, "\(address)")
        }
        #expect(try credentials.holders.localUser(primaryMail: "S@W.test", .ignoringASCIICase) == .found(single))
        #expect(try credentials.holders.localUser(primaryMail: "\u{17F}@w.test", .ignoringASCIICase) == .unknown)
    }

    @Test("An address that is the primary one of two is nobody's; another one's secondary address takes nothing away")
    func twoPeople() async throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        let ada = try await users.create("ada", attributes: ["mail": "ada@acme.test"]).id
        let credentials = directory
        let secondary: AttributeValue = .list([mail("eve@acme.test", primary: true), mail("ada@acme.test")])
        try await users.create("eve", attributes: ["emails": secondary])
        #expect(try credentials.holders.localUser(primaryMail: "ada@acme.test", .exact) == .found(ada))
        try await users.create("bob", attributes: ["mail": "ADA@acme.test"], isActive: false)
        #expect(try credentials.holders.localUser(primaryMail: "ada@acme.test", .exact) == .ambiguous)
    }

    @Test("Granted roles count that are mapped or are here by that very name, none of them the administrators'")
    func roles() async throws {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        let administrators = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        for name in ["operators", "night", "sales", "north"] { try await view.roles.create(name) }
        try await view.roles.add([.role("operators")], to: .id(administrators.id))
        try await view.roles.add([.role("night")], to: "operators")
        try await view.roles.add([.role("north")], to: "sales")
        let credentials = directory
        let names = [
            "administrators", "Administrators", "ａdministrators", "operators", "NIGHT", "night", "sales", "Sales",
            "north", "finance", "\u{17F}ales",
        ]
        let named = try credentials.grants.accepted(names.map { GrantedRole($0, isMapped: false) })
        #expect(named == ["sales", "north"])
        let mapped = try credentials.grants.accepted(names.map { GrantedRole($0, isMapped: true) })
        #expect(mapped == ["sales", "Sales", "north", "finance", "\u{17F}ales"])
        #expect(try credentials.grants.effective(["north", "finance"]) == ["north", "sales", "finance"])
        try await view.roles.add([.role("sales")], to: "operators")
        #expect(try credentials.grants.effective(["north", "sales", "finance"]) == ["finance"], "nested there since")
    }

    @Test("Virtual users are shown by issuer and subject, and no two in one way")
    func shownNames() {
        let shown = Caller.shownName(issuer:subject:)
        #expect(shown("https://idp.example.com", "admin") == "virtual https://idp.example.com#admin")
        #expect(shown("a#b", "c") != shown("a", "b#c") && shown("a%23b", "c") != shown("a#b", "c"))
        #expect(shown("i", "adm\u{131}n") == "virtual i#adm%C4%B1n" && shown("i", "a b") == "virtual i#a%20b")
        #expect(Caller.virtualUser(issuer: "i", subject: "admin").description == "virtual i#admin")
    }
}
