import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Binding to the LDAP server", .timeLimit(.minutes(2)))
struct BindTests {
    @Test(
        "A user binds by distinguished name, name and mail address in any spelling",
        arguments: [
            ServedCompany.emma, "UID=Emma.Mueller , OU=People,DC=Nordwind, DC=example", "emma.mueller",
            "emma.mueller@nordwind.example", "NORDWIND\\emma.mueller", "uid=emma\\2emueller," + ServedCompany.people,
        ])
    func names(name: String) async throws {
        let identity = try await ServedCompany.serving(as: name) { _, client in
            let answer = try client.ask { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
            return String(decoding: answer.value ?? [], as: UTF8.self)
        }
        #expect(identity == "dn:" + ServedCompany.emma)
    }

    @Test("A wrong password and an unknown name get the same answer, and leave an anonymous client")
    func wrong() async throws {
        let (known, unknown, identity) = try await ServedCompany.serving { company, client in
            let known = try client.bind(ServedCompany.emma, "wrong")
            let unknown = try client.bind("uid=nobody," + ServedCompany.people, "wrong")
            let answer = try client.ask { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
            return (known, unknown, String(decoding: answer.value ?? [], as: UTF8.self))
        }
        #expect(known.result == .invalidCredentials && known.text == unknown.text && unknown.code == known.code)
        #expect(identity == "")
    }

    @Test("A name without a password is refused, and never taken for an anonymous bind")
    func emptyPassword() async throws {
        let (empty, anonymous) = try await ServedCompany.serving(as: nil) { _, client in
            (try client.bind(ServedCompany.emma, ""), try client.bind("", ""))
        }
        #expect(empty.result == .unwillingToPerform)
        #expect(anonymous.result == .success)
    }

    @Test("Anonymous clients read the root DSE and the schema, and nothing else")
    func anonymous() async throws {
        try await ServedCompany.serving(as: nil) { _, client in
            let root = try client.search("", .base, .present("objectClass"), ["*", "+"])
            #expect(root.entries.first?.attributes["namingContexts"] == [ServedCompany.base])
            #expect(root.entries.first?.attributes["supportedLDAPVersion"] == ["3"])
            let schema = try client.search(
                "cn=Subschema", .base, .equal("objectClass", "subschema"), ["attributeTypes"])
            #expect((schema.entries.first?.attributes["attributeTypes"] ?? []).count > 50)
            for base in [ServedCompany.base, ServedCompany.people, ServedCompany.emma, ServedCompany.groups] {
                let found = try client.search(base)
                #expect(found.entries.isEmpty && found.end.result == .insufficientAccessRights, "\(base)")
            }
        }
    }

    @Test("Failed binds delay further ones, and the change feed tells of them with the address")
    func delays() async throws {
        let entries = try await ServedCompany.serving(as: nil) { company, client in
            for _ in 0..<12 { _ = try client.bind("emma.mueller", "wrong") }
            #expect(try client.bind("emma.mueller", ServedCompany.password).result == .invalidCredentials)
            return company
        }
        let changes = try await entries.directory.unrestricted.changes.since(0)
        let refusals = changes.filter { $0.kind == .refused }
        #expect(!refusals.isEmpty)
    }

    @Test("A changed password and a disabled account end the rights of a bound connection")
    func ended() async throws {
        let company = try await ServedCompany()
        try await onThread { [company] in
            let client = try company.client()
            guard try client.bind("emma.mueller", ServedCompany.password).result == .success else { throw NoAnswer() }
            #expect(try client.search(ServedCompany.emma, .base).end.result == .success)
            try company.directory.acting(as: .administrator("the test")).users.modify(
                "emma.mueller", attributes: ["active": false])
            let after = try client.search(ServedCompany.emma, .base)
            #expect(after.entries.isEmpty && after.end.result == .strongerAuthRequired)
        }
        await company.server.stop(timeout: .seconds(1))
    }

    @Test("The log has one line for each operation, and no password")
    func log() async throws {
        let company = try await ServedCompany.serving { company, client in
            _ = try client.search(ServedCompany.people, .one, .equal("uid", "emma.mueller"))
            return company
        }
        let lines = company.log.all
        #expect(lines.count == 2)
        #expect(lines.last?.contains("\"ldap\":\"search\"") == true && lines.last?.contains("\"entries\":1") == true)
        #expect(!lines.contains { $0.contains(ServedCompany.password) })
    }
}
