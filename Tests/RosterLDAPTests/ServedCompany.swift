import Foundation
import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport

@testable import RosterLDAP

/// The small company, in memory or on the tests' PostgreSQL server, served over LDAP. `admin` is an administrator,
/// `emma.mueller` is a user; both have the same password.
final class ServedCompany: Sendable {
    static let password = "a staple of correct horses"
    static let base = "dc=nordwind,dc=example"
    static let people = "ou=people," + base
    static let groups = "ou=groups," + base
    static let emma = "uid=emma.mueller," + people
    static let admin = "uid=admin," + people

    private let company: CompanyDirectory
    var directory: Directory { company.directory }
    let signIn: SignIn
    let server: LDAPServer
    /// The addresses at which the server listens.
    let addresses: [String]
    let port: UInt16
    let log = Log()

    /// The lines of the log.
    final class Log: Sendable {
        private let lines = Locked<[String]>([])
        func add(_ data: Data) {
            lines.withLock { $0 += String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init) }
        }
        var all: [String] { lines.withLock { $0 } }
    }

    init(
        _ change: (inout LDAPServer.Configuration) -> Void = { _ in }
    ) async throws {
        company = try CompanyDirectory()
        let directory = company.directory
        signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        let view = directory.acting(as: .administrator("the test"))
        if try await view.users.find("admin") == nil { try await view.users.create("admin") }
        let role = try await directory.unrestricted.awaitWrite {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        try await view.roles.add([.user("admin")], to: .id(role.id))
        for name in ["admin", "emma.mueller"] {
            try await signIn.setPassword(Self.password, of: .named(name), in: view)
        }
        var configuration = LDAPServer.Configuration(listen: ["ldap://127.0.0.1:0"], base: Self.base)
        configuration.log = { [log] in log.add($0) }
        change(&configuration)
        server = try LDAPServer(directory, signIn: signIn, configuration: configuration)
        addresses = try server.start()
        port = addresses.first?.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    func client() throws -> LDAPClient { try LDAPClient(port: port) }

    /// Runs a body with a bound client, on a thread of its own, and stops the server.
    static func serving<Value: Sendable>(
        as name: String? = ServedCompany.emma, _ body: @escaping @Sendable (ServedCompany, LDAPClient) throws -> Value
    ) async throws -> Value {
        let company = try await ServedCompany()
        let result: Result<Value, any Error>
        do {
            let client = try await onThread {
                let client = try company.client()
                if let name, try client.bind(name, password).result != .success { throw NoAnswer() }
                return client
            }
            // The record of the bind is a change, too, and would come in the middle of what the body compares.
            await company.signIn.flush()
            result = .success(try await onThread { try body(company, client) })
        } catch {
            result = .failure(error)
        }
        await company.server.stop(timeout: .seconds(2))
        return try result.get()
    }
}
