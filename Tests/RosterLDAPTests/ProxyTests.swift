import Roster
import RosterSignIn
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Acting for users over LDAP", .timeLimit(.minutes(2)))
struct ProxyTests {
    private static func token(_ company: ServedCompany, _ name: String, _ role: ProgramRole) async throws -> String {
        try await APIToken.create(
            named: name, role: role, expires: nil, in: company.directory.acting(as: .administrator("the test"))
        ).text
    }

    private static func acting(as name: String, isCritical: Bool = true) -> LDAPControl {
        LDAPControl(
            identifier: SupportedControl.proxiedAuthorization, isCritical: isCritical, value: Array(name.utf8))
    }

    private static func whoAmI(_ client: LDAPClient, _ controls: LDAPControl...) throws -> Answer {
        try client.ask(controls: controls) { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
    }

    private static func retitle(_ client: LDAPClient, _ dn: String, _ title: String, _ control: LDAPControl) throws
        -> Answer
    {
        try client.ask(controls: [control]) { writer in
            writer.container(0x66) { writer in
                writer.text(dn)
                writer.container { writer in
                    writer.container { writer in
                        writer.enumerated(2)
                        writer.container { writer in
                            writer.text("title")
                            writer.container(BERReader.Tag.set) { $0.text(title) }
                        }
                    }
                }
            }
        }
    }

    @Test("A program with an administrator's token acts for a user with the user's rights, for one request")
    func requests() async throws {
        let company = try await ServedCompany()
        let token = try await Self.token(company, "web", .administrator)
        let other = try await Self.token(company, "hr", .provisioning)
        let client = try await onThread { [company] in
            let client = try company.client()
            #expect(try client.bind("cn=admin," + ServedCompany.base, token).result == .success)
            for name in ["u:emma.mueller", "dn:" + ServedCompany.emma] {
                let answer = try Self.whoAmI(client, Self.acting(as: name))
                #expect(String(decoding: answer.value ?? [], as: UTF8.self) == "dn:" + ServedCompany.emma)
            }
            let own = try Self.whoAmI(client)
            #expect(String(decoding: own.value ?? [], as: UTF8.self) == "dn:cn=admin," + ServedCompany.base)
            // A user may not change the title of somebody else; the program itself may.
            let emma = Self.acting(as: "u:emma.mueller")
            #expect(try Self.retitle(client, ServedCompany.admin, "Boss", emma).result == .insufficientAccessRights)
            let asNobody = try client.search(ServedCompany.people, controls: [Self.acting(as: "")])
            #expect(asNobody.end.result == .insufficientAccessRights)
            let found = try client.search(ServedCompany.emma, .base, controls: [emma])
            #expect(found.entries.count == 1)
            // Nobody gets a page of another caller's search.
            let page = try client.search(
                ServedCompany.people, .one, .present("uid"), ["uid"], controls: [Message.page(3), emma])
            let cookie = try #require(try Message.cookie(page.end))
            let stolen = try client.search(
                ServedCompany.people, .one, .present("uid"), ["uid"], controls: [Message.page(3, cookie)])
            #expect(stolen.end.result == .unwillingToPerform)
            return client
        }
        try await onThread { [company] in
            for name in ["u:nobody", "emma.mueller", "dn:" + ServedCompany.groups, "dn:nonsense"] {
                #expect(try Self.whoAmI(client, Self.acting(as: name)).result == .authorizationDenied, "\(name)")
            }
            let careless = try Self.whoAmI(client, Self.acting(as: "u:emma.mueller", isCritical: false))
            #expect(careless.result == .protocolError)
            let others = try company.client()
            for (name, password) in [
                ("cn=hr,ou=services," + ServedCompany.base, other), (ServedCompany.admin, ServedCompany.password),
            ] {
                #expect(try others.bind(name, password).result == .success)
                let answer = try Self.whoAmI(others, Self.acting(as: "u:emma.mueller"))
                #expect(answer.result == .authorizationDenied, "\(name)")
            }
            try company.directory.unrestricted.users.modify("emma.mueller", attributes: ["active": false])
            let disabled = try Self.whoAmI(client, Self.acting(as: "u:emma.mueller"))
            #expect(disabled.result == .authorizationDenied)
            try company.directory.unrestricted.users.modify("emma.mueller", attributes: ["active": true])
        }
        try await company.directory.acting(as: .administrator("the test")).awaitWrite {
            try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "web")
        }
        try await onThread {
            let ended = try Self.whoAmI(client, Self.acting(as: "u:emma.mueller"))
            #expect(ended.result == .strongerAuthRequired)
        }
        await company.server.stop(timeout: .seconds(1))
        #expect(company.log.all.contains { $0.contains("\"program\":\"web\"") && $0.contains("emma.mueller") })
    }

    @Test("EXTERNAL over a local socket takes an authorization identity from whoever runs the server")
    func sasl() async throws {
        let path = "/tmp/roster-\(UInt32.random(in: 0..<(.max)))"
        let address = "ldapi://" + path.replacing("/", with: "%2F")
        let company = try await ServedCompany { $0.listen.append(address) }
        try await onThread { () throws in
            func whoAmI(_ more: String...) throws -> Tool.Outcome {
                try Tool.run("ldapwhoami", ["-Q", "-Y", "EXTERNAL", "-H", address] + more)
            }
            #expect(try whoAmI("-X", "u:emma.mueller").output == "dn:" + ServedCompany.emma + "\n")
            #expect(try whoAmI("-X", "u:nobody").status == 49)
            #expect(try whoAmI().output.hasPrefix("dn:gidNumber="))
        }
        await company.server.stop(timeout: .seconds(1))
    }
}
