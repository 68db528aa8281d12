import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("Behind a proxy")
struct ProxyTests {
    /// Whom a server that hears from 127.0.0.1 takes for the client.
    static func client(_ fields: String, trusting proxies: [String]) async throws -> String {
        var clientAddress = ""
        try await serving(trustedProxies: proxies, handler: { .now(text($0.clientAddress)) }) { served in
            clientAddress = try await served.ask("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").body
        }
        return clientAddress
    }

    @Test(
        "The client of a trusted proxy is the last address in X-Forwarded-For that is no trusted proxy's",
        arguments: [
            ("X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9"),
            ("X-Forwarded-For: 198.51.100.1, nonsense,203.0.113.9\t\r\n", "203.0.113.9"),
            ("X-Forwarded-For: 198.51.100.1, 203.0.113.9, 10.0.0.2, 127.0.0.1\r\n", "203.0.113.9"),
            ("x-forwarded-for: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9"),
            ("X-Forwarded-For: 2001:DB8:0::9, 0:0:0:0:0:0:0:1\r\n", "2001:db8::9"),
            ("X-Forwarded-For: ::ffff:203.0.113.9, ::FFFF:10.0.0.2\r\n", "203.0.113.9"),
        ])
    func trusted(fields: String, client: String) async throws {
        #expect(try await Self.client(fields, trusting: ["::ffff:127.0.0.1", "10.0.0.2", "::1"]) == client)
    }

    @Test(
        "A trusted proxy that says nothing that can be read is the client itself",
        arguments: [
            "", "X-Forwarded-For:\r\n", "X-Forwarded-For: 127.0.0.1\r\n", "X-Forwarded-For: unknown\r\n",
            "X-Forwarded-For: 203.0.113.9,\r\n", "X-Forwarded-For: 203.0.113.9, _hidden\r\n",
            "X-Forwarded-For: 203.0.113.9:80\r\n", "X-Forwarded-For: 203.0.113.256\r\n",
        ])
    func unreadable(fields: String) async throws {
        #expect(try await Self.client(fields, trusting: ["127.0.0.1"]) == "127.0.0.1")
    }

    @Test("Nobody else says who they are", arguments: [[], ["10.0.0.2", "127.0.0.2"]])
    func untrusted(proxies: [String]) async throws {
        #expect(try await Self.client("X-Forwarded-For: 203.0.113.9\r\n", trusting: proxies) == "127.0.0.1")
    }

    @Test("A trusted proxy holds more connections than one client may")
    func connections() async throws {
        try await serving(LimitTests.limits { $0.connectionsPerAddress = 2 }, trustedProxies: ["127.0.0.1"]) { served in
            let clients = try (0..<5).map { _ in try served.client() }
            for _ in 0..<2 {
                for client in clients { #expect(try await client.ask(get).status == 200) }
            }
        }
    }

    @Test(
        "What is no numeric address is no proxy", arguments: ["", "localhost", "10.0.0.0/8", "127.0.0.1:80", "[::1]"])
    func noAddress(text: String) {
        #expect(throws: HTTPServerError.badProxy(text)) { try TrustedProxies([text]) }
    }
}
