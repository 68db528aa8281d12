import Foundation
import Roster
import RosterSignIn
import ServiceTestSupport
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("What reading programs read over LDAP", .timeLimit(.minutes(2)))
struct NarrowViewTests {
    private static let wiki = "cn=wiki,ou=services," + ServedCompany.base

    /// Runs a body with a client that is bound as a program, which reads attributes of the members of the role `wiki`: of `emma.mueller` and,
    /// through the role `authors`, of `tom.evans`.
    private func reading(
        _ attributes: [AttributeName], networks: [String] = [],
        _ body: @escaping @Sendable (ServedCompany, LDAPClient) throws -> Void
    ) async throws {
        let company = try await ServedCompany()
        let admin = company.directory.acting(as: .administrator("the test"))
        for name in ["wiki", "authors"] { try await admin.roles.create(name) }
        try await admin.roles.add([.user("emma.mueller"), .role("authors")], to: "wiki")
        try await admin.roles.add([.user("tom.evans")], to: "authors")
        let token = try await APIToken.create(
            named: "wiki", role: .reading, expires: nil, reading: GivenView(attributes, membersOf: "wiki"),
            networks: networks, in: admin
        ).text
        try await onThread { [company] in
            let client = try company.client()
            #expect(
                try client.bind(Self.wiki, token).result == (networks == ["192.0.2.1"] ? .invalidCredentials : .success)
            )
            try body(company, client)
        }
        await company.server.stop(timeout: .seconds(1))
    }

    @Test(
        "A search finds the members with the listed attributes; the filters of apps that name others find nobody by them"
    )
    func searching() async throws {
        try await reading(["uid", "mail", "memberOf"]) { _, client in
            let everybody = try client.search(
                ServedCompany.base, .subtree, .present("objectClass"), ["*", "+", "memberOf"])
            #expect(everybody.end.result == .success)
            let people = everybody.entries.filter { $0.dn.hasPrefix("uid=") }
            #expect(people.map(\.dn).sorted() == [ServedCompany.emma, "uid=tom.evans," + ServedCompany.people])
            let shown = Set(people.flatMap(\.attributes.keys))
            #expect(
                shown.isDisjoint(with: [
                    "title", "displayName", "givenName", "telephoneNumber", "manager", "departmentNumber",
                    "employeeNumber",
                ]), "\(shown.sorted())")
            #expect(shown.isSuperset(of: ["uid", "mail", "memberOf", "cn", "sn"]))
            let roles = everybody.entries.filter { $0.dn.hasPrefix("cn=") && $0.dn.hasSuffix(ServedCompany.groups) }
            #expect(roles.map(\.dn).sorted() == ["authors", "wiki"].map { "cn=\($0),\(ServedCompany.groups)" })

            func found(_ filter: LDAPFilter) throws -> Int {
                let answer = try client.search(ServedCompany.people, .one, filter, ["1.1"])
                #expect(answer.end.result == .success, "\(filter)")
                return answer.entries.count
            }
            let wiki = "cn=wiki," + ServedCompany.groups
            #expect(try found(.and([.equal("uid", "emma.mueller"), .equal("memberOf", wiki)])) == 1)
            #expect(try found(.or([.equal("uid", "emma.mueller"), .equal("title", "x")])) == 1)
            #expect(try found(.present("title")) == 0)
            #expect(try found(.equal("uid", "kenji.sato")) == 0)
            #expect(try found(.not(.equal("uid", "kenji.sato"))) == 2)
            let kenji = try client.search("uid=kenji.sato," + ServedCompany.people, .base)
            #expect(kenji.end.result == .noSuchObject)
        }
    }

    @Test("A program writes nothing, follows nothing, and binds from its networks only")
    func refusals() async throws {
        try await reading(["uid"], networks: ["127.0.0.0/8", "192.0.2.0/24"]) { _, client in
            let change = try client.ask { $0.text(ServedCompany.emma, 0x4A) }
            #expect(change.result == .insufficientAccessRights)
        }
        try await reading(["uid"], networks: ["192.0.2.1"]) { _, client in
            let anonymous = try client.search(ServedCompany.people, .one).end.result
            #expect(anonymous == .insufficientAccessRights)
        }
    }
}
