import Foundation
import Roster
import RosterSignIn
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Binding to the LDAP server with an app password", .timeLimit(.minutes(2)))
struct AppPasswordTests {
    private static func make(
        _ company: ServedCompany, for use: AppPassword.Use = .ldap, networks: [String] = []
    ) async throws -> String {
        try await company.signIn.makeAppPassword(
            named: "mail server \(use) \(networks)", for: use, networks: networks, of: "emma.mueller",
            in: company.directory.acting(as: .administrator("the test"))
        ).text
    }

    @Test("A user with a second factor, whose password is being guessed, binds and reads, and changes nothing")
    func reading() async throws {
        let company = try await ServedCompany()
        let password = try await Self.make(company)
        let emma = try await company.directory.unrestricted.users.user("emma.mueller")
        try await company.signIn.secondFactors.setQuestions(
            [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoe")], for: emma.id)
        try await onThread { [company] in
            let client = try company.client()
            for _ in 0..<12 { _ = try client.bind("emma.mueller", "wrong") }
            #expect(try client.bind(ServedCompany.emma, ServedCompany.password).result == .invalidCredentials)
            for name in [ServedCompany.emma, "emma.mueller", "emma.mueller@nordwind.example"] {
                #expect(try client.bind(name, password).result == .success, "\(name)")
            }
            #expect(try client.search(ServedCompany.emma, .base).entries.count == 1)
            let deleted = try client.ask { $0.text(ServedCompany.emma, 0x4A) }
            #expect(deleted.result == .insufficientAccessRights)
            let changed = try client.ask { $0.container(0x77) { $0.text(ExtendedOperation.passwordModify, 0x80) } }
            #expect(changed.result == .insufficientAccessRights)
        }
        await company.server.stop(timeout: .seconds(1))
        #expect(!company.log.all.contains { $0.contains(password) })
        let changes = try await company.directory.unrestricted.changes.since(0)
        #expect(
            changes.contains {
                $0.kind == .signedIn && $0.after["reason"]?.text?.hasPrefix("app password mail") == true
            })
        #expect(!changes.contains { "\($0)".contains(password) })
    }

    @Test("An app password for SCIM, of another user, or from another network gets the answer of a wrong password")
    func refused() async throws {
        let company = try await ServedCompany()
        let (good, other) = (try await Self.make(company), try await Self.make(company, for: .scim))
        let far = try await Self.make(company, networks: ["192.0.2.0/24"])
        let near = try await Self.make(company, networks: ["192.0.2.0/24", "127.0.0.0/8"])
        try await onThread { [company] in
            let client = try company.client()
            let wrong = try client.bind(ServedCompany.emma, "wrong")
            for (name, password) in [
                (ServedCompany.emma, other), (ServedCompany.emma, far), (ServedCompany.admin, good),
                ("uid=nobody," + ServedCompany.people, good),
            ] {
                let answer = try client.bind(name, password)
                #expect(answer.result == .invalidCredentials && answer.text == wrong.text, "\(name)")
            }
            #expect(try client.bind(ServedCompany.emma, near).result == .success)
        }
        await company.server.stop(timeout: .seconds(1))
    }

    @Test("A client that is bound has no rights any more when the app password is ended")
    func ended() async throws {
        let company = try await ServedCompany()
        let password = try await Self.make(company)
        let client = try await onThread { [company] in
            let client = try company.client()
            #expect(try client.bind(ServedCompany.emma, password).result == .success)
            #expect(try client.search(ServedCompany.emma, .base).end.result == .success)
            return client
        }
        let view = company.directory.acting(as: .administrator("the test"))
        let id = try #require(try await company.signIn.appPasswords(of: "emma.mueller", in: view).first?.id)
        try await company.signIn.endAppPassword(id, of: "emma.mueller", in: view)
        try await onThread {
            let after = try client.search(ServedCompany.emma, .base)
            #expect(after.entries.isEmpty && after.end.result == .strongerAuthRequired)
            #expect(try client.bind(ServedCompany.emma, password).result == .invalidCredentials)
        }
        await company.server.stop(timeout: .seconds(1))
    }
}
