import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("The roles that memberOf names", .timeLimit(.minutes(2)))
struct MemberOfTests {
    @Test(
        "memberOf has all roles around a user, or with the setting the direct ones, and filters agree",
        arguments: [false, true])
    func reach(isDirect: Bool) async throws {
        let company = try await ServedCompany { $0.hasDirectMemberOf = isDirect }
        let view = company.directory.unrestricted
        _ = try await view.roles.create("inner")
        _ = try await view.roles.create("outer")
        try await view.roles.add([.user("emma.mueller")], to: "inner")
        try await view.roles.add([.role("inner")], to: "outer")
        try await onThread { [company] in
            let client = try company.client()
            #expect(try client.bind("admin", ServedCompany.password).result == .success)
            let (inner, outer) = ("cn=inner," + ServedCompany.groups, "cn=outer," + ServedCompany.groups)
            let entry = try client.search(ServedCompany.emma, .base, .present("objectClass"), ["memberOf"]).entries
                .first
            let roles = entry?.attributes["memberOf"] ?? []
            #expect(roles.contains(inner) && roles.contains(outer) != isDirect)
            func found(_ filter: LDAPFilter) throws -> Bool {
                try client.search(ServedCompany.people, .one, filter).entries.contains { $0.dn == ServedCompany.emma }
            }
            #expect(try found(.equal("memberOf", Array(inner.utf8))))
            #expect(try found(.equal("memberOf", Array(outer.utf8))) != isDirect)
            let inChain = LDAPFilter.extensible(
                rule: "1.2.840.113556.1.4.1941", attribute: "memberOf", value: Array(outer.utf8), includesDN: false)
            #expect(try found(inChain))
        }
        await company.server.stop(timeout: .seconds(1))
    }
}
