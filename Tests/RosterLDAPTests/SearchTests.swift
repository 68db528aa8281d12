import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Searching over LDAP", .timeLimit(.minutes(2)))
struct SearchTests {
    private static let people = ServedCompany.people
    private static let groups = ServedCompany.groups

    @Test("The scopes base, one level, subtree and subordinate find what the standard says")
    func scopes() async throws {
        try await ServedCompany.serving { company, client in
            let (users, roles) = (
                try company.directory.unrestricted.users.count(), try company.directory.unrestricted.roles.count()
            )
            func count(_ base: String, _ scope: LDAPSearch.Scope) throws -> Int {
                try client.search(base, scope, .present("objectClass"), ["1.1"]).entries.count
            }
            let container = try client.search(Self.people, .base, .present("ou"), ["+"]).entries.first
            #expect(container?.attributes["numSubordinates"] == ["\(users)"])
            #expect(container?.attributes["hasSubordinates"] == ["TRUE"])
            #expect(try count(ServedCompany.base, .base) == 1)
            #expect(try count(ServedCompany.base, .one) == 2)
            #expect(try count(ServedCompany.base, .subtree) == 3 + users + roles)
            #expect(try count(ServedCompany.base, .subordinate) == 2 + users + roles)
            #expect(try count(Self.people, .base) == 1)
            #expect(try count(Self.people, .one) == users)
            #expect(try count(Self.people, .subtree) == users + 1)
            #expect(try count(Self.groups, .one) == roles)
            #expect(try count(ServedCompany.emma, .subtree) == 1)
            #expect(try count(ServedCompany.emma, .one) == 0)
        }
    }

    @Test("A base that is not there is noSuchObject, with the nearest entry above")
    func noSuchObject() async throws {
        try await ServedCompany.serving { _, client in
            let cases = [
                "uid=nobody," + Self.people: Self.people, "cn=nobody," + Self.groups: Self.groups,
                "ou=nothing," + ServedCompany.base: ServedCompany.base, "dc=other": "",
                "x=y,uid=emma.mueller," + Self.people: Self.people,
            ]
            for (base, matched) in cases {
                let found = try client.search(base)
                #expect(found.end.result == .noSuchObject && found.end.dn == matched, "\(base)")
            }
            #expect(try client.search("nonsense").end.result == .invalidDNSyntax)
        }
    }

    @Test("A user's entry has the attributes that the caller may read, and operational ones by name or '+'")
    func userEntry() async throws {
        try await ServedCompany.serving { company, client in
            let entry = try #require(try client.search(ServedCompany.emma, .base).entries.first)
            let emma = try company.directory.unrestricted.users.user("emma.mueller")
            #expect(entry.dn == ServedCompany.emma)
            #expect(entry.attributes["uid"] == ["emma.mueller"])
            #expect(entry.attributes["mail"] == [emma.mail ?? "", "emma@mueller.example"])
            #expect(entry.attributes["objectClass"]?.contains("inetOrgPerson") == true)
            #expect(entry.attributes["entryUUID"] == nil && entry.attributes["memberOf"] == nil)
            #expect(entry.attributes["userPassword"] == nil)
            let all = try #require(
                try client.search(ServedCompany.emma, .base, .present("objectClass"), ["*", "+", "cn", "CN"]).entries
                    .first)
            #expect(all.attributes["cn"]?.count == 1)
            #expect(all.attributes["memberOf"]?.contains("cn=platform," + Self.groups) == true)
            #expect(all.attributes["memberOf"]?.contains("cn=everyone," + Self.groups) == true)
            #expect(all.attributes["hasSubordinates"] == ["FALSE"])
            #expect(all.attributes["entryUUID"]?.first.flatMap { UUID(uuidString: $0) } != nil)
            let manager = try #require(try emma.manager())
            #expect(all.attributes["manager"] == ["uid=\(manager.uid)," + Self.people])
            let none = try #require(
                try client.search(ServedCompany.emma, .base, .present("objectClass"), ["1.1"]).entries.first)
            #expect(none.attributes.isEmpty)
            let types = try #require(
                try client.search(ServedCompany.emma, .base, .present("objectClass"), ["cn"], typesOnly: true).entries
                    .first)
            #expect(types.attributes == ["cn": []])
        }
    }

    @Test("A group's entry names its direct members, and all users inside by their names")
    func groupEntry() async throws {
        try await ServedCompany.serving { company, client in
            let entry = try #require(try client.search("cn=everyone," + Self.groups, .base).entries.first)
            #expect(
                Set(entry.attributes["member"] ?? [])
                    == Set(
                        ["uid=ilse.brandt," + Self.people]
                            + ["engineering", "sales", "finance", "people"].map { "cn=\($0)," + Self.groups }))
            #expect(entry.attributes["uniqueMember"] == entry.attributes["member"])
            let inside = try company.directory.unrestricted.roles.users(of: "everyone").map(\.uid)
            #expect(Set(entry.attributes["memberUid"] ?? []) == Set(inside))
            let byUID = try client.search("uid=everyone," + Self.groups, .base)
            #expect(byUID.entries.first?.dn == "cn=everyone," + Self.groups)
        }
    }

    @Test("Entries are found by uid, entryUUID, and by cn if only one entry has it")
    func otherNames() async throws {
        try await ServedCompany.serving { _, client in
            let uuid = try #require(
                try client.search(ServedCompany.emma, .base, .present("objectClass"), ["entryUUID"]).entries.first?
                    .attributes["entryUUID"]?.first)
            #expect(
                try client.search("entryUUID=\(uuid)," + Self.people, .base).entries.first?.dn == ServedCompany.emma)
            let byUUID = try client.search(ServedCompany.base, .subtree, .equal("entryUUID", uuid.uppercased()))
            #expect(byUUID.entries.map(\.dn) == [ServedCompany.emma])
            #expect(try client.search("cn=Emma Müller," + Self.people, .base).entries.first?.dn == ServedCompany.emma)
        }
    }

    @Test("The size limit ends a search after the entries")
    func sizeLimit() async throws {
        try await ServedCompany.serving { _, client in
            let found = try client.search(Self.people, .one, .present("uid"), ["uid"], sizeLimit: 3)
            #expect(found.entries.count == 3 && found.end.result == .sizeLimitExceeded)
            let exact = try client.search(ServedCompany.emma, .base, .present("uid"), ["uid"], sizeLimit: 1)
            #expect(exact.entries.count == 1 && exact.end.result == .success)
        }
    }

    @Test(
        "Pages have all entries once, and the control comes even if nothing follows",
        arguments: [1, 7, 1_000] as [Int32])
    func pages(size: Int32) async throws {
        try await ServedCompany.serving { _, client in
            let whole = try client.search(ServedCompany.base, .subtree, .present("objectClass"), ["1.1"]).entries.map(
                \.dn)
            var (found, cookie): ([String], [UInt8]) = ([], [])
            repeat {
                let page = try client.search(
                    ServedCompany.base, .subtree, .present("objectClass"), ["1.1"],
                    controls: [Message.page(size, cookie)])
                #expect(page.end.result == .success && page.entries.count <= Int(size))
                found += page.entries.map(\.dn)
                cookie = try #require(try Message.cookie(page.end))
            } while !cookie.isEmpty
            #expect(found == whole)
            let nothing = try client.search(
                Self.people, .one, .equal("uid", "nobody"), controls: [Message.page(10)])
            #expect(try Message.cookie(nothing.end) == [])
        }
    }

    @Test("A cookie is worth nothing for another search, for another caller, or twice")
    func cookies() async throws {
        try await ServedCompany.serving { company, client in
            let first = try client.search(Self.people, .one, .present("uid"), ["1.1"], controls: [Message.page(2)])
            let cookie = try #require(try Message.cookie(first.end))
            let other = try client.search(
                Self.people, .one, .present("cn"), ["1.1"], controls: [Message.page(2, cookie)])
            #expect(other.end.result == .unwillingToPerform)
            let second = try client.search(Self.people, .one, .present("uid"), ["1.1"], controls: [Message.page(2)])
            let next = try #require(try Message.cookie(second.end))
            _ = try client.bind("admin", ServedCompany.password)
            let stolen = try client.search(
                Self.people, .one, .present("uid"), ["1.1"], controls: [Message.page(2, next)])
            #expect(stolen.end.result == .unwillingToPerform)
        }
    }

    @Test("An unknown critical control refuses the search, and an unknown other one does not")
    func controls() async throws {
        try await ServedCompany.serving { _, client throws in
            var control = LDAPControl(identifier: "1.2.3.4", isCritical: true)
            #expect(
                try client.search(ServedCompany.emma, .base, controls: [control]).end.result
                    == .unavailableCriticalExtension)
            control.isCritical = false
            #expect(try client.search(ServedCompany.emma, .base, controls: [control]).end.result == .success)
        }
    }

    @Test("A comparison is true, false, undefined, or about an entry that is not there")
    func compare() async throws {
        try await ServedCompany.serving { _, client throws in
            func compare(_ dn: String, _ name: String, _ value: String) throws -> ResultCode? {
                try client.ask { writer in
                    writer.container(0x6E) { writer in
                        writer.text(dn)
                        writer.container { writer in
                            writer.text(name)
                            writer.text(value)
                        }
                    }
                }.result
            }
            #expect(try compare(ServedCompany.emma, "uid", "EMMA.mueller") == .compareTrue)
            #expect(try compare(ServedCompany.emma, "uid", "x") == .compareFalse)
            #expect(try compare(ServedCompany.emma, "nothing", "x") == .undefinedAttributeType)
            #expect(try compare("uid=x," + Self.people, "uid", "x") == .noSuchObject)
            #expect(try compare("cn=platform," + Self.groups, "member", ServedCompany.emma) == .compareTrue)
            #expect(try compare(ServedCompany.emma, "memberOf", "cn=everyone," + Self.groups) == .compareTrue)
        }
    }

    @Test("What a caller may not read is neither shown nor found")
    func rights() async throws {
        try await ServedCompany.serving { company, client in
            // `mobile` is for the user, the managers above and administrators.
            let owner = try company.directory.unrestricted.users.user("ilse.brandt")
            let number = try #require(owner.mobile)
            let dn = "uid=ilse.brandt," + Self.people
            #expect(
                try client.search(dn, .base, .present("objectClass"), ["mobile"]).entries.first?.attributes.isEmpty
                    == true)
            #expect(try client.search(Self.people, .one, .equal("mobile", number)).entries.isEmpty)
            _ = try client.bind("admin", ServedCompany.password)
            #expect(
                try client.search(dn, .base, .present("objectClass"), ["mobile"]).entries.first?.attributes["mobile"]
                    == [number])
            #expect(try client.search(Self.people, .one, .equal("mobile", number)).entries.map(\.dn) == [dn])
        }
    }

    @Test("An abandoned search ends without an answer, and the connection goes on")
    func abandon() async throws {
        try await ServedCompany.serving { _, client in
            let id = client.request { Message.search(&$0, ServedCompany.base, .subtree, .present("objectClass")) }
            client.request { $0.integer(id, 0x50) }
            let last = client.request { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
            // The search may have been faster.
            while let answer = try client.next() {
                if answer.id == last {
                    #expect(answer.result == .success)
                    return
                }
                #expect(answer.id == id)
            }
            throw NoAnswer()
        }
    }

    @Test("The stop tells clients that the connection ends")
    func stop() async throws {
        let company = try await ServedCompany()
        let client = try company.client()
        try await onThread { () throws in
            #expect(try client.bind("emma.mueller", ServedCompany.password).result == .success)
        }
        await company.server.stop(timeout: .seconds(5))
        try await onThread {
            let notice = try client.next()
            #expect(notice?.id == 0 && notice?.result == .unavailable)
            #expect(try client.next() == nil)
        }
    }

    @Test("Thousands of damaged messages neither end nor hang the server")
    func damaged() async throws {
        let seed = randomSeed()
        try await ServedCompany.serving(as: nil) { company, _ in
            var random = SeededNumbers(seed: seed)
            for number in 0..<1_000 {
                let client = try company.client()
                if number % 4 == 0 { _ = try? client.bind("emma.mueller", ServedCompany.password) }
                client.send(FramingTests.mutated(&random))
                if number % 8 == 0 { _ = try? client.next(within: 0.005) }
            }
            // Damaged binds can keep the server busy for a moment.
            func canBind() throws -> Bool {
                try company.client().bind("emma.mueller", ServedCompany.password).result == .success
            }
            #expect(waitUntil { (try? canBind()) == true }, "seed \(seed)")
            #expect(waitUntil { company.server.statistics?.connections ?? 99 <= 2 }, "seed \(seed)")
        }
    }
}
