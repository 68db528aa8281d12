import Foundation
import Roster
import RosterREST
import RosterServer
import RosterSignIn
import RosterTLS
import RosterText
import Testing
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What an operator sees of a server of a file", .timeLimit(.minutes(1)))
struct OperatingTests {
    private func fetch(_ target: String, at address: String, _ options: [String] = [], in folder: URL) async throws
        -> String
    {
        try await TLSTests.run(
            "curl", ["-s", "-k", "-i", "--max-time", "20"] + options + [address + target], in: folder)
    }

    @Test("With TLS, answers and the files of the page tell browsers to use https only; without it, none does")
    func transportSecurity() async throws {
        try await withFolder { folder in
            try await TLSTests.makeCertificate("one", in: folder)
            let files = TLSTests.files("one", in: folder)
            for tls in [nil, (certificate: files.certificate, key: files.key)] {
                let server = try DirectoryServer(
                    Directory.inMemory(), configuration: .init(listen: "127.0.0.1:0", tls: tls))
                let address = try server.start()
                for path in ["/", "/healthz", "/scim/v2/Users"] {
                    let answer = try await fetch(path, at: address, in: folder).lowercased()
                    #expect(answer.hasPrefix("http/1.1 "))
                    #expect(
                        answer.contains("strict-transport-security: max-age=31536000\r\n") == (tls != nil), "\(path)")
                }
                await server.stop(timeout: .seconds(2))
            }
        }
    }

    @Test("The figures tell the sizes, the free space, the last backup, and when the certificate expires")
    func figures() async throws {
        try await withFolder { folder in
            try await TLSTests.makeCertificate("one", in: folder)
            let files = TLSTests.files("one", in: folder)
            let directory = try Directory(at: folder.appendingPathComponent("company.db"))
            defer { directory.close() }
            let server = try DirectoryServer(
                directory,
                configuration: .init(listen: "127.0.0.1:0", tls: (certificate: files.certificate, key: files.key)))
            let address = try server.start()
            let signIn = try #require(server.signIn)
            let token = try await APIToken.create(
                named: "watch", role: .monitoring, expires: nil, in: directory.unrestricted
            ).text
            func figures() async throws -> [String: Double] {
                let options = ["-H", "Authorization: Bearer \(token)"]
                let text = try await fetch("/metrics", at: address, options, in: folder)
                var values: [String: Double] = [:]
                for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("roster_") {
                    let parts = line.split(separator: " ")
                    values[String(parts[0].prefix { $0 != "{" }), default: 0] += Double(parts[parts.count - 1]) ?? 0
                }
                return values
            }
            _ = try await fetch("/scim/v2/Users", at: address, ["-u", "nobody:wrong password"], in: folder)
            let first = try await figures()
            #expect(first["roster_file_bytes"].map { $0 >= 4_096 } == true)
            #expect(first["roster_log_bytes"].map { $0 > 0 } == true)
            #expect(first["roster_disk_free_bytes"].map { $0 > 0 } == true)
            #expect(first["roster_tls_certificate_expires_seconds"].map { (80_000...86_400).contains($0) } == true)
            #expect(first["roster_signing_key_age_seconds"].map { (0...60).contains($0) } == true)
            #expect(first["roster_sign_ins_refused_total"] == 1)
            #expect(first["roster_followers"] == 0 && first["roster_reads_refused_total"] == 0)
            #expect(first["roster_last_backup_timestamp_seconds"] == nil, "there was none")
            try await directory.backup(to: folder.appendingPathComponent("copy.db"))
            let last = try await figures()["roster_last_backup_timestamp_seconds"]
            #expect(last.map { abs($0 - Date().timeIntervalSince1970) < 60 } == true)
            #expect(signIn.oauth.refusals.counts.first { $0.reason == "wrong" }?.count == 1)
            await server.stop(timeout: .seconds(2))
        }
    }
}

/// Alone, since a disk that does not answer within two seconds is a problem as well.
@Suite("Whether the disk of a server takes changes")
struct StorageProbeTimingTests {
    @Test("A server is not ready while its disk has too little space or takes no file, and says why in one word")
    func readiness() async throws {
        try await withFolder { folder in
            let inside = folder.appendingPathComponent("inside")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: false)
            let directory = try Directory(at: inside.appendingPathComponent("company.db"))
            defer { directory.close() }
            #expect(await StorageProbe(directory)?.problem() == nil)
            let full = await StorageProbe(directory, leastSpace: .max)?.problem()
            #expect(full == .diskFull)
            try FileManager.default.moveItem(at: inside, to: folder.appendingPathComponent("elsewhere"))
            #expect(await StorageProbe(directory)?.problem() == .diskFailed)
        }
    }
}
