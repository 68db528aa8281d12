import Foundation
import RosterREST
import RosterServer
import RosterTLS
import Testing
import TestSupport

@Suite("TLS")
struct TLSTests {
    /// Runs a command of the system and returns what it prints.
    @discardableResult
    static func run(_ command: String, _ arguments: [String], in folder: URL) async throws -> String {
        try await onThread {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/\(command)")
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
    }

    static func makeCertificate(_ name: String, in folder: URL, type: String = "rsa:2048") async throws {
        let curve = type == "ec" ? ["-pkeyopt", "ec_paramgen_curve:prime256v1"] : []
        try await run(
            "openssl",
            ["req", "-x509", "-newkey", type] + curve + [
                "-nodes", "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "1", "-subj", "/CN=\(name)",
                "-addext", "subjectAltName=IP:127.0.0.1",
            ], in: folder)
    }

    static func files(_ name: String, in folder: URL) -> HTTPServer.TLSFiles {
        HTTPServer.TLSFiles(
            certificate: folder.appendingPathComponent("\(name).pem").path,
            key: folder.appendingPathComponent("\(name).key").path)
    }

    static func fetch(_ port: UInt16, trusting name: String, in folder: URL, _ options: [String] = []) async throws
        -> String
    {
        try await run(
            "curl", ["-s", "--max-time", "20", "--cacert", "\(name).pem"] + options + ["https://127.0.0.1:\(port)/a"],
            in: folder)
    }

    @Test("A client that trusts the certificate is served, of either kind of key", arguments: ["rsa:2048", "ec"])
    func serves(type: String) async throws {
        try await withFolder { folder in
            try await Self.makeCertificate("one", in: folder, type: type)
            try await serving(
                tls: Self.files("one", in: folder), handler: { .now(text("\($0.target) \($0.isConfidential)")) }
            ) { served in
                #expect(try await Self.fetch(served.port, trusting: "one", in: folder) == "/a true")
                #expect(
                    try await Self.fetch(served.port, trusting: "one", in: folder, ["--tls-max", "1.2"]) == "/a true")
                #expect(try await Self.fetch(served.port, trusting: "one", in: folder, ["--tls-max", "1.1"]) == "")
                // What is no TLS is closed.
                let plain = try served.client()
                try await plain.send(get)
                #expect(try await plain.closes())
            }
        }
    }

    private static func withTwoCertificates(_ body: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            for name in ["one", "two"] { try await makeCertificate(name, in: folder) }
            try await body(folder)
        }
    }

    @Test("A new certificate is used from the next handshake on, and no request fails meanwhile")
    func reload() async throws {
        try await Self.withTwoCertificates { folder in
            let files = Self.files("live", in: folder)
            func install(_ name: String) throws {
                for (new, live) in [("\(name).pem", files.certificate), ("\(name).key", files.key)] {
                    let data = try Data(contentsOf: folder.appendingPathComponent(new))
                    try data.write(to: URL(fileURLWithPath: live), options: .atomic)
                }
            }
            try install("one")
            let handler = DrainTests.later(.milliseconds(300))
            try await serving(tls: files, handler: handler) { served in
                #expect(try await Self.fetch(served.port, trusting: "one", in: folder).hasPrefix("GET /a"))
                await served.eventually("the first is over") { served.server.statistics.connections == 0 }
                async let before = Self.fetch(served.port, trusting: "one", in: folder)
                await served.eventually("in flight") { served.server.statistics.requestsInFlight == 1 }
                try install("two")
                try served.server.reloadTLS()
                #expect(try await Self.fetch(served.port, trusting: "two", in: folder).hasPrefix("GET /a"))
                #expect(try await Self.fetch(served.port, trusting: "one", in: folder) == "")
                let answer = try await before
                #expect(answer.hasPrefix("GET /a"))
            }
        }
    }

    @Test("Bad files are named, and what was read before stays in use")
    func badFiles() async throws {
        try await Self.withTwoCertificates { folder in
            let good = Self.files("one", in: folder)
            let garbage = folder.appendingPathComponent("garbage").path
            try Data("-----BEGIN CERTIFICATE-----\nxx".utf8).write(to: URL(fileURLWithPath: garbage))
            func start(_ certificate: String, _ key: String) throws {
                _ = try HTTPServer(
                    listening: HTTPServer.Listener("127.0.0.1:0"), tls: .init(certificate: certificate, key: key),
                    handler: { .now(describe($0)) }, failure: { status, _ in HTTPResponse(status) })
            }
            for path in [garbage, "/nowhere", good.key] {
                #expect(throws: HTTPServerError.badCertificate(path: path)) { try start(path, good.key) }
            }
            for path in [garbage, "/nowhere", good.certificate] {
                #expect(throws: HTTPServerError.badKey(path: path)) { try start(good.certificate, path) }
            }
            let other = Self.files("two", in: folder).key
            #expect(throws: HTTPServerError.keyDoesNotFit(path: other)) { try start(good.certificate, other) }

            try await serving(tls: good) { served in
                try Data().write(to: URL(fileURLWithPath: good.key))
                #expect(throws: HTTPServerError.badKey(path: good.key)) { try served.server.reloadTLS() }
                #expect(try await Self.fetch(served.port, trusting: "one", in: folder).hasPrefix("GET /a"))
            }
        }
    }

    @Test("A handshake that does not come ends at the deadline of the head")
    func slowHandshake() async throws {
        try await withFolder { folder in
            try await Self.makeCertificate("one", in: folder, type: "ec")
            try await serving(DeadlineTests.short, tls: Self.files("one", in: folder)) { served in
                let client = try served.client()
                try await client.send("\u{16}")
                #expect(try await client.closes())
                #expect(served.server.statistics.late == 1)
            }
        }
    }

    @Test("A server of TLS ends although clients hold connections")
    func drain() async throws {
        try await withFolder { folder in
            try await Self.makeCertificate("one", in: folder, type: "ec")
            try await serving(tls: Self.files("one", in: folder), handler: DrainTests.later(.milliseconds(300))) {
                served in
                let idle = try served.client()
                async let answer = Self.fetch(served.port, trusting: "one", in: folder)
                await served.eventually("in flight") { served.server.statistics.requestsInFlight == 1 }
                await served.server.drain(timeout: .seconds(10))
                let body = try await answer
                #expect(body.hasPrefix("GET /a"))
                #expect(try await idle.closes())
            }
        }
    }
}
