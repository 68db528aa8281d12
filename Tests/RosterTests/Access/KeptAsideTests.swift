import Foundation
import Roster
import Testing
import TestSupport

@Suite("Passwords and clients' identifiers in the directory")
struct KeptAsideTests {
    @Test("A password is kept as a hash, and neither read, searched, sorted by, told in the feed nor exported")
    func passwordIsSecret() throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        let hash = "$scrypt$ln=15,r=8,p=3$c2FsdA$aGFzaA"
        let ada = try users.create("ada", attributes: ["password": .string(hash)])
        #expect(ada["password"] == nil && ada.attributes["password"] == nil)
        #expect(try directory.accounts.account(named: "ADA")?.passwordHash == hash)
        for filter in ["password pr", "password eq \"x\"", "userPassword co \"s\""] {
            #expect(throws: DirectoryError.self) {
                try users.search(
                    Search(Filter(scim: filter, vocabulary: directory.unrestricted.attributes.vocabulary())))
            }
        }
        #expect(throws: DirectoryError.self) { try users.search(Search(sortedBy: .init("password"))) }
        try users.modify("ada", [.set("password", "$6$salt$other")])
        let feed = try directory.unrestricted.changes.since(0)
        #expect(feed.count == 2)
        #expect(feed[1].after["passwordChanged"] != nil)
        #expect(!"\(feed)".contains("scrypt") && !"\(feed)".contains("salt"))
        for format in ExchangeFormat.allCases {
            var text = ""
            try directory.unrestricted.export(format) { text += String(decoding: $0, as: UTF8.self) }
            #expect(!text.contains("salt"), "\(format)")
        }
    }

    @Test("A password that is no hash is refused", arguments: ["secret", "{CLEAR}secret", "{PLAIN}x", "{}", ""])
    func plainText(text: String) throws {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        try users.create("ada")
        if text.isEmpty {
            try users.modify("ada", [.set("password", .string(text))])
        } else {
            #expect(throws: DirectoryError.self) { try users.modify("ada", [.set("password", .string(text))]) }
        }
        #expect(try directory.accounts.account(named: "ada")?.passwordHash == nil)
    }

    @Test("A better hash takes the place of the one that was verified, and of no other")
    func upgrade() async throws {
        let directory = try emptyDirectory()
        let ada = try await directory.unrestricted.users.create("ada", attributes: ["password": "{SSHA}old"])
        let last = try await directory.unrestricted.changes.lastSequence()
        try await directory.accounts.upgrade(ada.id, from: "{SSHA}other", to: "$scrypt$new")
        #expect(try directory.accounts.account(named: "ada")?.passwordHash == "{SSHA}old")
        try await directory.accounts.upgrade(ada.id, from: "{SSHA}old", to: "$scrypt$new")
        #expect(try directory.accounts.account(named: "ada")?.passwordHash == "$scrypt$new")
        #expect(try await directory.unrestricted.changes.lastSequence() == last, "nobody changed the password")
    }

    @Test("A person sets their own password and nobody else's")
    func ownPassword() throws {
        let directory = try emptyDirectory()
        let ada = try directory.unrestricted.users.create("ada").id
        try directory.unrestricted.users.create("grace")
        let view = directory.acting(as: .user(ada))
        try view.users.modify(.id(ada), [.set("password", "$scrypt$x")])
        #expect(throws: DirectoryError.self) { try view.users.modify("grace", [.set("password", "$scrypt$x")]) }
    }

    @Test("Each client has identifiers of its own, which find users and roles for it alone, and identify nobody")
    func externalIdentifiers() throws {
        let directory = try emptyDirectory()
        let hr = directory.acting(as: .provisioning("hr"))
        let other = directory.acting(as: .provisioning("other"))
        let ada = try hr.users.create("ada", attributes: ["externalId": "1"])
        let grace = try other.users.create("grace", attributes: ["externalId": "1"])
        try hr.users.modify(.id(grace.id), [.set("externalId", .string(ada.id.description))])
        func found(_ view: DirectoryView, _ value: String) throws -> [String] {
            let filter = try Filter(scim: "externalId eq \"\(value)\"", vocabulary: view.attributes.vocabulary())
            return try view.users.search(Search(filter)).elements.map(\.uid)
        }
        #expect(try found(hr, "1") == ["ada"])
        #expect(try found(other, "1") == ["grace"])
        #expect(try found(hr, ada.id.description) == ["grace"])
        #expect(try hr.users.user(.either(ada.id.description)).uid == "ada", "an identifier is the directory's own")
        #expect(try directory.unrestricted.read { try $0.accounts.externalID(of: ada.id) } == nil)
        #expect(throws: DirectoryError.self) { try found(directory.acting(as: .user(ada.id)), "1") }
        try hr.users.delete(.id(ada.id))
        #expect(try found(hr, "1") == [])
    }
}
