import Foundation
import TestSupport
import Testing

import RosterTransport

@Suite("TLS", .timeLimit(.minutes(3)))
struct TLSTests {
    private static let certificates = Result { try Certificates() }

    private func settings(client: String? = nil) throws -> TransportSettings {
        let certificates = try Self.certificates.get()
        var settings = TransportSettings()
        settings.authoritiesFile = certificates.path("authority.pem")
        settings.clientCertificate = client.map {
            .init(certificateFile: certificates.path("\($0).pem"), keyFile: certificates.path("\($0).key"))
        }
        return settings
    }

    private func send(
        _ server: TLSServer, _ settings: TransportSettings, host: String = "127.0.0.1"
    ) async throws -> TransportResponse {
        try await Transport(settings).send(TransportRequest("GET", "https://\(host):\(server.port)/"))
    }

    private func failure(
        _ server: TLSServer, _ settings: TransportSettings, host: String = "127.0.0.1"
    ) async throws -> TransportError {
        try await #require(throws: TransportError.self) { try await send(server, settings, host: host) }
    }

    @Test("A certificate of the given authority is accepted for each of its names, in TLS 1.2 and 1.3")
    func accepted() async throws {
        for version in ["-tls1_2", "-tls1_3"] {
            let server = try TLSServer(try Self.certificates.get(), "right", version)
            for host in ["127.0.0.1", "localhost"] {
                #expect(try await send(server, settings(), host: host).status == 200)
            }
        }
    }

    @Test("The system's authorities do not vouch for it, and the given one not for certificates of others")
    func untrusted() async throws {
        let server = try TLSServer(try Self.certificates.get(), "right")
        for error in [
            try await failure(server, TransportSettings()),
            try await failure(TLSServer(try Self.certificates.get(), "unknown"), settings()),
        ] {
            #expect(error.code == .tlsFailed && !error.mayHaveBeenSent && error.advice.contains("authority"))
        }
    }

    @Test("An authority of one's own is trusted beside those of the system")
    func furtherAuthority() async throws {
        var settings = TransportSettings()
        settings.furtherAuthoritiesFile = try Self.certificates.get().path("authority.pem")
        let server = try TLSServer(try Self.certificates.get(), "right")
        #expect(try await send(server, settings).status == 200)
        let unknown = try TLSServer(try Self.certificates.get(), "unknown")
        #expect(try await failure(unknown, settings).code == .tlsFailed)
    }

    @Test("A certificate of another host or of another time is refused, and the error of the latter names the clock")
    func wrong() async throws {
        let wrong = try await failure(TLSServer(try Self.certificates.get(), "wrong"), settings())
        #expect(wrong.code == .tlsFailed && !wrong.mayHaveBeenSent && wrong.advice.contains("host's name"))
        let expired = try await failure(TLSServer(try Self.certificates.get(), "expired"), settings())
        #expect(expired.code == .tlsFailed && !expired.mayHaveBeenSent && expired.advice.contains("clock"))
    }

    @Test("A server that wants a client's certificate takes the right one only", arguments: ["-tls1_2", "-tls1_3"])
    func clientCertificates(version: String) async throws {
        let certificates = try Self.certificates.get()
        let server = try TLSServer(
            certificates, "right", version, "-Verify", "1", "-verify_return_error", "-CAfile",
            certificates.path("authority.pem"))
        #expect(try await send(server, settings(client: "client")).status == 200)
        for client in [nil, "impostor"] {
            let error = try await failure(server, settings(client: client))
            #expect([.tlsFailed, .interrupted].contains(error.code), "\(error)")
        }
    }

    @Test("An encrypted key needs its passphrase, which no error shows")
    func passphrase() async throws {
        let certificates = try Self.certificates.get()
        let server = try TLSServer(certificates, "right")
        try Tool.run(
            "/usr/bin/openssl", "pkey", "-in", certificates.path("client.key"), "-aes256", "-passout", "pass:hunter2",
            "-out",
            certificates.path("locked.key"))
        for (passphrase, isRight) in [("hunter2", true), ("hunter3", false), (nil, false)] {
            var settings = try settings()
            settings.clientCertificate = .init(
                certificateFile: certificates.path("client.pem"), keyFile: certificates.path("locked.key"),
                passphrase: passphrase)
            if isRight {
                #expect(try await send(server, settings).status == 200)
            } else {
                let error = try await failure(server, settings)
                #expect(error.code == .tlsFailed && error.advice.contains("files") && !"\(error)".contains("hunter"))
            }
        }
    }

    @Test("Old versions of TLS are refused, and so is 1.2 if 1.3 is asked for; missing files are named as the cause")
    func versions() async throws {
        let certificates = try Self.certificates.get()
        let old = try TLSServer(certificates, "right", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        #expect(try await failure(old, settings()).code == .tlsFailed)
        let server = try TLSServer(certificates, "right", "-tls1_2")
        var request = TransportRequest("GET", "https://127.0.0.1:\(server.port)/")
        request.minimumTLS = .version13
        let newer = request
        let error = await #expect(throws: TransportError.self) { try await Transport(settings()).send(newer) }
        #expect(error?.code == .tlsFailed)
        var missing = TransportSettings()
        missing.authoritiesFile = "/no/such/file"
        #expect(try await failure(server, missing).advice.contains("files"))
    }

    @Test(
        "A server that does not speak TLS is an error of TLS, and one that is silent is given up at the time for connecting"
    )
    func notTLS() async throws {
        let plain = try SocketServer { peer in
            peer.send("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
            peer.waitForClose()
        }
        let error = await #expect(throws: TransportError.self) {
            try await Transport().send(TransportRequest("GET", "https://127.0.0.1:\(plain.port)/"))
        }
        #expect(error?.code == .tlsFailed && error?.mayHaveBeenSent == false)
        let silent = try SocketServer { $0.waitForNothing() }
        var request = TransportRequest("GET", "https://127.0.0.1:\(silent.port)/")
        request.connectTimeout = .milliseconds(300)
        let patient = request
        let timeout = await #expect(throws: TransportError.self) { try await Transport().send(patient) }
        #expect(timeout?.code == .timedOut && timeout?.mayHaveBeenSent == false)
    }
}
