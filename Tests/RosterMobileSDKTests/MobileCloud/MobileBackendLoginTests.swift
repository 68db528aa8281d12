import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in to a mobile backend with a password or a provider's token", .timeLimit(.minutes(2)))
struct MobileBackendLoginTests {
    private let name = ServiceUnderTest.engineer
    private let password = ServiceUnderTest.password

    private func backend(_ app: ServedApp, oauth: Bool) throws -> MobileBackend {
        MobileBackend(
            baseURL: try url(app.proxy.url), backendID: app.backend.backendID,
            anonymousKey: app.backend.anonymousKey, clientID: oauth ? app.backend.clientID : nil)
    }

    private func calls(_ app: ServedApp, oauth: Bool) throws -> MobileBackendAuthorization {
        let clock = app.clock
        return try MobileBackendAuthorization(
            backend(app, oauth: oauth), store: ServedApp.store(in: app.folder), transport: app.transport,
            clock: { clock.now })
    }

    private func me(_ calls: MobileBackendAuthorization, _ app: ServedApp) async throws -> String {
        let client = try RESTClient(calls, origins: [app.proxy.url], transport: app.transport)
        let answer = try await client.send(TransportRequest("GET", app.proxy.url + "/mobile/platform/users/~"))
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test("With OAuth the tokens are renewed, are there after a start, open the directory, and end with a logout")
    func oauth() async throws {
        try await withApp { app in
            let calls = try calls(app, oauth: true)
            #expect(try calls.account == nil)
            #expect(
                try await clientError { try await calls.authenticate(userName: name, password: "wrong") }.code
                    == .wrongCredentials)
            try await calls.authenticate(userName: name, password: password)
            #expect(try await me(calls, app).contains(name))
            #expect(try calls.fields()["Oracle-Mobile-Backend-ID"] == app.backend.backendID)
            let view = try await DirectoryView(
                server: url(app.proxy.url), credentials: .mobileBackend(calls), transport: app.transport)
            #expect(try await view.users.user(.named(name)).uid == name)
            let restarted = try self.calls(app, oauth: true)
            app.letTokenAge(2)
            #expect(try await me(restarted, app).contains(name))
            try await restarted.logout()
            #expect(try restarted.account == nil)
            #expect(throws: ClientError.self) { try restarted.fields() }
            #expect(try ServedApp.store(in: app.folder).names(withPrefix: "mobile-backend/").isEmpty)
        }
    }

    @Test("Without a client id the name and the password go with each call, and nothing is stored")
    func basic() async throws {
        try await withApp { app in
            let calls = try calls(app, oauth: false)
            #expect(
                try await clientError { try await calls.authenticate(userName: name, password: "wrong") }.code
                    == .wrongCredentials)
            #expect(throws: ClientError.self) { try calls.fields() }
            try await calls.authenticate(userName: name, password: password)
            #expect(try await me(calls, app).contains(name))
            let view = try await DirectoryView(
                server: url(app.proxy.url), credentials: .mobileBackend(calls), transport: app.transport)
            #expect(try await view.users.user(.named(name)).uid == name)
            #expect(try calls.account == nil && app.store.names(withPrefix: "").isEmpty)
            try await calls.logout()
            #expect(throws: ClientError.self) { try calls.fields() }
            #expect(
                try await clientError { try await calls.authenticate(userName: "a:b", password: "x") }.code
                    == .invalidInput)
        }
    }

    @Test("A password that was changed meanwhile is sent once, and not again after the refusal")
    func changedPassword() async throws {
        try await withFolder { folder in
            let seen = Gathered<Peer.Request>()
            let server = try SocketServer { peer in
                while let request = peer.request() {
                    seen.append(request)
                    let isFirst = seen.all.count == 1
                    peer.send(
                        isFirst
                            ? SocketServer.answer("{}")
                            : SocketServer.answer("", "401 No", headers: "WWW-Authenticate: Bearer\r\n"))
                }
            }
            let calls = try MobileBackendAuthorization(
                MobileBackend(baseURL: url(server.url), backendID: "b"), store: ServedApp.store(in: folder))
            try await calls.authenticate(userName: "ada", password: "old")
            let client = try RESTClient(calls, origins: [server.url])
            #expect(try await client.send(TransportRequest("GET", server.url + "/x")).status == 401)
            #expect(seen.all.count == 2)
        }
    }

    @Test("A provider's token goes with the anonymous key and the provider's name, and needs the key")
    func social() async throws {
        try await withFolder { folder in
            let seen = Gathered<Peer.Request>()
            let server = try SocketServer { peer in
                while let request = peer.request() {
                    seen.append(request)
                    peer.send(SocketServer.answer("{}"))
                }
            }
            var backend = MobileBackend(baseURL: try url(server.url), backendID: "b", anonymousKey: "key")
            let calls = try MobileBackendAuthorization(backend, store: ServedApp.store(in: folder))
            try await calls.authenticateSocial(accessToken: "theirs")
            #expect(seen.all[0].line == "GET /mobile/platform/users/~ HTTP/1.1")
            for (field, value) in [
                ("Authorization", "Basic key"), ("Oracle-Mobile-Backend-ID", "b"),
                ("Oracle-Mobile-Social-Identity-Provider", "facebook"),
                ("Oracle-Mobile-Social-Access-Token", "theirs"),
            ] {
                #expect(seen.all[0].field(field) == value, "\(field)")
                #expect(try calls.fields()[field] == value, "\(field)")
            }
            backend.anonymousKey = nil
            let without = try MobileBackendAuthorization(backend, store: ServedApp.store(in: folder))
            #expect(
                try await clientError { try await without.authenticateSocial(accessToken: "theirs") }.code
                    == .badConfiguration)
        }
    }
}
