import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("The control of LDAP for attributes of named entries", .timeLimit(.minutes(2)))
struct DereferenceTests {
    private static func control(_ references: (String, [String])...) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            for (name, attributes) in references {
                writer.container { writer in
                    writer.text(name)
                    writer.container { writer in for attribute in attributes { writer.text(attribute) } }
                }
            }
        }
        return LDAPControl(identifier: SupportedControl.dereference, isCritical: true, value: writer.finish())
    }

    /// The named entries in the control of an entry: the attribute with the name, the name, and the values of `uid` and `cn`.
    private static func named(_ entry: Answer) throws -> [(attribute: String, dn: String, values: [String: [String]])] {
        guard let value = entry.controls[SupportedControl.dereference] else { return [] }
        return try BERReader.reading(value) { reader in
            try reader.list(BERReader.Tag.sequence, atMost: 1_000) { reader in
                try reader.container(BERReader.Tag.sequence) { reader in
                    let (attribute, dn) = (try reader.text(), try reader.text())
                    var (values, count) = ([String: [String]](), 0)
                    guard reader.next == 0xA0 else { return (attribute, dn, values) }
                    for attribute in try reader.list(0xA0, atMost: 100, { try LDAPAttribute(&$0, &count) }) {
                        values[attribute.name] = attribute.values.map { String(decoding: $0, as: UTF8.self) }
                    }
                    return (attribute, dn, values)
                }
            }
        }
    }

    @Test("A group comes with attributes of its members, users and groups, and a user with those of the manager")
    func members() async throws {
        try await ServedCompany.serving { company, client in
            let view = company.directory.unrestricted
            let engineering = "cn=engineering," + ServedCompany.groups
            let found = try client.search(
                engineering, .base, .present("objectClass"), ["cn"],
                controls: [Self.control(("member", ["uid", "cn", "mail"]), ("owner", ["uid"]), ("title", ["cn"]))])
            #expect(found.end.result == .success)
            let entry = try #require(found.entries.first)
            #expect(entry.attributes.keys.sorted() == ["cn"])
            let members = try Self.named(entry)
            let users = try view.roles.users(of: "engineering", as: .member, reach: .direct).map(\.uid)
            let people = members.filter { $0.attribute == "member" && $0.dn.hasSuffix(ServedCompany.people) }
            #expect(people.compactMap { $0.values["uid"]?.first } == users)
            let platform = members.first { $0.dn == "cn=platform," + ServedCompany.groups }
            #expect(platform?.values["cn"] == ["platform"])
            #expect(members.contains { $0.attribute == "owner" && $0.values["uid"] == ["kenji.sato"] })
            #expect(!members.contains { $0.attribute == "title" })

            let person = try client.search(
                ServedCompany.people, .subtree, .equal("uid", "emma.mueller"), ["uid"],
                controls: [Self.control(("manager", ["uid"]), ("memberOf", ["cn"]))])
            let named = try Self.named(try #require(person.entries.first))
            let chief = try #require(try view.users.manager(of: "emma.mueller"))
            #expect(named.first { $0.attribute == "manager" }?.values["uid"] == [chief.uid])
            #expect(named.contains { $0.attribute == "memberOf" && $0.values["cn"] == ["everyone"] })
            let broken = try client.search(ServedCompany.emma, .base, controls: [Self.control(("manager", []))])
            #expect(broken.end.result == .protocolError)
        }
    }

    @Test("ldapsearch shows the attributes of the members")
    func tool() async throws {
        try await ServedCompany.serving { company, _ in
            let outcome = try company.tool(
                "ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b", "cn=finance," + ServedCompany.groups, "-E",
                "!deref=member:uid,sn", "cn")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let shown = "# member: <uid=owen.clarke>;<sn=Clarke>;uid=owen.clarke,"
            #expect(outcome.output.contains(shown), "\(outcome.output)")
        }
    }
}
