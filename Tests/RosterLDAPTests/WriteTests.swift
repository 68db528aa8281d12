import Foundation
import Roster
import RosterSignIn
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Writing over LDAP, by OpenLDAP's programs", .timeLimit(.minutes(2)))
struct WriteTests {
    private static let people = ServedCompany.people
    private static let groups = ServedCompany.groups

    private func serving(_ body: @escaping @Sendable (ServedCompany) throws -> Void) async throws {
        try await ServedCompany.serving(as: nil) { company, _ in try body(company) }
    }

    @Test("An entry is added, changed, renamed and deleted")
    func life() async throws {
        try await serving { company in
            let users = company.directory.unrestricted.users
            let added = try company.tool(
                "ldapadd", as: "admin",
                input: """
                    dn: uid=jane,\(Self.people)
                    objectClass: inetOrgPerson
                    uid: jane
                    cn: Jane Doe
                    sn: Doe
                    mail: jane@example.com
                    mail: doe@example.com
                    manager: \(ServedCompany.emma)
                    userPassword: another staple of horses

                    """)
            #expect(added.status == 0, "\(added.errors)")
            let jane = try users.user("jane", attributes: .all)
            #expect(jane.commonName == "Jane Doe" && jane.mail == "jane@example.com")
            #expect(jane["emails"]?.elements.compactMap(\.text) == ["jane@example.com", "doe@example.com"])
            #expect(try jane.manager()?.uid == "emma.mueller")
            #expect(try company.tool("ldapwhoami", as: "jane", password: "another staple of horses").status == 0)
            let changed = try company.tool(
                "ldapmodify", as: "admin",
                input: """
                    dn: uid=jane,\(Self.people)
                    changetype: modify
                    replace: title
                    title: Chief
                    -
                    delete: mail
                    mail: doe@example.com
                    -
                    delete: manager
                    -

                    """)
            #expect(changed.status == 0, "\(changed.errors)")
            let after = try users.user("jane", attributes: .all)
            #expect(after.title == "Chief" && after["emails"]?.elements.count == 1 && after.managerID == nil)
            #expect(after.version == jane.version + 1, "one change for one request")
            let managed = try company.tool(
                "ldapmodify", as: "admin",
                input:
                    "dn: uid=jane,\(Self.people)\nchangetype: modify\nreplace: manager\nmanager: \(ServedCompany.emma)\n"
            )
            #expect(managed.status == 0, "\(managed.errors)")
            #expect(try users.user("jane").manager()?.uid == "emma.mueller")
            #expect(
                try company.tool("ldapmodrdn", as: "admin", "-r", "uid=jane,\(Self.people)", "uid=joan").status == 0)
            #expect(try users.find("joan")?.id == jane.id)
            #expect(try company.tool("ldapdelete", as: "admin", "uid=joan,\(Self.people)").status == 0)
            #expect(try users.find("joan") == nil)
        }
    }

    @Test("A group is added, and its members change")
    func groups() async throws {
        try await serving { company throws in
            let roles = company.directory.unrestricted.roles
            func run(_ name: String, _ input: String) throws -> Int32 {
                try company.tool(name, as: "admin", input: input).status
            }
            #expect(
                try run(
                    "ldapadd",
                    "dn: cn=staff,\(Self.groups)\nobjectClass: groupOfNames\ncn: staff\nmember: \(ServedCompany.emma)\n"
                        + "member: cn=finance,\(Self.groups)\n") == 0)
            #expect(try roles.users(of: "staff", reach: .direct).map(\.uid) == ["emma.mueller"])
            #expect(try roles.roles(of: "staff").map(\.name) == ["finance"])
            let dn = "dn: cn=staff,\(Self.groups)\nchangetype: modify\n"
            #expect(try run("ldapmodify", dn + "add: member\nmember: uid=jack.brown,\(Self.people)\n-\n") == 0)
            #expect(try run("ldapmodify", dn + "delete: member\nmember: \(ServedCompany.emma)\n-\n") == 0)
            #expect(try roles.users(of: "staff", reach: .direct).map(\.uid) == ["jack.brown"])
            #expect(try run("ldapmodify", dn + "delete: member\nmember: \(ServedCompany.emma)\n-\n") == 16)
            #expect(try run("ldapmodify", dn + "replace: memberUid\nmemberUid: emma.mueller\n-\n") == 0)
            #expect(try roles.users(of: "staff", reach: .direct).map(\.uid) == ["emma.mueller"])
            #expect(try roles.roles(of: "staff").map(\.name) == ["finance"])
            #expect(try company.tool("ldapdelete", as: "admin", "cn=staff,\(Self.groups)").status == 0)
        }
    }

    @Test("Refusals have the codes of LDAP")
    func codes() async throws {
        try await serving { company throws in
            func modify(_ dn: String, _ rest: String, as user: String = "admin") throws -> Int32 {
                try company.tool("ldapmodify", as: user, input: "dn: \(dn)\nchangetype: modify\n\(rest)\n").status
            }
            let emma = ServedCompany.emma
            #expect(try modify(emma, "replace: title\ntitle: Queen\n", as: "emma.mueller") == 50)
            #expect(try modify(emma, "replace: noSuchThing\nnoSuchThing: x\n") == 17)
            #expect(try modify(emma, "replace: uid\nuid: x\n") == 67)
            #expect(try modify(emma, "replace: entryUUID\nentryUUID: x\n") == 19)
            #expect(try modify(emma, "delete: pager\n") == 16)
            #expect(try modify("uid=nobody,\(Self.people)", "replace: title\ntitle: x\n") == 32)
            #expect(try modify(emma, "add: mail\nmail: emma.mueller@nordwind.example\n") == 20)
            #expect(
                try company.tool(
                    "ldapadd", as: "admin", input: "dn: \(emma)\nobjectClass: inetOrgPerson\nsn: x\ncn: x\n"
                ).status == 68)
            #expect(
                try company.tool(
                    "ldapadd", as: "admin", input: "dn: cn=x,\(Self.people)\nobjectClass: inetOrgPerson\nsn: x\n"
                ).status == 64)
            #expect(try company.tool("ldapdelete", as: "admin", Self.people).status == 66)
            #expect(try company.tool("ldapdelete", as: "admin", "uid=nobody,\(Self.people)").status == 32)
        }
    }

    @Test("Users change what they may write of their own, and their password")
    func own() async throws {
        try await serving { company in
            let emma = ServedCompany.emma
            let changed = try company.tool(
                "ldapmodify", as: emma,
                input: "dn: \(emma)\nchangetype: modify\nreplace: description\ndescription: Hello\n")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try company.directory.unrestricted.users.user("emma.mueller").description == "Hello")
            let new = "quite another staple of horses"
            let wrong = try company.tool("ldappasswd", as: emma, "-a", "wrong", "-s", new, emma)
            // ldappasswd ends with 1 and tells the code.
            #expect(wrong.status == 1 && (wrong.output + wrong.errors).contains("(49)"), "\(wrong.errors)")
            let right = try company.tool("ldappasswd", as: emma, "-a", ServedCompany.password, "-s", new, emma)
            #expect(right.status == 0, "\(right.errors)")
            #expect(try company.tool("ldapwhoami", as: emma, password: new).status == 0)
            let short = try company.tool("ldappasswd", as: emma, "-a", new, "-s", "x", emma, password: new)
            #expect(short.status == 1 && (short.output + short.errors).contains("(19)"), "\(short.errors)")
            let generated = try company.tool("ldappasswd", as: "admin", emma)
            let password = try #require(generated.output.firstMatch(of: #/New password: (\S+)/#).map { String($0.1) })
            #expect(try company.tool("ldapwhoami", as: emma, password: password).status == 0)
        }
    }
}
