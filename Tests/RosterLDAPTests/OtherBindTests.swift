import Foundation
import Roster
import RosterSignIn
import RosterText
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Binding to the LDAP server as a program, with a certificate, and with a code", .timeLimit(.minutes(2)))
struct OtherBindTests {
    private static func token(_ company: ServedCompany, _ name: String, _ role: ProgramRole) async throws -> String {
        try await APIToken.create(
            named: name, role: role, expires: nil, in: company.directory.acting(as: .administrator("the test"))
        ).text
    }

    private static func identity(_ client: LDAPClient) throws -> String {
        let answer = try client.ask { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
        return String(decoding: answer.value ?? [], as: UTF8.self)
    }

    @Test("A program binds by its token's name with the token, until the token is revoked")
    func programs() async throws {
        let company = try await ServedCompany()
        let hr = try await Self.token(company, "hr", .provisioning)
        let ops = try await Self.token(company, "ops", .administrator)
        _ = try await Self.token(company, "idle", .monitoring)
        let client = try await onThread { [company] in
            let client = try company.client()
            let services = ",ou=services," + ServedCompany.base
            for (name, password) in [
                ("cn=hr" + services, ops), ("cn=nobody" + services, hr), ("cn=hr" + services, "wrong"),
                ("cn=admin," + ServedCompany.base, hr), ("cn=hr,ou=people," + ServedCompany.base, hr), ("hr", hr),
            ] {
                #expect(try client.bind(name, password).result == .invalidCredentials, "\(name)")
            }
            #expect(try client.bind("cn=admin," + ServedCompany.base, ops).result == .success)
            #expect(try Self.identity(client) == "dn:cn=admin," + ServedCompany.base)
            #expect(try client.bind("CN=HR, ou=Services," + ServedCompany.base, hr).result == .success)
            #expect(try client.search(ServedCompany.people, .one, .equal("uid", "emma.mueller")).entries.count == 1)
            return client
        }
        await company.signIn.flush()
        try await company.directory.acting(as: .administrator("the test")).awaitWrite { transaction in
            let unused = try transaction.apiTokens.all().filter { $0.lastUse == nil }
            #expect(unused.map(\.name) == ["idle"])
            try transaction.asPresentAdministrator(to: "test").apiTokens.revoke(named: "hr")
        }
        try await onThread {
            let end = try client.search(ServedCompany.people, .one).end
            #expect(end.result == .strongerAuthRequired)
        }
        await company.server.stop(timeout: .seconds(1))
        #expect(!company.log.all.contains { $0.contains(hr) || $0.contains(ops) })
    }

    @Test(
        "With the setting, a password with a code behind it binds a user with a second factor once",
        arguments: [true, false])
    func codes(isOn: Bool) async throws {
        let company = try await ServedCompany { $0.takesCodeAfterPassword = isOn }
        let emma = try await company.directory.unrestricted.users.user("emma.mueller")
        let (text, _) = try company.signIn.secondFactors.begin(for: emma.id, account: "emma")
        let secret = base32Decoded(text)
        func code(_ later: Int64) throws -> String {
            try OneTimePassword.code(secret, step: Int64(Date().timeIntervalSince1970) / 30 + later)
        }
        _ = try await company.signIn.secondFactors.confirm(code(-1), for: emma.id)
        let good = try code(0)
        try await onThread { [company] in
            let client = try company.client()
            for password in ["", good, ServedCompany.password + "000000", "wrong" + good] where !password.isEmpty {
                #expect(try client.bind("emma.mueller", password).result == .invalidCredentials)
            }
            let bound = try client.bind("emma.mueller", ServedCompany.password + good).result
            #expect(bound == (isOn ? .success : .invalidCredentials))
            #expect(try client.bind("emma.mueller", ServedCompany.password + good).result == .invalidCredentials)
            // Others bind as ever.
            #expect(try client.bind("admin", ServedCompany.password).result == .success)
        }
        await company.server.stop(timeout: .seconds(1))
    }

    @Test("A certificate of a trusted authority binds its user by EXTERNAL; others do not")
    func certificates() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-ldap-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        @Sendable func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        func openssl(_ arguments: String...) throws {
            let outcome = try Tool.run("openssl", arguments, environment: ["PATH": "/usr/bin"])
            guard outcome.status == 0 else { throw NoAnswer() }
        }
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        func certificate(_ name: String, _ subject: String, by authority: String, _ extensions: String) throws {
            let request = try Tool.run(
                "openssl",
                ["req"] + key + ["-keyout", path(name + ".key"), "-out", path(name + ".csr"), "-subj", subject],
                environment: ["PATH": "/usr/bin"])
            guard request.status == 0 else { throw NoAnswer() }
            try extensions.write(toFile: path(name + ".ext"), atomically: true, encoding: .utf8)
            try openssl(
                "x509", "-req", "-in", path(name + ".csr"), "-CA", path(authority + ".pem"), "-CAkey",
                path(authority + ".key"), "-CAcreateserial", "-days", "2", "-out", path(name + ".pem"), "-extfile",
                path(name + ".ext"))
        }
        for authority in ["ours", "theirs"] {
            let outcome = try Tool.run(
                "openssl",
                ["req", "-x509"] + key + [
                    "-keyout", path(authority + ".key"), "-out", path(authority + ".pem"), "-subj", "/CN=\(authority)",
                    "-days", "2",
                ], environment: ["PATH": "/usr/bin"])
            guard outcome.status == 0 else { throw NoAnswer() }
        }
        try certificate("server", "/CN=127.0.0.1", by: "ours", "subjectAltName=IP:127.0.0.1")
        let forClients = "extendedKeyUsage=clientAuth"
        try certificate("uid", "/O=x/UID=emma.mueller", by: "ours", forClients)
        try certificate(
            "mail", "/CN=Emma", by: "ours", forClients + "\nsubjectAltName=email:emma.mueller@nordwind.example")
        try certificate("dn", "/DC=example/DC=nordwind/OU=people/UID=emma.mueller", by: "ours", forClients)
        try certificate("nobody", "/UID=nobody", by: "ours", forClients)
        try certificate("stranger", "/UID=emma.mueller", by: "theirs", forClients)
        try certificate("web", "/UID=emma.mueller", by: "ours", "extendedKeyUsage=serverAuth")
        let company = try await ServedCompany {
            $0.tls = (path("server.pem"), path("server.key"))
            $0.clientAuthorities = path("ours.pem")
            $0.listen = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
        }
        @Sendable func whoAmI(_ name: String?, _ address: String, _ more: String...) throws -> Tool.Outcome {
            var environment = ["LDAPTLS_CACERT": path("ours.pem")]
            if let name {
                (environment["LDAPTLS_CERT"], environment["LDAPTLS_KEY"]) = (path(name + ".pem"), path(name + ".key"))
            }
            return try Tool.run(
                "ldapwhoami", ["-Q", "-Y", "EXTERNAL", "-H", address] + more, environment: environment)
        }
        try await onThread { [company] in
            let secure = company.addresses[1]
            for name in ["uid", "mail", "dn"] {
                let outcome = try whoAmI(name, secure)
                #expect(outcome.output == "dn:" + ServedCompany.emma + "\n", "\(name): \(outcome.errors)")
            }
            let started = try whoAmI("uid", company.addresses[0], "-ZZ")
            #expect(started.output == "dn:" + ServedCompany.emma + "\n", "\(started.errors)")
            for name in ["nobody", "stranger", "web", nil] {
                #expect(try whoAmI(name, secure).status != 0, "\(name ?? "none")")
            }
            try company.server.reload()
            #expect(try whoAmI("uid", secure).status == 0)
        }
        await company.server.stop(timeout: .seconds(1))
        await #expect(throws: LDAPServer.Failure.self) {
            try await ServedCompany { $0.clientAuthorities = path("ours.pem") }
        }
    }
}
