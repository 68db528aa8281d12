import Foundation
import Roster
import Testing

@Suite("LDIF for and from LDAP servers")
struct LDAPExportTests {
    private func export(_ directory: Directory, under base: String = "dc=example,dc=com") throws -> String {
        var data = Data()
        try directory.unrestricted.export(.ldif, under: base) { data += $0 }
        return String(decoding: data, as: UTF8.self)
    }

    @Test("An entry has the names that LDAP demands, and says which of them are placeholders")
    func placeholders() throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.users.create("ada")
        #expect(
            try export(directory) == """

                dn: dc=example,dc=com
                objectClass: domain
                dc: example

                dn: ou=people,dc=example,dc=com
                objectClass: organizationalUnit
                ou: people

                dn: ou=groups,dc=example,dc=com
                objectClass: organizationalUnit
                ou: groups

                dn: uid=ada,ou=people,dc=example,dc=com
                objectClass: inetOrgPerson
                objectClass: rosterEntry
                uid: ada
                cn: ada
                sn: ada
                rosterUnset: commonName
                rosterUnset: familyName

                """)
    }

    @Test("What LDAP's syntaxes refuse stands in rosterAttribute, and everything comes back")
    func roundTrip() throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        try view.attributes.declare([AttributeDefinition("badge", kind: .integer)])
        try view.users.create("boss", attributes: ["familyName": "B", "mail": "jörg@x.example", "badge": 7])
        try view.users.create("a,b", attributes: ["mail": "a@x.example"], manager: "boss")
        try view.roles.create("empty")
        try view.roles.create("full")
        try view.roles.add([.user("a,b"), .role("empty")], to: "full")
        let text = try export(directory)
        #expect(text.contains("\nrosterAttribute: {\"badge\":7}\n"), "\(text)")
        #expect(text.contains("\nmail: a@x.example\n") && !text.contains("\nmail:: "), "\(text)")
        #expect(text.contains("\ndn: cn=empty,ou=groups,dc=example,dc=com\nobjectClass: organizationalRole\n"))
        #expect(text.contains("\nmember: uid=a\\,b,ou=people,dc=example,dc=com\n"))
        let copy = try Directory.inMemory()
        try copy.unrestricted.attributes.declare(view.attributes.vocabulary().declared)
        let report = try copy.unrestricted.importPeople(
            from: Data(text.utf8), named: "x", options: .init(format: .ldif, grants: .roles))
        #expect(report.ignored.isEmpty)
        #expect(try export(copy) == text)
        #expect(try copy.unrestricted.users.user("a,b").attributes["familyName"] == nil)
    }

    @Test("A base that is no container is refused", arguments: ["", "example", "uid=x", "dc=", "dc=bücher"])
    func badBase(_ base: String) throws {
        let directory = try Directory.inMemory()
        let error = #expect(throws: DirectoryError.self) { _ = try export(directory, under: base) }
        #expect(error?.code == .invalidInput)
    }

    @Test("Managers and members of another server are found by their distinguished names")
    func foreignNames() throws {
        let text = """
            dn: cn=Admin,dc=x
            objectClass: simpleSecurityObject
            objectClass: organizationalRole
            cn: Admin

            dn: cn=Ada,ou=all,dc=x
            objectClass: inetOrgPerson
            uid: ada
            entryCSN: 1
            userPassword: secret

            dn: cn=Bob,ou=all,dc=x
            objectClass: inetOrgPerson
            uid: bob
            manager: CN=ada, OU=all, DC=x

            dn: cn=printer,dc=x
            objectClass: device

            dn: cn=r,ou=all,dc=x
            objectClass: groupOfUniqueNames
            uniqueMember: cn=Bob,ou=all,dc=x
            uniqueMember: cn=s,ou=all,dc=x

            dn: cn=s,ou=all,dc=x
            objectClass: posixGroup
            memberUid: ada
            """
        let view = try Directory.inMemory().unrestricted
        let report = try view.importPeople(
            from: Data(text.utf8), named: "x", options: .init(format: .ldif, grants: .roles))
        #expect(report.ignored.isEmpty && report.notGranted.map(\.name) == ["userPassword"])
        #expect(report.users.created == 2)
        #expect(try view.users.manager(of: "bob")?.uid == "ada")
        #expect(try Set(view.roles.role("r").members().map(\.uid)) == ["ada", "bob"])
    }
}
