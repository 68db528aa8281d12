import Foundation
import Roster
import RosterServer
import RosterSignIn
import RosterText
import Testing
import TestSupport

@Suite("A server behind proxies and probes", .timeLimit(.minutes(1)))
struct PublicAddressTests {
    /// A running server with an administrator's token.
    struct Served: Sendable {
        let port: UInt16
        let token: String

        func ask(
            _ target: String, method: String = "GET", host: String = "id.example.com", body: String = ""
        ) async throws -> Response {
            try await RawClient(port: port).ask(
                "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    static func serving(_ publicURL: String, _ body: (Served) async throws -> Void) async throws {
        let directory = try Directory.inMemory()
        let token = try await APIToken.create(
            named: "ops", role: .administrator, expires: nil, in: directory.unrestricted
        ).text
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0", publicURL: publicURL))
        _ = try server.start()
        let port = try #require(server.port)
        do {
            try await body(Served(port: port, token: token))
        } catch {
            await server.stop(timeout: .seconds(2))
            throw error
        }
        await server.stop(timeout: .seconds(2))
    }

    @Test(
        "Below a path everything is served, whether the proxy takes the path away or not",
        arguments: ["", "/roster"])
    func path(kept: String) async throws {
        try await Self.serving("https://id.example.com/roster/") { served in
            for target in [
                "/", "/page.js", "/healthz", "/oauth2/sign-in", "/scim/v2/Users", "/openapi.json",
                "/.well-known/openid-configuration", "/oic_rest/rest/userprofile/people", "/db/_session",
            ] {
                let answer = try await served.ask(kept + target)
                #expect(answer.status == 200, "\(target)")
            }
            let nothing = try await served.ask(kept + "/nothing")
            #expect(nothing.status == 404)
        }
    }

    @Test("Addresses in answers have the path, and those of the page are relative")
    func addresses() async throws {
        try await Self.serving("https://id.example.com/roster") { served in
            let page = try await served.ask("/roster/").body
            #expect(page.contains("src=\"page.js\"") && !page.contains("=\"/"))
            let made = try await served.ask("/scim/v2/Users", method: "POST", body: #"{"userName":"ada"}"#)
            let base = "https://id.example.com/roster"
            #expect(made.field("Location")?.hasPrefix(base + "/scim/v2/Users/") == true)
            let person = try await served.ask(
                "/oic_rest/rest/userprofile/people", method: "POST", body: #"{"uid":"eve"}"#)
            let uri = "/roster/oic_rest/rest/userprofile/people/eve"
            #expect(person.field("Location") == "https://id.example.com" + uri)
            #expect(try JSONValue(parsing: Array(person.body.utf8))["uri"]?.text == uri)
            #expect(try await served.ask(uri).status == 200)
            let signIn = try await served.ask("/roster/oauth2/sign-in")
            #expect(signIn.body.contains("action=\"sign-in\""))
            #expect(signIn.field("Set-Cookie")?.contains("Path=/;") == true, "\(signIn.head)")
        }
        try await Self.serving("http://id.example.com/roster") { served in
            let signIn = try await served.ask("/roster/oauth2/sign-in")
            #expect(signIn.field("Set-Cookie")?.contains("Path=/roster/oauth2;") == true, "\(signIn.head)")
        }
    }

    @Test("The path without a slash leads to the page, and the issuer's metadata stands where RFC 8414 has it")
    func edges() async throws {
        try await Self.serving("https://id.example.com/roster") { served in
            let redirect = try await served.ask("/roster")
            #expect(redirect.status == 308 && redirect.field("Location") == "https://id.example.com/roster/")
            let metadata = try await served.ask("/.well-known/oauth-authorization-server/roster")
            #expect(
                try JSONValue(parsing: Array(metadata.body.utf8))["issuer"]?.text == "https://id.example.com/roster")
            #expect(try await served.ask("/rosters/healthz").status == 404)
        }
    }

    @Test("A path like that of an interface hides nothing", arguments: ["/scim", "/oauth2", "/db", "/admin"])
    func ambiguous(path: String) async throws {
        try await Self.serving("https://id.example.com" + path) { served in
            for target in ["/", "/scim/v2/Users", "/oauth2/sign-in", "/db/_session", "/admin/tokens"] {
                for prefix in ["", path] {
                    let answer = try await served.ask(prefix + target)
                    #expect(answer.status == 200, "\(prefix + target)")
                }
            }
        }
    }

    @Test("Probes are answered under any name, and nothing else is; the figures want their credentials")
    func probes() async throws {
        try await Self.serving("https://id.example.com") { served in
            for host in ["10.1.2.3:8080", "roster", "[fe80::1]:1", "id.example.com"] {
                for path in ["/healthz", "/readyz", "/metrics"] {
                    #expect(try await served.ask(path, host: host).status == 200, "\(host)\(path)")
                }
                let status = try await served.ask("/scim/v2/Users", host: host).status
                #expect(status == (host == "id.example.com" ? 200 : 421), "\(host)")
            }
            let figures = try await RawClient(port: served.port).ask("GET /metrics HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n")
            #expect(figures.status == 401)
        }
    }

    @Test("A target that names the host is served if the host is ours, whatever the field Host says")
    func absoluteForm() async throws {
        try await Self.serving("https://id.example.com") { served in
            let ours = try await served.ask("https://id.example.com/scim/v2/Users", host: "evil.example")
            let others = try await served.ask("http://evil.example/scim/v2/Users")
            #expect(ours.status == 200 && others.status == 421)
        }
    }

    @Test("A group that is larger than other bodies may be is put back by those who may change it, and by nobody else")
    func largeGroup() async throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        let provisioning = try await APIToken.create(named: "hr", role: .provisioning, expires: nil, in: view).text
        let watching = try await APIToken.create(named: "watch", role: .monitoring, expires: nil, in: view).text
        let role = try await view.roles.create("everybody")
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        _ = try server.start()
        let port = try #require(server.port)
        let body = #"{"displayName":"everybody","x":""# + String(repeating: "x", count: 2_000_000) + #""}"#
        for (token, status) in [(provisioning, 400), (watching, 413)] {
            for path in ["/\(role.id)", ""] {
                let client = try RawClient(port: port)
                let answer = try await client.ask(
                    "\(path.isEmpty ? "POST" : "PUT") /scim/v2/Groups\(path) HTTP/1.1\r\nHost: localhost\r\n"
                        + "Authorization: Bearer \(token)\r\n"
                        + "Content-Type: application/scim+json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                // What is allowed is read, and refused for its unknown attribute.
                #expect(answer.status == status, "\(answer.body)")
            }
        }
        await server.stop(timeout: .seconds(2))
    }
}
