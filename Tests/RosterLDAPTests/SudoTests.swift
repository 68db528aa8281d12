import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Roles for sudo in LDAP", .timeLimit(.minutes(2)))
struct SudoTests {
    private static let sudoers = "ou=sudoers," + ServedCompany.base

    private static func declare(_ company: ServedCompany) throws {
        let view = company.directory.unrestricted
        for name in ["sudoHost", "sudoCommand", "sudoOption"] {
            try view.attributes.declare(AttributeDefinition(AttributeName(name), of: .role, isMultiValued: true))
        }
        try view.roles.modify(
            "engineering",
            attributes: ["sudoHost": ["ALL"], "sudoCommand": ["/usr/bin/apt-get", "!/bin/sh"]])
        try view.roles.modify("finance", attributes: ["sudoHost": ["books"], "sudoCommand": ["ALL"]])
        try view.roles.create("defaults", attributes: ["sudoOption": ["!authenticate"]])
    }

    @Test("Roles with commands are entries for sudo, and their members, also through other roles, are its users")
    func entries() async throws {
        try await ServedCompany.serving { company, client in
            #expect(try client.search(Self.sudoers).end.result == .noSuchObject)
            let before = try client.search(ServedCompany.base, .one).entries.map(\.dn)
            #expect(!before.contains(Self.sudoers))
            try Self.declare(company)
            let all = try client.search(Self.sudoers, .subtree, .present("objectClass"), ["*", "+"])
            let name = "cn=engineering," + Self.sudoers
            #expect(
                all.entries.map(\.dn) == [
                    Self.sudoers, "cn=defaults," + Self.sudoers, name, "cn=finance," + Self.sudoers,
                ])
            let entry = try #require(all.entries.first { $0.dn == name })
            #expect(entry.attributes["objectClass"] == ["top", "sudoRole"])
            #expect(entry.attributes["sudoCommand"] == ["/usr/bin/apt-get", "!/bin/sh"])
            let members = try company.directory.unrestricted.roles.users(of: "engineering", reach: .effective)
            #expect(entry.attributes["sudoUser"].map(Set.init) == Set(members.map(\.uid)))
            #expect(entry.attributes["sudoUser"]?.contains("emma.mueller") == true)
            #expect(entry.attributes["entryUUID"]?.count == 1)
            // Every attribute and class is described.
            let schema = try client.search(
                "cn=Subschema", .base, .present("objectClass"), ["attributeTypes", "objectClasses"])
            let described = (schema.entries.first?.attributes.values.flatMap { $0 } ?? []).joined().lowercased()
            for name in all.entries.flatMap({ Array($0.attributes.keys) + ($0.attributes["objectClass"] ?? []) }) {
                #expect(described.contains("'\(name.lowercased())'"), "\(name)")
            }
        }
    }

    @Test("The filters of sudo and of sssd find the rules of a user and of a host")
    func filters() async throws {
        try await ServedCompany.serving { company, client in
            try Self.declare(company)
            func found(_ filter: String, below base: String = Self.sudoers) throws -> [String] {
                let outcome = try company.tool("ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b", base, filter, "cn")
                #expect(outcome.status == 0, "\(outcome.errors)")
                return outcome.output.split(separator: "\n").filter { $0.hasPrefix("cn: ") }
                    .map { String($0.dropFirst(4)) }
            }
            #expect(try found("(&(objectClass=sudoRole)(cn=defaults))") == ["defaults"])
            #expect(
                try found(
                    "(&(objectClass=sudoRole)(|(sudoUser=emma.mueller)(sudoUser=%staff)(sudoUser=#1000)(sudoUser=ALL)))"
                ) == ["engineering"])
            #expect(try found("(&(objectClass=sudoRole)(sudoUser=*)(sudoUser=+*))").isEmpty)
            let host = "(|(!(sudoHost=*))(sudoHost=ALL)(sudoHost=web)(sudoHost=10.0.0.1)(sudoHost=+*)"
            let sssd = "(&(objectClass=sudoRole)\(host)(|(sudoHost=*\\\\*)(sudoHost=*?*)(sudoHost=*\\2A*))))"
            #expect(try found(sssd) == ["defaults", "engineering"])
            // sssd searches the whole tree unless it is told where.
            #expect(try found(sssd, below: ServedCompany.base) == ["defaults", "engineering"])
            #expect(try found("(&(objectclass=sudoRole)(modifyTimestamp>=20200101000000Z))").count == 3)
            #expect(try found("(&(objectclass=sudoRole)(modifyTimestamp>=20990101000000Z))").isEmpty)
            // The groups themselves are found as ever, and once.
            #expect(try found("(&(objectClass=groupOfNames)(cn=finance))", below: ServedCompany.base) == ["finance"])
            try company.directory.unrestricted.users.modify("emma.mueller", attributes: ["active": false])
            #expect(
                try company.tool("ldapsearch", as: "admin", "-b", Self.sudoers, "(sudoUser=emma.mueller)").output
                    .contains("numEntries") == false)
        }
    }

    @Test("The entries for sudo cannot be changed; their roles can")
    func changes() async throws {
        try await ServedCompany.serving(as: ServedCompany.admin) { company, client in
            try Self.declare(company)
            let name = "cn=finance," + Self.sudoers
            #expect(try client.ask { $0.text(name, 0x4A) }.result == .unwillingToPerform)
            let compared = try company.tool("ldapcompare", as: "admin", name, "sudoCommand:ALL")
            #expect(compared.status == 6, "\(compared.errors)")
            let changed = try company.tool(
                "ldapmodify", as: "admin",
                input: """
                    dn: cn=finance,\(ServedCompany.groups)
                    changetype: modify
                    replace: sudoHost
                    sudoHost: ledger
                    """)
            #expect(changed.status == 0, "\(changed.errors)")
            let found = try client.search(name, .base).entries.first
            #expect(found?.attributes["sudoHost"] == ["ledger"])
            #expect(try client.search("cn=sales," + Self.sudoers, .base).end.result == .noSuchObject)
            let count = try client.search(Self.sudoers, .base, .present("ou"), ["numSubordinates"]).entries.first
            #expect(count?.attributes["numSubordinates"] == ["3"])
        }
    }
}
