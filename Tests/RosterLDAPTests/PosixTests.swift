import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("POSIX accounts, keys and SASL", .timeLimit(.minutes(2)))
struct PosixTests {
    private static let people = ServedCompany.people
    private static let groups = ServedCompany.groups

    private func serving(
        _ change: @escaping @Sendable (inout LDAPServer.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (ServedCompany) throws -> Void
    ) async throws {
        let company = try await ServedCompany(change)
        let result: Result<Void, any Error>
        do { result = .success(try await onThread { try body(company) }) } catch { result = .failure(error) }
        await company.server.stop(timeout: .seconds(1))
        try result.get()
    }

    private static func values(_ name: String, in output: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    @Test("With the setting, the queries of sssd and nslcd find users and groups by name and by number")
    func accounts() async throws {
        try await serving({ $0.posix = LDAPServer.PosixAccounts(firstNumber: 100_000) }) { company in
            func search(_ filter: String, _ attributes: String...) throws -> Tool.Outcome {
                try Tool.run(
                    "ldapsearch",
                    [
                        "-x", "-LLL", "-o", "ldif-wrap=no", "-H", "ldap://127.0.0.1:\(company.port)", "-D",
                        "emma.mueller", "-w", ServedCompany.password, "-b", ServedCompany.base, filter,
                    ] + attributes)
            }
            let id = try company.directory.unrestricted.users.user("emma.mueller").id
            let number = 100_000 + id.rawValue
            let byName = try search("(&(uid=emma.mueller)(objectclass=posixAccount)(&(uidNumber=*)(!(uidNumber=0))))")
            #expect(Self.values("uidNumber", in: byName.output) == ["\(number)"], "\(byName.output)\(byName.errors)")
            #expect(Self.values("gidNumber", in: byName.output) == ["\(number)"])
            #expect(Self.values("homeDirectory", in: byName.output) == ["/home/emma.mueller"])
            #expect(Self.values("loginShell", in: byName.output) == ["/bin/bash"])
            #expect(Self.values("objectClass", in: byName.output).contains("posixAccount"))
            let byNumber = try search("(&(uidNumber=\(number))(objectclass=posixAccount)(uid=*))", "uid")
            #expect(Self.values("uid", in: byNumber.output) == ["emma.mueller"])
            #expect(try search("(homeDirectory=/home/emma.mueller)", "uid").output.contains("uid: emma.mueller"))
            let role = try company.directory.unrestricted.roles.role("platform").id
            let group = try search(
                "(&(gidNumber=\(100_000 + role.rawValue))(objectClass=posixGroup)(cn=*))", "cn", "gidNumber",
                "memberUid")
            #expect(Self.values("cn", in: group.output) == ["platform"])
            #expect(Self.values("memberUid", in: group.output).contains("emma.mueller"))
            #expect(try search("(&(objectClass=shadowAccount)(uid=emma.mueller))", "1.1").output.isEmpty)
        }
    }

    @Test("Without the setting there are no POSIX accounts, but declared attributes make one")
    func declared() async throws {
        try await serving { company in
            let view = company.directory.acting(as: .administrator("the test"))
            func found(_ filter: String) throws -> [String] {
                let outcome = try company.tool("ldapsearch", "-LLL", "-b", Self.people, filter, "*")
                #expect(outcome.status == 0, "\(outcome.errors)")
                return Self.values("uid", in: outcome.output)
            }
            #expect(try found("(objectClass=posixAccount)").isEmpty)
            for (name, kind, isMulti) in [
                ("uidNumber", AttributeDefinition.Kind.integer, false), ("gidNumber", .integer, false),
                ("homeDirectory", .string, false), ("sshPublicKey", .string, true),
            ] {
                try view.attributes.declare(
                    AttributeDefinition(AttributeName(name), kind: kind, isMultiValued: isMulti))
            }
            let changed = try company.tool(
                "ldapmodify", as: "admin",
                input: """
                    dn: \(ServedCompany.emma)
                    changetype: modify
                    add: objectClass
                    objectClass: posixAccount
                    -
                    add: uidNumber
                    uidNumber: 4711
                    -
                    add: gidNumber
                    gidNumber: 4711
                    -
                    add: homeDirectory
                    homeDirectory: /srv/emma
                    -
                    add: sshPublicKey
                    sshPublicKey: ssh-ed25519 AAAA first
                    sshPublicKey: ssh-ed25519 BBBB second
                    -

                    """)
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try found("(objectClass=posixAccount)") == ["emma.mueller"])
            #expect(try found("(uidNumber=4711)") == ["emma.mueller"])
            #expect(try found("(objectClass=ldapPublicKey)") == ["emma.mueller"])
            #expect(try found("(sshPublicKey=*)") == ["emma.mueller"])
            let entry = try company.tool("ldapsearch", "-LLL", "-b", ServedCompany.emma, "(uid=*)", "*")
            #expect(Self.values("sshPublicKey", in: entry.output).count == 2)
            #expect(Self.values("objectClass", in: entry.output).contains("ldapPublicKey"))
        }
    }

    @Test("A number of a declared attribute counts before the computed one")
    func both() async throws {
        try await serving({ $0.posix = LDAPServer.PosixAccounts(firstNumber: 100_000) }) { company in
            let view = company.directory.acting(as: .administrator("the test"))
            try view.attributes.declare(AttributeDefinition("uidNumber", kind: .integer))
            try view.users.modify("emma.mueller", attributes: ["uidNumber": 4711])
            let id = try view.users.user("emma.mueller").id.rawValue
            func found(_ filter: String) throws -> String {
                try company.tool("ldapsearch", "-LLL", "-b", Self.people, filter, "uidNumber").output
            }
            #expect(try Self.values("uidNumber", in: found("(uidNumber=4711)")) == ["4711"])
            #expect(try found("(uidNumber=\(100_000 + id))").isEmpty)
        }
    }

    @Test("Everyone below a manager is found in one filter, and roles inside a role")
    func chains() async throws {
        try await serving { company in
            let view = company.directory.unrestricted
            func found(_ filter: String) throws -> Set<String> {
                let outcome = try company.tool("ldapsearch", "-LLL", "-b", ServedCompany.base, filter, "uid", "cn")
                #expect(outcome.status == 0, "\(outcome.errors)")
                return Set(
                    outcome.output.split(separator: "\n").filter { $0.hasPrefix("dn: ") }.map {
                        String($0.dropFirst(4).prefix { $0 != "," })
                    })
            }
            let rule = "1.2.840.113556.1.4.1941"
            let boss = try #require(try view.users.manager(of: "emma.mueller"))
            let below = Set(try view.users.below(.named(boss.uid)).map { "uid=" + $0.user.uid })
            #expect(try found("(manager:\(rule):=uid=\(boss.uid),\(Self.people))") == below && below.count > 1)
            #expect(try found("(manager:\(rule):=uid=nobody,\(Self.people))").isEmpty)
            #expect(try found("(manager:\(rule):=uid=\(boss.uid),ou=elsewhere,\(ServedCompany.base))").isEmpty)
            #expect(try found("(memberOf:\(rule):=cn=everyone,\(Self.groups))").contains("cn=platform"))
            #expect(try found("(title:\(rule):=x)").isEmpty)
            #expect(try found("(member=*)").contains("cn=platform"))
            let owned = Set(
                try view.roles.roles(having: .user("ilse.brandt"), as: .owner, reach: .direct).map { "cn=" + $0.name })
            #expect(try found("(owner=uid=ilse.brandt,\(Self.people))") == owned)
            #expect(try found("(ou:dn:=groups)").contains("cn=platform"))
            #expect(try found("(dc:dn:=example)").contains("dc=nordwind"))
            let disabled = try view.users.search(Search(.not(.active), pageSize: 1_000)).elements.map {
                "uid=" + $0.uid
            }
            #expect(try found("(userAccountControl:1.2.840.113556.1.4.804:=2)") == Set(disabled))
        }
    }

    @Test("EXTERNAL makes the server's own user an administrator over a local socket, and PLAIN takes a password there")
    func sasl() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID()).sock").path
        let address = "ldapi://" + path.replacing("/", with: "%2F")
        try await serving({ $0.listen = ["ldap://127.0.0.1:0", address] }) { company in
            let root = try Tool.run("ldapsearch", ["-x", "-LLL", "-H", address, "-s", "base", "-b", "", "+"])
            #expect(Set(Self.values("supportedSASLMechanisms", in: root.output)) == ["EXTERNAL", "PLAIN"])
            let plain = try company.tool("ldapsearch", as: nil, "-LLL", "-s", "base", "-b", "", "+")
            #expect(Self.values("supportedSASLMechanisms", in: plain.output).isEmpty)
            let external = try Tool.run("ldapwhoami", ["-Q", "-Y", "EXTERNAL", "-H", address])
            #expect(
                external.status == 0 && external.output.hasSuffix(",cn=peercred,cn=external,cn=auth\n"),
                "\(external.errors)")
            let changed = try Tool.run(
                "ldapmodify", ["-Q", "-Y", "EXTERNAL", "-H", address],
                input: "dn: \(ServedCompany.emma)\nchangetype: modify\nreplace: title\ntitle: Chief\n")
            #expect(changed.status == 0, "\(changed.errors)")
            let overTCP = try Tool.run(
                "ldapwhoami", ["-Q", "-Y", "EXTERNAL", "-H", "ldap://127.0.0.1:\(company.port)"])
            #expect(overTCP.status != 0)
        }
    }
}
