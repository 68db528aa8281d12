import Foundation
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("TLS and local sockets of the LDAP server", .timeLimit(.minutes(2)))
struct TLSTests {
    /// A certificate for 127.0.0.1 that signs itself, by OpenSSL.
    private final class Certificate: Sendable {
        let folder: URL
        var certificate: String { folder.appendingPathComponent("server.pem").path }
        var key: String { folder.appendingPathComponent("server.key").path }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-ldap-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let outcome = try Tool.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                    "-out",
                    certificate, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                ], environment: ["PATH": "/usr/bin"])
            guard outcome.status == 0 else { throw NoAnswer() }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private func search(_ address: String, _ certificate: Certificate, _ more: String...) throws -> Tool.Outcome {
        try Tool.run(
            "ldapsearch",
            [
                "-x", "-LLL", "-H", address, "-D", ServedCompany.emma, "-w", ServedCompany.password, "-b",
                ServedCompany.base,
            ]
                + more + ["(uid=*)", "*", "+"],
            environment: ["LDAPTLS_CACERT": certificate.certificate])
    }

    @Test("LDAPS and StartTLS serve the same entries, also large answers, and the certificate is read again")
    func tls() async throws {
        let certificate = try Certificate()
        let company = try await ServedCompany {
            $0.tls = (certificate.certificate, certificate.key)
            $0.listen = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
        }
        let secure = company.addresses[1]
        try await onThread {
            let plain = try search("ldap://127.0.0.1:\(company.port)", certificate)
            let started = try search("ldap://127.0.0.1:\(company.port)", certificate, "-ZZ")
            let whole = try search(secure, certificate)
            #expect(plain.status == 0 && plain.output.utf8.count > 50_000)
            #expect(started.status == 0 && started.output == plain.output, "\(started.errors)")
            #expect(whole.status == 0 && whole.output == plain.output, "\(whole.errors)")
            try company.server.reload()
            #expect(try search(secure, certificate).status == 0)
        }
        await company.server.stop(timeout: .seconds(1))
    }

    @Test("Without a certificate, LDAPS and other machines are refused at the start")
    func refused() async throws {
        await #expect(throws: LDAPServer.Failure.self) {
            try await ServedCompany { $0.listen = ["ldaps://127.0.0.1:0"] }
        }
        await #expect(throws: LDAPServer.Failure.self) {
            try await ServedCompany { $0.listen = ["ldap://0.0.0.0:0"] }
        }
    }

    @Test("A local socket serves, and is removed at the stop")
    func localSocket() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID()).sock").path
        let address = "ldapi://" + path.replacing("/", with: "%2F")
        let company = try await ServedCompany { $0.listen = [address] }
        let outcome = try await onThread {
            try Tool.run("ldapwhoami", ["-x", "-H", address, "-D", "emma.mueller", "-w", ServedCompany.password])
        }
        #expect(outcome.output == "dn:" + ServedCompany.emma + "\n", "\(outcome.errors)")
        await company.server.stop(timeout: .seconds(1))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "An address is read in the forms that other servers take",
        arguments: [
            ("ldap://127.0.0.1", "ldap://127.0.0.1:389"), ("ldaps://[::1]", "ldaps://[::1]:636"),
            ("ldap://[::1]:3890/", "ldap://[::1]:3890"), ("ldapi://%2Frun%2Fldapi", "ldapi://%2Frun%2Fldapi"),
        ])
    func addresses(text: String, shown: String) throws {
        #expect(try LDAPAddress(text).description == shown)
    }

    @Test(
        "What is no address is refused",
        arguments: ["", "127.0.0.1", "http://127.0.0.1", "ldap://example.com", "ldap://1.2.3.4:x", "ldapi://x"])
    func noAddresses(text: String) { #expect(throws: LDAPServer.Failure.self) { try LDAPAddress(text) } }
}
