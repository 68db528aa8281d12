import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// A clock that goes forward, while what has ended is forgotten, and back again.
@Suite("Attacks by a clock that goes forward and back", .timeLimit(.minutes(2)))
struct ClockAttackTests {
    /// By how much the clock jumps, in seconds: an hour, a day, a year.
    private static let jumps: [TimeInterval] = [3_700, 90_000, 31_600_000]

    /// Does something else while the clock is ahead, and everything that has ended is forgotten.
    private func ahead(
        _ service: ServiceUnderTest, _ seconds: TimeInterval, _ work: () async throws -> Void = {}
    ) async throws {
        service.clock.advance(by: seconds)
        try await service.directory.spentTokens.forgetExpired()
        try await work()
        try await service.directory.spentTokens.forgetExpired()
        service.clock.advance(by: 2 - seconds)
    }

    @Test("A user's access token that was revoked stays so, and another one of the grant stays alive", arguments: jumps)
    func userToken(jump: TimeInterval) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["refresh_token_expiry": 525_600, "access_token_expiry": 30])
        let (access, refresh) = try await app.tokens(["scope": "openid directory offline_access"])
        let other = try await app.tokens(["scope": "openid directory offline_access"]).access
        _ = await app.post("/oauth2/revoke", [("token", access)])
        try await ahead(service, jump)
        #expect(await !app.isActive(access))
        #expect(await app.status("/scim/v2/Me", access) == 401)
        // The year ends the grants themselves.
        guard jump < 31_536_000 else { return }
        #expect(await app.status("/scim/v2/Me", other) == 200)
        #expect(await app.refresh(try #require(refresh)).status == 200)
    }

    @Test("A program's own token that was revoked stays so, and it gets new ones", arguments: jumps)
    func clientToken(jump: TimeInterval) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["consumer_token_expiry_seconds": 600])
        func token() async throws -> String {
            try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
        }
        let revoked = try await token()
        _ = await app.post("/oauth2/revoke", [("token", revoked)])
        try await ahead(service, jump)
        #expect(await !app.isActive(revoked))
        let new = try await token()
        #expect(await app.isActive(new))
        try await ahead(service, jump)
        #expect(await !app.isActive(revoked), "however often the clock jumps")
        #expect(await app.isActive(new))
    }

    @Test("A client's assertion that was used stays so, and the client may bring new ones", arguments: jumps)
    func assertion(jump: TimeInterval) async throws {
        let service = try await ServiceUnderTest()
        let key = try SigningKey(generating: .es256)
        let app = try await App(service, ["jwks": ["keys": [key.publicKey]]])
        func assertion() throws -> String {
            let now = Int64(service.clock.now.timeIntervalSince1970)
            let id = JSONValue.string(app.clientID)
            let claims: JSONValue = [
                "iss": id, "sub": id, "aud": "https://id.example.com", "iat": .integer(now),
                "exp": .integer(now + 300), "jti": .string(UUID().uuidString),
            ]
            return try key.sign(claims.members, type: "JWT")
        }
        func status(_ text: String) async -> Int {
            await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "client_credentials"), ("client_assertion", text),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ], authorization: .some(nil)
            ).status
        }
        let used = try assertion()
        #expect(await status(used) == 200)
        try await ahead(service, jump)
        #expect(await status(used) == 401)
        #expect(await status(try assertion()) == 200)
    }

    @Test("A code that came too late while the clock was ahead is used up, and one that was used stays so")
    func codes() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let late = try await app.code()
        let used = try await app.code()
        let tokens = await app.redeem(used)
        try await ahead(service, 300) {
            #expect(await app.redeem(late)["error"]?.text == "invalid_grant")
        }
        #expect(await app.redeem(late)["error"]?.text == "invalid_grant")
        #expect(await app.redeem(used)["error"]?.text == "invalid_grant")
        #expect(await !app.isActive(try #require(tokens["access_token"]?.text)), "used again, its tokens end")
    }

    @Test("Sessions that were ended or used up, and refresh tokens of before, stay what they are", arguments: jumps)
    func sessionsAndRefreshTokens(jump: TimeInterval) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let sessions = service.signIn.oauth.sessions
        let id = try await service.directory.unrestricted.users.user(.named(ServiceUnderTest.engineer)).id
        let ended = try await sessions.begin(.user(id), at: service.clock.now, amr: [])
        #expect(try await sessions.end(ended))
        let once = try await sessions.begin(.user(id), at: service.clock.now, amr: [], lifetime: 300, isOneTime: true)
        #expect(try await sessions.spend(once))
        let first = try #require(try await app.tokens().refresh)
        let second = try #require(await app.refresh(first)["refresh_token"]?.text)
        service.clock.advance(by: 60)
        try await ahead(service, jump)
        #expect(try sessions.find(ended) == nil)
        #expect(try await !sessions.spend(once))
        #expect(await app.refresh(first)["error"]?.text == "invalid_grant")
        #expect(await app.refresh(second)["error"]?.text == "invalid_grant", "the first one was stolen")
    }

    @Test("What began while the clock was far ahead is worth nothing when it is right again")
    func begunAhead() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        var tokens: [String] = []
        var cookie: String?
        try await ahead(service, 90_000) {
            tokens.append(try await app.tokens(["scope": "openid directory"]).access)
            tokens.append(try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text))
            let session = await service.request("POST", "/db/_session", as: .person)
            cookie = session.header("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
        }
        for token in tokens { #expect(await !app.isActive(token)) }
        let headers = [("Cookie", try #require(cookie))]
        #expect(await service.request("GET", "/scim/v2/Me", as: .nobody, headers: headers).status == 401)
        #expect(await app.browse("GET", try app.authorizePath()).text.contains("name=\"password\""))
    }
}

@Suite("A session has an end that no use puts off", .timeLimit(.minutes(2)))
struct SessionEndTests {
    /// Uses a session each 20 hours until it is gone; returns after how many days that was.
    private func days(_ service: ServiceUnderTest, _ use: () async throws -> Bool) async throws -> Double {
        let start = service.clock.now
        for _ in 0..<60 {
            service.clock.advance(by: 72_000)
            guard try await use() else { break }
        }
        return service.clock.now.timeIntervalSince(start) / 86_400
    }

    @Test("A cookie that is used all the time ends after thirty days, and a session made of it does as well")
    func cookies() async throws {
        let service = try await ServiceUnderTest()
        func cookie(_ answer: Answer) throws -> (String, String) {
            ("Cookie", String(try #require(answer.header("Set-Cookie")).prefix { $0 != ";" }))
        }
        var jar = try cookie(await service.request("POST", "/db/_session", as: .person))
        let one = jar
        let end = try await days(service) {
            guard await service.request("GET", "/scim/v2/Me", as: .nobody, headers: [one]).status == 200 else {
                return false
            }
            // Another one is made of the last one each time.
            jar = try cookie(await service.request("POST", "/db/_session", as: .nobody, headers: [jar]))
            return true
        }
        #expect((29.0...31.0).contains(end), "\(end)")
        #expect(await service.request("GET", "/scim/v2/Me", as: .nobody, headers: [jar]).status == 401)
    }

    @Test("A sign-in that renews the session under a new cookie does not put off its end")
    func renewal() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        _ = try await app.code()
        let begun = try #require(app.cookie("__Host-roster_session")).prefix { $0 != "." }
        let end = try await days(service) {
            guard await app.browse("GET", try app.authorizePath()).status == 303 else { return false }
            _ = try await app.signIn(on: await app.browse("GET", try app.authorizePath(["prompt": "login"])))
            return app.cookie("__Host-roster_session")?.hasPrefix(begun) == true
        }
        #expect((29.0...31.0).contains(end), "\(end)")
    }

    @Test("Whoever asked for a longer life gets that, and no more")
    func longer() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = ["name": .string(ServiceUnderTest.engineer), "ttl": 4_000_000]
        let made = await service.request("POST", "/db/_session", as: .administrator, body)
        let cookie = ("Cookie", "SyncGatewaySession=" + (try #require(made["session_id"]?.text)))
        let end = try await days(service) {
            await service.request("GET", "/scim/v2/Me", as: .nobody, headers: [cookie]).status == 200
        }
        #expect((46.0...48.0).contains(end), "\(end)")
    }
}
