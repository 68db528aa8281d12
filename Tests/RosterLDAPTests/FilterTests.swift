import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Filters of LDAP", .timeLimit(.minutes(2)))
struct FilterTests {
    private static let base = "dc=example,dc=com"

    /// Filters that clients send, one a line.
    private static let filters: [String] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/LDAP/filters.txt")
        return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }()

    private func serving<Value: Sendable>(_ body: @escaping @Sendable (ServedCompany) throws -> Value) async throws
        -> Value
    {
        let company = try await ServedCompany { $0.base = Self.base }
        let result: Result<Value, any Error>
        do { result = .success(try await onThread { try body(company) }) } catch { result = .failure(error) }
        await company.server.stop(timeout: .seconds(1))
        return try result.get()
    }

    /// The names of the entries that `ldapsearch` finds.
    private static func found(_ company: ServedCompany, _ filter: String) throws -> Set<String> {
        let outcome = try company.tool(
            "ldapsearch", as: "emma.mueller", "-LLL", "-o", "ldif-wrap=no", "-b", base, filter, "1.1")
        #expect(outcome.status == 0, "\(filter): \(outcome.errors)")
        return Set(
            outcome.output.split(separator: "\n").filter { $0.hasPrefix("dn") }.map { line in
                let value = line.split(separator: ":", maxSplits: 1)[1].drop { ":" == $0 || $0 == " " }
                let text =
                    line.hasPrefix("dn::")
                    ? Data(base64Encoded: String(value)).map { String(decoding: $0, as: UTF8.self) } : String(value)
                return (text ?? "").split(separator: ",").first.map(String.init) ?? ""
            })
    }

    @Test("Every filter that clients send is read, and none ends a query with an error")
    func allAreRead() async throws {
        #expect(Self.filters.count > 30)
        try await serving { company in
            for filter in Self.filters { _ = try Self.found(company, filter) }
        }
    }

    @Test("What an attribute that nobody knows makes Undefined decides nothing; an unknown class has no entries")
    func undefined() async throws {
        try await serving { company in
            let people = Set(
                try company.directory.unrestricted.users.search(Search(pageSize: 1_000)).elements.map {
                    "uid=" + $0.uid
                })
            let roles = Set(
                try company.directory.unrestricted.roles.search(Search(pageSize: 1_000)).elements.map {
                    "cn=" + $0.name
                })
            func found(_ filter: String) throws -> Set<String> {
                try Self.found(company, filter)
            }
            #expect(try found("(unknownAttribute=x)").isEmpty)
            #expect(try found("(!(unknownAttribute=x))").isEmpty)
            #expect(try found("(|(uid=emma.mueller)(unknownAttribute=x))") == ["uid=emma.mueller"])
            #expect(try found("(|(uid=emma.mueller)(!(unknownAttribute=x)))") == ["uid=emma.mueller"])
            #expect(
                try found("(&(objectClass=person)(!(&(uid=emma.mueller)(unknownAttribute=x))))")
                    == people.subtracting(["uid=emma.mueller"]))
            #expect(try found("(objectClass=noSuchClass)").isEmpty)
            #expect(try found("(&(objectClass=person)(!(objectClass=computer)))") == people)
            #expect(try found("(objectClass=groupOfNames)") == roles)
            #expect(try found("(|(objectClass=person)(objectClass=groupOfUniqueNames))") == people.union(roles))
            #expect(try found("(&)").isSuperset(of: people.union(roles)))
            #expect(try found("(|)").isEmpty)
        }
    }

    @Test("Memberships, managers and members are found in all the forms that clients write")
    func references() async throws {
        try await serving { company in
            let view = company.directory.unrestricted
            func found(_ filter: String) throws -> Set<String> { try Self.found(company, filter) }
            func names(_ role: String) throws -> Set<String> {
                Set(try view.roles.users(of: .named(role)).map { "uid=" + $0.uid })
                    .union(try view.roles.roles(of: .named(role), reach: .effective).map { "cn=" + $0.name })
            }
            let groups = "ou=groups," + Self.base
            #expect(try found("(memberOf=cn=everyone,\(groups))") == names("everyone"))
            #expect(try found("(memberof=CN=Everyone, OU=Groups, DC=Example,DC=com)") == names("everyone"))
            #expect(try found("(memberOf=uid=platform,\(groups))") == names("platform"))
            #expect(try found("(memberOf=platform)") == names("platform"))
            #expect(try found("(memberOf:1.2.840.113556.1.4.1941:=cn=everyone,\(groups))") == names("everyone"))
            #expect(try found("(memberOf=cn=platform,ou=groups,dc=other)").isEmpty)
            #expect(try found("(memberOf=cn=nobody,\(groups))").isEmpty)
            let emma = "uid=emma.mueller,ou=people," + Self.base
            #expect(try found("(member=\(emma))") == ["cn=platform"])
            #expect(
                try found("(|(memberUid=emma.mueller)(member=\(emma))(uniqueMember=\(emma)))").isSuperset(of: [
                    "cn=platform", "cn=everyone",
                ]))
            #expect(
                try found("(member:1.2.840.113556.1.4.1941:=\(emma))").isSuperset(of: [
                    "cn=platform", "cn=engineering", "cn=everyone",
                ]))
            #expect(try found("(member=cn=platform,\(groups))") == ["cn=engineering", "cn=on-call"])
            let boss = try #require(try view.users.manager(of: "emma.mueller"))
            #expect(try found("(manager=uid=\(boss.uid),ou=people,\(Self.base))").contains("uid=emma.mueller"))
            #expect(try found("(manager=uid=\(boss.uid),ou=elsewhere,\(Self.base))").isEmpty)
        }
    }

    @Test("The views of Active Directory are read as its guides ask")
    func activeDirectory() async throws {
        try await serving { company in
            try company.directory.unrestricted.users.modify("jack.brown", attributes: ["active": false])
            func found(_ filter: String) throws -> Set<String> { try Self.found(company, filter) }
            #expect(try found("(&(objectClass=user)(sAMAccountName=emma.mueller))") == ["uid=emma.mueller"])
            #expect(try found("(userPrincipalName=emma.mueller@example.com)") == ["uid=emma.mueller"])
            let enabled = try found(
                "(&(objectCategory=person)(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))")
            let all = try found("(objectClass=user)")
            let disabled = try company.directory.unrestricted.users.search(Search(.not(.active), pageSize: 1_000))
            #expect(all.subtracting(enabled) == Set(disabled.elements.map { "uid=" + $0.uid }))
        }
    }

    @Test("A filter is translated in three values, as a plain evaluation has it")
    func threeValues() {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        /// A term, and its value for an entry for which `everything` holds and `or([])` does not.
        func term(_ depth: Int) -> (FilterTerm, Bool?) {
            switch Int.random(in: depth > 3 ? 0...2 : 0...5, using: &random) {
            case 0: return (.always, true)
            case 1: return (.never, false)
            case 2: return (.undefined, nil)
            case 3:
                let (inner, value) = term(depth + 1)
                return (.not(inner), value.map { !$0 })
            case 4:
                let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in term(depth + 1) }
                let values = parts.map(\.1)
                return (.and(parts.map(\.0)), values.contains(false) ? false : values.contains(nil) ? nil : true)
            default:
                let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in term(depth + 1) }
                let values = parts.map(\.1)
                return (.or(parts.map(\.0)), values.contains(true) ? true : values.contains(nil) ? nil : false)
            }
        }
        for _ in 0..<2_000 {
            let (term, value) = term(0)
            #expect(term.filter == (value == true ? .everything : .or([])), "seed \(seed)")
        }
    }
}
