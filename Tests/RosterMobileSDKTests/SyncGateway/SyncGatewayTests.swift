import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterServer
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in at a Sync Gateway", .timeLimit(.minutes(2)))
struct SyncGatewayTests {
    /// Says on the page of the provider for tests who the user is.
    private func page(_ name: String, _ url: String) -> LoginCallback {
        { loginURL, redirectURL, continuation in
            Task {
                let query = loginURL.query(percentEncoded: true) ?? ""
                let answer = try await Transport().send(
                    TransportRequest(
                        "POST", url + "/_oidc_testing/authenticate",
                        headers: ["Content-Type": "application/x-www-form-urlencoded"],
                        body: Array("\(query)&username=\(name)".utf8)))
                let location = answer.headers["Location"] ?? ""
                continuation(location.hasPrefix(redirectURL.absoluteString) ? URL(string: location) : nil)
            }
        }
    }

    @Test("Our own server signs a user in through a provider, and a session that ended is begun anew without the user")
    func ownServer() async throws {
        try await withFolder { folder in
            let directory = try Directory.inMemory()
            var configuration = DirectoryServer.Configuration(listen: "127.0.0.1:0")
            configuration.hasTestProvider = true
            let server = try DirectoryServer(directory, configuration: configuration)
            let base = try server.start()
            let database = base + "/db"
            let store = try ServedApp.store(in: folder)
            let gateway = try SyncGatewayAuthenticator(database: url(database), store: store)
            #expect(try gateway.userName == nil)
            let nobody = try await clientError {
                _ = try await gateway.send(TransportRequest("GET", database + "/_session"))
            }
            #expect(nobody.code == .notSignedIn)
            try await gateway.signIn(callback: page("mira", database))
            let name = try #require(try gateway.userName)
            func session() async throws -> String {
                let answer = try await gateway.send(TransportRequest("GET", database + "/_session"))
                return String(decoding: answer.body, as: UTF8.self)
            }
            #expect(try await session().contains(name))
            #expect(
                try await clientError {
                    _ = try await gateway.send(TransportRequest("GET", base + "/mobile/platform/users/me"))
                }.code == .originNotNamed)
            let restarted = try SyncGatewayAuthenticator(database: url(database), store: store)
            let again = try await restarted.send(TransportRequest("GET", database + "/_session"))
            #expect(String(decoding: again.body, as: UTF8.self).contains(name))
            try await restarted.signOut()
            #expect(try restarted.userName == nil && store.names(withPrefix: "sync-gateway/").isEmpty)
            await server.stop(timeout: .zero)
        }
    }

    /// A gateway that knows one good id token and one good session at a time.
    private final class Gateway: Sendable {
        let seen = Gathered<Peer.Request>()
        let good = Locked((token: "first", session: "one"))
        let server: SocketServer

        init(knowsPost: Bool = true) throws {
            let (seen, good) = (seen, good)
            let address = Locked("")
            server = try SocketServer { peer in
                while let request = peer.request() {
                    seen.append(request)
                    peer.send(Self.answer(request, good, address.withLock { $0 }, knowsPost))
                }
            }
            let url = server.url
            address.withLock { $0 = url }
        }

        private static func answer(
            _ request: Peer.Request, _ good: Locked<(token: String, session: String)>, _ url: String, _ knowsPost: Bool
        ) -> String {
            let refused = SocketServer.answer("{}", "401 No")
            let words = request.line.split(separator: " ")
            let path = String(words[1].prefix { $0 != "?" })
            let (token, session) = good.withLock { $0 }
            let cookie = "Set-Cookie: SyncGatewaySession=\(session); Path=/db; HttpOnly\r\n"
            switch path {
            case "/db/_oidc_challenge":
                let login = "https://idp.example.com/page?redirect_uri=\(url)/db/_oidc_callback&state=s"
                return SocketServer.answer(
                    "{}", "401 No",
                    headers: "WWW-Authenticate: OIDC login=\"\(login)\"\r\nSet-Cookie: sg-oidc-state=s; Path=/db\r\n")
            case "/db/_oidc_callback":
                guard request.field("Cookie") == "sg-oidc-state=s" else { return SocketServer.answer("{}", "400 Bad") }
                return SocketServer.answer(
                    "{\"id_token\":\"\(token)\",\"refresh_token\":\"r\",\"session_id\":\"\(session)\",\"name\":\"ada\"}",
                    headers: cookie)
            case "/db/_session":
                guard request.field("Authorization") == "Bearer " + token else { return refused }
                return SocketServer.answer("{\"ok\":true}", headers: cookie)
            case "/db/_oidc_refresh":
                if words[0] == "POST", !knowsPost { return SocketServer.answer("{}", "405 No") }
                return SocketServer.answer("{\"id_token\":\"\(token)\"}")
            default:
                return request.field("Cookie") == "SyncGatewaySession=" + session ? SocketServer.answer("{}") : refused
            }
        }
    }

    @Test(
        "After a 401 an old id token is renewed once for all requests, by the way that the gateway knows",
        arguments: [true, false])
    func renewal(knowsPost: Bool) async throws {
        try await withFolder { folder in
            let gateway = try Gateway(knowsPost: knowsPost)
            let database = gateway.server.url + "/db"
            let calls = try SyncGatewayAuthenticator(database: url(database), store: ServedApp.store(in: folder))
            try await calls.signIn { _, redirectURL, continuation in
                continuation(URL(string: redirectURL.absoluteString + "?code=c&state=s"))
            }
            #expect(try calls.userName == "ada")
            #expect(try await calls.send(TransportRequest("GET", database + "/doc")).status == 200)
            gateway.good.withLock { $0 = ("second", "two") }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 {
                    group.addTask { try await calls.send(TransportRequest("GET", database + "/doc")).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200, 200, 200])
            let refreshes = gateway.seen.all.filter { $0.line.contains("_oidc_refresh") }
            #expect(refreshes.count == (knowsPost ? 1 : 2), "\(refreshes.map(\.line))")
            #expect(refreshes[0].line == "POST /db/_oidc_refresh HTTP/1.1", "no token in an address that need not be")
        }
    }

    @Test("A cancelled page, a URL elsewhere and a page that leads elsewhere sign nobody in")
    func refusals() async throws {
        try await withFolder { folder in
            let gateway = try Gateway()
            let database = gateway.server.url + "/db"
            let store = try ServedApp.store(in: folder)
            let calls = try SyncGatewayAuthenticator(database: url(database), store: store)
            for (text, code) in [
                (nil, ClientError.Code.signInCancelled), ("https://evil.example.com/?code=c&state=s", .signInExpired),
                (database + "/_oidc_callbacks?code=c", .signInExpired),
            ] as [(String?, ClientError.Code)] {
                let error = try await clientError {
                    try await calls.signIn { _, _, continuation in continuation(text.flatMap { URL(string: $0) }) }
                }
                #expect(error.code == code, "\(text ?? "cancelled")")
            }
            #expect(!gateway.seen.all.contains { $0.line.contains("_oidc_callback") })
            let other = try SocketServer { peer in
                while peer.request() != nil {
                    let login = "https://idp.example.com/page?redirect_uri=https://evil.example.com/db/_oidc_callback"
                    peer.send(
                        SocketServer.answer("{}", "401 No", headers: "WWW-Authenticate: OIDC login=\"\(login)\"\r\n"))
                }
            }
            let wrong = try SyncGatewayAuthenticator(database: url(other.url + "/db"), store: store)
            let error = try await clientError { try await wrong.signIn { _, _, _ in Issue.record("no page") } }
            #expect(error.code == .badAnswer)
            for text in [
                "http://gateway.example.com/db", "https://gateway.example.com", "https://a:b@c.example.com/db",
            ] {
                #expect(throws: ClientError.self) { try SyncGatewayAuthenticator(database: url(text), store: store) }
            }
            #expect(try store.names(withPrefix: "").isEmpty)
        }
    }
}
