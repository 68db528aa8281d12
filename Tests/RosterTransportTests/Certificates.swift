import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Certificates for tests, which OpenSSL makes: two authorities, servers' and clients' certificates.
final class Certificates: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-tls-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for authority in ["authority", "stranger"] {
            try Tool.run(
                "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", path("\(authority).key"), "-out", path("\(authority).pem"), "-subj", "/CN=\(authority)",
                "-days", "2")
        }
        try sign("right", by: "authority", names: "IP:127.0.0.1,DNS:localhost", days: "2")
        try sign("wrong", by: "authority", names: "DNS:example.com", days: "2")
        try sign("expired", by: "authority", names: "IP:127.0.0.1", days: "-1")
        try sign("unknown", by: "stranger", names: "IP:127.0.0.1", days: "2")
        try sign("client", by: "authority", names: "DNS:client", days: "2")
        try sign("impostor", by: "stranger", names: "DNS:client", days: "2")
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func sign(_ name: String, by authority: String, names: String, days: String) throws {
        let extensions = path("\(name).txt")
        try "subjectAltName=\(names)".write(toFile: extensions, atomically: true, encoding: .utf8)
        try Tool.run(
            "/usr/bin/openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            path("\(name).key"), "-out", path("\(name).csr"), "-subj", "/CN=\(name)")
        try Tool.run(
            "/usr/bin/openssl", "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey",
            path("\(authority).key"), "-CAcreateserial", "-out", path("\(name).pem"), "-days", days, "-extfile",
            extensions)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// `openssl s_server`, which answers each GET with a page about the connection.
final class TLSServer {
    let port: Int
    private let process = Process()

    init(_ certificates: Certificates, _ name: String, _ options: String...) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificates.path("\(name).pem"), "-key",
                certificates.path("\(name).key"),
            ] + options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The server tells its port in the line "ACCEPT 127.0.0.1:PORT".
        var text = ""
        var port: Int?
        while port == nil {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { throw Tool.Failure(text: text) }
            text += String(decoding: bytes, as: UTF8.self)
            port = text.firstMatch(of: #/ACCEPT \S*:(\d+)\n/#).flatMap { Int($0.1) }
        }
        self.port = port ?? 0
    }

    deinit {
        // The server has the signal mask of the thread that started it, which can block other signals.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
