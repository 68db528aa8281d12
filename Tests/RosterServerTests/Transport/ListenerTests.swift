import Foundation
import RosterREST
import Testing
import TestSupport

@testable import RosterServer

@Suite("Where a server listens")
struct ListenerTests {
    @Test(
        "Addresses are read and written alike",
        arguments: [
            "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:443", "[::]:0", "unix:/run/roster.sock", "systemd",
        ])
    func addresses(text: String) throws {
        #expect(try HTTPServer.Listener(text).description == text)
    }

    @Test(
        "What is no numeric address with a port is refused",
        arguments: [
            "", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "localhost:80",
            "::1:80",
            "[127.0.0.1]:80", "[::1]", "[::1:80", "256.0.0.1:80", "127.0.0.1:80 ", "unix:",
            "unix:/" + String(repeating: "a", count: 200),
        ])
    func badAddresses(text: String) {
        #expect(throws: HTTPServerError.badAddress(text)) { try HTTPServer.Listener(text) }
    }

    static func server(_ address: String) throws -> HTTPServer {
        try HTTPServer(
            listening: HTTPServer.Listener(address),
            handler: { .now(text("\($0.clientAddress) \($0.isConfidential)")) },
            failure: { status, _ in HTTPResponse(status) })
    }

    @Test("An address that is in use or not this machine's is named, and the server can be started later")
    func unavailable() async throws {
        let first = try Self.server("127.0.0.1:0")
        let port = try first.start()
        let second = try Self.server("127.0.0.1:\(port)")
        #expect(throws: HTTPServerError.addressInUse("127.0.0.1:\(port)")) { try second.start() }
        #expect(throws: HTTPServerError.addressNotAvailable("192.0.2.1:1")) { try Self.server("192.0.2.1:1").start() }
        await first.drain(timeout: .zero)
        #expect(try second.start() == port)
        await second.drain(timeout: .zero)
    }

    @Test("A Unix socket has its permissions and clients from 127.0.0.1, and an abandoned one is replaced")
    func unixSocket() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("socket-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("s").path
        for permissions in [0o660, 0o606] as [UInt16] {
            // The file of the first round is still there in the second one.
            let server = try HTTPServer(
                listening: HTTPServer.Listener("unix:\(path)", permissions: permissions),
                handler: { .now(text("\($0.clientAddress) \($0.isConfidential)")) },
                failure: { status, _ in HTTPResponse(status) })
            #expect(try server.start() == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.uint16Value == permissions)
            let answer = try await TLSTests.run(
                "curl", ["-s", "--max-time", "20", "--unix-socket", path, "http://localhost/"], in: folder)
            #expect(answer == "127.0.0.1 true")
            #expect(throws: HTTPServerError.addressInUse("unix:\(path)")) { try Self.server("unix:\(path)").start() }
            await server.drain(timeout: .zero)
        }
    }

    @Test("A file that is no socket is not replaced by one")
    func otherFile() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID())").path
        try Data("data".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: HTTPServerError.addressInUse("unix:\(path)")) { try Self.server("unix:\(path)").start() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "data")
    }

    @Test("Without a socket from systemd the server does not start")
    func nothingHandedOver() throws {
        let server = try Self.server("systemd")
        #expect(throws: HTTPServerError.notHandedOver) { try server.start() }
    }

    @Test("A client of IPv4 at a socket of IPv6 is called by its own address")
    func mapped() async throws {
        let server = try Self.server("[::]:0")
        let port = try server.start()
        let response = try await RawClient(port: port).ask(get)
        #expect(response.body == "127.0.0.1 true")
        await server.drain(timeout: .zero)
    }

    @Test(
        "Addresses that only this machine has are known",
        arguments: [
            ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false),
            ("::2", false), ("::", false), ("fe80::1", false), ("::ffff:10.0.0.1", false),
        ])
    func loopback(host: String, isLoopback: Bool) {
        #expect(SocketAddress(host: host, port: 1)?.isLoopback == isLoopback)
    }

    @Test("Clients of one network of IPv6 count as one")
    func sites() {
        let site = { SocketAddress(host: $0, port: 1)?.site }
        #expect(site("2001:db8::1") == site("2001:db8::ffff:2"))
        #expect(site("2001:db8::1") != site("2001:db8:0:1::1"))
        #expect(site("10.0.0.1") != site("10.0.0.2"))
        #expect(site("10.0.0.1") == site("::ffff:10.0.0.1"))
    }
}
