import Foundation
import Roster
import RosterServer
import RosterSignIn
import RosterText
import Testing
import TestSupport

/// A browser that keeps cookies and follows nothing by itself.
private struct Browser {
    let port: UInt16
    var cookies: [String: String] = [:]

    mutating func ask(_ method: String, _ target: String, form: [(String, String)]? = nil) async throws -> Response {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        if !cookies.isEmpty {
            head += "Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") + "\r\n"
        }
        let body = form.map { pairs in
            pairs.map { "\($0.0)=" + ($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") }
                .joined(separator: "&")
        }
        if let body {
            head += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        let response = try await RawClient(port: port).ask(head + "\r\n" + (body ?? ""))
        for line in response.head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("set-cookie:") {
            let pair = line.dropFirst("set-cookie:".count).prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let name = pair[0].trimmingCharacters(in: .whitespaces)
            cookies[name] = pair.count == 2 && !line.contains("Max-Age=0") ? String(pair[1]) : nil
        }
        return response
    }

    /// Goes to the provider, says who it is, and is told where to go back to.
    mutating func visit(as name: String = "mira", offline: Bool = false, deny: Bool = false) async throws -> Callback {
        let going = try await ask("GET", "/db/_oidc" + (offline ? "?offline=true" : ""))
        let query = try Callback(going).items
        let answered = try await ask(
            "POST", "/db/_oidc_testing/authenticate",
            form: query + [("username", name)] + (deny ? [("decision", "deny")] : []))
        return try Callback(answered)
    }

    mutating func come(back callback: Callback) async throws -> Response { try await ask("GET", callback.target) }
}

/// An address that a browser is sent to.
private struct Callback {
    var path: String
    var items: [(String, String)]

    init(_ response: Response) throws {
        let location = try #require(response.field("Location"), "\(response)")
        let parts = try #require(URLComponents(string: location))
        path = parts.path
        items = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }

    subscript(name: String) -> String? {
        get { items.first { $0.0 == name }?.1 }
        set {
            items.removeAll { $0.0 == name }
            if let newValue { items.append((name, newValue)) }
        }
    }

    var target: String {
        path + "?"
            + items.map { "\($0.0)=" + ($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") }
            .joined(separator: "&")
    }
}

@Suite("Signing in with a provider", .timeLimit(.minutes(2)))
struct RelyingPartyTests {
    /// Serves a directory beside the provider for tests.
    private func serving(_ body: (Directory, UInt16) async throws -> Void) async throws {
        let directory = try Directory.inMemory()
        var configuration = DirectoryServer.Configuration(listen: "127.0.0.1:0")
        configuration.hasTestProvider = true
        let server = try DirectoryServer(directory, configuration: configuration)
        let address = try server.start()
        let port = try #require(URL(string: address)?.port)
        do {
            try await body(directory, UInt16(port))
        } catch {
            await server.stop(timeout: .milliseconds(100))
            throw error
        }
        await server.stop(timeout: .milliseconds(100))
    }

    private func member(_ response: Response, _ name: String) throws -> String? {
        try JSONValue(strictly: Array(response.body.utf8))[name]?.text
    }

    @Test("Who comes back with the state that this browser began with is signed in, by a session that is new")
    func goodReturn() async throws {
        try await serving { directory, port in
            var browser = Browser(port: port, cookies: ["SyncGatewaySession": "set-by-somebody-else"])
            let callback = try await browser.visit()
            #expect(callback["iss"] != nil && callback.path == "/db/_oidc_callback")
            let state = browser.cookies["sg-oidc-state"]
            #expect(state != nil)
            let answer = try await browser.come(back: callback)
            #expect(answer.status == 200, "\(answer)")
            let name = try #require(try member(answer, "name"))
            #expect(try member(answer, "session_id") == browser.cookies["SyncGatewaySession"])
            #expect(browser.cookies["SyncGatewaySession"] != "set-by-somebody-else")
            #expect(browser.cookies["sg-oidc-state"] == nil, "the state is used up")
            #expect(try member(answer, "id_token") != nil && member(answer, "refresh_token") == nil)
            #expect(try await browser.ask("GET", "/db/_session").body.contains(name))
            #expect(try await directory.unrestricted.users.user(.named(name)).isActive)
        }
    }

    @Test("An app is told where to sign in")
    func challenge() async throws {
        try await serving { _, port in
            var browser = Browser(port: port)
            let answer = try await browser.ask("GET", "/db/_oidc_challenge")
            #expect(answer.status == 401)
            #expect(answer.field("WWW-Authenticate")?.hasPrefix("OIDC login=\"http") == true)
            #expect(try member(answer, "error") == "Unauthorized" && member(answer, "reason") == "Login required")
        }
    }

    @Test("A return is refused without the state, with another browser's, or with one that was changed")
    func foreignStates() async throws {
        try await serving { _, port in
            var browser = Browser(port: port)
            var other = Browser(port: port)
            let callback = try await browser.visit()
            let theirs = try await other.visit(as: "eve")
            #expect(try await other.come(back: callback).status == 400, "login CSRF: eve has mira's return")
            var changed = theirs
            changed["state"] = (theirs["state"] ?? "") + "x"
            #expect(try await other.come(back: changed).status == 400)
            changed["state"] = nil
            #expect(try await other.come(back: changed).status == 400)
            var without = Browser(port: port)
            #expect(try await without.come(back: callback).status == 400)
            #expect(without.cookies["SyncGatewaySession"] == nil && other.cookies["SyncGatewaySession"] == nil)
        }
    }

    @Test("A code of another visit is refused: its verifier and its nonce are that visit's")
    func foreignCodes() async throws {
        try await serving { _, port in
            var browser = Browser(port: port)
            var other = Browser(port: port)
            let theirs = try await other.visit(as: "eve")
            var injected = try await browser.visit()
            injected["code"] = theirs["code"]
            let answer = try await browser.come(back: injected)
            #expect(answer.status >= 400 && browser.cookies["SyncGatewaySession"] == nil)
        }
    }

    @Test("A return of another provider's, or one that does not say whose it is, is refused: RFC 9207")
    func mixUp() async throws {
        try await serving { _, port in
            for issuer in ["https://evil.example.com", nil] {
                var browser = Browser(port: port)
                var callback = try await browser.visit()
                callback["iss"] = issuer
                let answer = try await browser.come(back: callback)
                #expect(answer.status >= 400 && browser.cookies["SyncGatewaySession"] == nil, "\(issuer ?? "none")")
            }
        }
    }

    @Test("A return is good once, and none is one without a code, or after the provider let nobody in")
    func once() async throws {
        try await serving { _, port in
            var browser = Browser(port: port)
            let callback = try await browser.visit()
            let cookies = browser.cookies
            #expect(try await browser.come(back: callback).status == 200)
            var again = Browser(port: port, cookies: cookies)
            #expect(try await again.come(back: callback).status >= 400)
            #expect(again.cookies["SyncGatewaySession"] == nil)
            let nowhere = try await browser.ask("GET", "/db/_oidc_callback?error=access_denied")
            #expect(nowhere.status == 401, "also where nothing was begun: \(nowhere)")
            let denied = try await browser.visit(deny: true)
            #expect(try await browser.come(back: denied).status == 401)
            var empty = try await browser.visit()
            empty["code"] = nil
            #expect(try await browser.come(back: empty).status == 400)
        }
    }

    @Test("A refresh token in a body gets another id token, and no refresh token")
    func refreshing() async throws {
        try await serving { _, port in
            var browser = Browser(port: port)
            let answer = try await browser.come(back: browser.visit(offline: true))
            let token = try #require(try member(answer, "refresh_token"))
            let renewed = try await browser.ask("POST", "/db/_oidc_refresh", form: [("refresh_token", token)])
            #expect(renewed.status == 200, "\(renewed)")
            #expect(try member(renewed, "id_token") != nil && member(renewed, "refresh_token") == nil)
            #expect(try await browser.ask("POST", "/db/_oidc_refresh", form: []).status == 400)
            #expect(try await browser.ask("POST", "/db/_oidc_refresh", form: [("refresh_token", "x")]).status == 502)
        }
    }
}
