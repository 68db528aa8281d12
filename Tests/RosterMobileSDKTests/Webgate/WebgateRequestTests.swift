import Foundation
import RosterClient
import RosterMobileSDK
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Requests to APIs behind a Webgate", .timeLimit(.minutes(2)))
struct WebgateRequestTests {
    /// A Webgate before our server: it wants a token of its own kind, and lets the server make and check the challenge.
    static func gate(_ app: ServedApp, _ seen: Gathered<String>) throws -> SocketServer {
        let (transport, target, backend) = (app.transport, app.proxy.url, app.backend.backendID)
        return try SocketServer { peer in
            while let request = peer.request() {
                let field = request.field("Authorization")
                seen.append(field.map { String($0.prefix { $0 != " " }) } ?? "none")
                let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
                var forwarded = TransportRequest("GET", target + path, headers: ["Oracle-Mobile-Backend-ID": backend])
                if let field, field.hasPrefix("OAM-Auth ") {
                    forwarded.headers["Authorization"] = "Bearer " + field.dropFirst(9)
                }
                guard let answer = try? transport.sendAndWait(forwarded) else { return }
                let challenge = answer.headers["WWW-Authenticate"].map { "WWW-Authenticate: \($0)\r\n" } ?? ""
                peer.send(
                    SocketServer.answer(
                        String(decoding: answer.body, as: UTF8.self), "\(answer.status) OK", headers: challenge))
            }
        }
    }

    @Test(
        "A token is fetched for the context of the challenge, is kept for later requests, and is shared by requests at once"
    )
    func fetches() async throws {
        try await withGuardedApp {
            $0.allowsOffline = false
        } change: {
            $0.webgate = WebgateChallenge(name: "gate", level: 3)
        } _: { guarded in
            let seen = Gathered<String>()
            let service = try guarded.service()
            let server = try Self.gate(guarded.app, seen)
            let client = try RESTClient(service, origins: [server.url], transport: guarded.app.transport)
            let request = TransportRequest("GET", server.url + "/scim/v2/Me?attributes=userName")
            #expect(try await clientError { _ = try await client.send(request) }.code == .notSignedIn)
            try await service.startAuthentication(GuardedApp.request(.online))
            let access = "/oic_rest/rest/mobilejwtauthentication/access"
            let first = try await client.send(request)
            #expect(first.status == 200 && String(decoding: first.body, as: UTF8.self).contains(GuardedApp.name))
            #expect(seen.all == ["Bearer", "OAM-Auth"])
            #expect(guarded.app.proxy.bodies(of: access).count == 1)
            #expect(try await client.send(request).status == 200)
            #expect(seen.all == ["Bearer", "OAM-Auth", "OAM-Auth"])
            #expect(try await onThread { try client.sendAndWait(request).status } == 200)
            #expect(guarded.app.proxy.bodies(of: access).count == 1)

            let other = try RESTClient(service, origins: [server.url], transport: guarded.app.transport)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await other.send(request).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 10))
            #expect(guarded.app.proxy.bodies(of: access).count == 2)
        }
    }

    @Test("A Webgate that refuses every token gets two requests, and a service that gives none is a typed error")
    func refuses() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            let api = try ProtectedAPI()
            api.challenge(with: "OAM-Auth realm=\"gate:3 /orders\", request-ctx=\"made up\"")
            let client = try RESTClient(service, origins: [api.url], transport: guarded.app.transport)
            let error = try await clientError {
                _ = try await client.send(TransportRequest("GET", api.url + "/orders"))
            }
            #expect(error.code == .refused && !"\(error)".contains("made up"))
            guarded.app.proxy.decide { path, _ in
                path.hasSuffix("/access")
                    ? .answer(SocketServer.answer("{\"X-Idaas-Rest-Token-Value\":\"fetched\"}")) : .pass
            }
            let before = api.seen.count
            #expect(try await client.send(TransportRequest("GET", api.url + "/orders")).status == 401)
            #expect(api.seen[before...].map { $0.field?.hasSuffix("fetched") } == [false, true])
            for body in ["{}", "<html>", "{\"X-Idaas-Rest-Token-Value\":\"a\\r\\nb\"}"] {
                guarded.app.proxy.decide { path, _ in
                    path.hasSuffix("/access") ? .answer(SocketServer.answer(body)) : .pass
                }
                let error = try await clientError {
                    _ = try await client.send(TransportRequest("GET", api.url + "/orders"))
                }
                #expect(error.code == .badAnswer)
            }
        }
    }
}
