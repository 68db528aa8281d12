import Foundation
import RosterBearer
import RosterText
import TestSupport
import Testing

@Suite("Access tokens about which the issuer is asked", .timeLimit(.minutes(1)))
struct IssuerCheckTests {
    private static let claims: JSONValue = [
        "sub": "u1", "scope": "openid orders", "role": ["buyers"], "preferred_username": "ada",
    ]
    private static let introspection = BearerSettings.Method.introspection(
        audience: Issuer.audience, clientID: "or:ders", clientSecret: "s&cret")

    @Test("User info is asked once for many callers, and again when the answer is too old")
    func cache() async throws {
        let issuer = try Issuer()
        issuer.server.answer("/me", body: Self.claims.written)
        let validator = try issuer.validator(.userInfo(), scopes: ["orders"])
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { (try? await validator.refusal("opaque")) == .some(nil) } }
            return await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
        }
        #expect(refusals == 0 && issuer.count("/me") == 1)
        #expect(issuer.server.requests.contains { $0.contains("Authorization: Bearer opaque") })
        issuer.clock.advance(by: 59)
        #expect(try await validator.refusal("opaque") == nil && issuer.count("/me") == 1)
        issuer.clock.advance(by: 2)
        #expect(try await validator.refusal("opaque") == nil && issuer.count("/me") == 2)
        issuer.clock.advance(by: -3_600)
        #expect(try await validator.refusal("opaque") == nil && issuer.count("/me") == 3, "the clock was set back")
        let token = try await validator.validate(authorization: "Bearer opaque")
        #expect(token.subject == "u1" && token.name == "ada" && token.roles == ["buyers"] && token.expires == nil)
    }

    @Test("No answer is used after the end that the token or the issuer tells", arguments: [false, true])
    func ends(byToken: Bool) async throws {
        let issuer = try Issuer()
        var claims = Self.claims
        let end = Int64(issuer.clock.now.timeIntervalSince1970) + 20
        if !byToken { claims["exp"] = .integer(end) }
        issuer.server.answer("/me", body: claims.written)
        let validator = try issuer.validator(.userInfo(), scopes: ["orders"])
        let token = byToken ? try issuer.token(["exp": .integer(end)]) : "opaque"
        #expect(try await validator.refusal(token) == nil)
        issuer.clock.advance(by: 19)
        #expect(try await validator.refusal(token) == nil && issuer.count("/me") == 1)
        issuer.clock.advance(by: 1)
        #expect(
            try await validator.refusal(token) == nil && issuer.count("/me") == 2, "within the skew it is asked again")
        issuer.clock.advance(by: 30)
        #expect(try await validator.refusal(token)?.code == .invalidToken)
    }

    private static let answers: [(String, BearerRefusal.Code)] = [
        ("401 Unauthorized\r\nContent-Length: 0", .invalidToken),
        ("400 Bad Request\r\nContent-Length: 0", .invalidToken),
        ("403 Forbidden\r\nContent-Length: 0", .insufficientScope),
        ("404 Not Found\r\nContent-Length: 0", .unavailable), ("429 Busy\r\nContent-Length: 0", .unavailable),
        ("500 Error\r\nContent-Length: 0", .unavailable),
        ("302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0", .unavailable),
        ("200 OK\r\nContent-Length: 6\r\n\r\n<html>", .unavailable),
        ("200 OK\r\nContent-Length: 2\r\n\r\n{}", .unavailable),
        ("200 OK\r\nContent-Length: 9\r\n\r\n{\"sub\":5}", .unavailable),
        ("200 OK\r\nContent-Length: 900\r\n\r\n{", .unavailable),
        ("200 OK\r\nContent-Length: 9000000000\r\n\r\n{", .unavailable), ("nonsense", .unavailable),
    ]

    @Test("Only a refusal of the issuer refuses a token; it is remembered for ten seconds", arguments: answers.indices)
    func statuses(index: Int) async throws {
        let (answer, code) = Self.answers[index]
        let text = "HTTP/1.1 \(answer)" + (answer.contains("\r\n\r\n") ? "" : "\r\n\r\n")
        let server = try CannedServer(text)
        let issuer = try Issuer()
        let endpoint = "http://127.0.0.1:\(server.port)/me"
        let validator = try issuer.validator(.userInfo(endpoint: endpoint), scopes: ["orders"])
        for _ in 0..<3 { #expect(try await validator.refusal("opaque")?.code == code) }
        #expect(server.requests.count <= 2, "a request without an answer may be sent once more")
        let before = server.requests.count
        issuer.clock.advance(by: 11)
        #expect(try await validator.refusal("opaque")?.code == code)
        #expect(server.requests.count > before)
    }

    @Test("An issuer that does not answer is not asked for each token, and known tokens stay good")
    func silence() async throws {
        let issuer = try Issuer()
        issuer.server.answer("/me", body: Self.claims.written)
        let validator = try issuer.validator(.userInfo(), scopes: ["orders"])
        #expect(try await validator.refusal("known") == nil)
        let dead = try issuer.validator(.userInfo(endpoint: "http://127.0.0.1:1/me"), scopes: ["orders"])
        for number in 0..<20 {
            #expect(try await dead.refusal("unknown\(number)")?.code == .unavailable)
        }
        #expect(try await validator.refusal("known") == nil)
    }

    @Test("User info of a token without the API's scope is not enough")
    func scopes() async throws {
        let issuer = try Issuer()
        issuer.server.answer("/me", body: Self.claims.written)
        let refusal = try await issuer.validator(.userInfo(), scopes: ["orders", "billing"]).refusal("opaque")
        #expect(refusal?.challenge?.hasSuffix("error=\"insufficient_scope\", scope=\"billing orders\"") == true)
        issuer.server.answer("/me", body: #"{"sub": "u1", "scope": ["billing"]}"#)
        #expect(try await issuer.validator(.userInfo(), scopes: ["billing"]).refusal("opaque") == nil)
    }

    @Test("The log says so if an issuer's user info tells no scopes, as that of most issuers")
    func userInfoWithoutScopes() async throws {
        let issuer = try Issuer()
        issuer.server.answer("/me", body: #"{"sub": "u1"}"#)
        let refusal = try await issuer.validator(.userInfo(), scopes: ["orders"]).refusal("opaque")
        #expect(refusal?.code == .insufficientScope && refusal?.reason.contains("'introspection'") == true)
    }

    @Test("A token that by its own words has ended, or is for another API, causes no question to the issuer")
    func ownClaims() async throws {
        let issuer = try Issuer()
        issuer.server.answer("/me", body: Self.claims.written)
        issuer.server.answer("/introspect", body: #"{"active": true, "sub": "u1"}"#)
        let userInfo = try issuer.validator(.userInfo(), scopes: ["orders"])
        let introspection = try issuer.validator(Self.introspection)
        let ended = try issuer.token(["exp": .integer(Int64(issuer.clock.now.timeIntervalSince1970) - 31)])
        #expect(try await userInfo.refusal(ended)?.code == .invalidToken)
        for token in [
            ended, try issuer.token(["aud": "https://other.example.com"]), try issuer.token(["iss": "https://evil"]),
        ] { #expect(try await introspection.refusal(token)?.code == .invalidToken) }
        #expect(issuer.server.requests.isEmpty)
        #expect(try await introspection.refusal(issuer.token()) == nil)
        #expect(try await userInfo.refusal(issuer.token()) == nil)
    }

    @Test("Introspection sends the client's credentials, and the token in the body only")
    func introspection() async throws {
        let issuer = try Issuer()
        var claims = Self.claims
        for (name, value) in [("active", true), ("aud", .string(Issuer.audience)), ("iss", .string(issuer.url))]
            as [(String, JSONValue)]
        {
            claims[name] = value
        }
        issuer.server.answer("/introspect", body: claims.written)
        let token = try await issuer.validator(Self.introspection).validate(authorization: "Bearer a+b")
        #expect(token.subject == "u1" && token.audiences == [Issuer.audience])
        let request = try #require(issuer.server.requests.first { $0.hasPrefix("POST /introspect ") })
        #expect(request.contains("Basic " + Data("or%3Aders:s%26cret".utf8).base64EncodedString()), "\(request)")
        #expect(request.hasSuffix("token=a%2Bb&token_type_hint=access_token"))
    }

    @Test("An issuer that takes the client's secret in the form only gets it there")
    func secretInForm() async throws {
        let issuer = try Issuer()
        issuer.describe(["token_endpoint_auth_methods_supported": ["client_secret_post"]])
        issuer.server.answer("/introspect", body: #"{"active": true, "sub": "u1"}"#)
        #expect(try await issuer.validator(Self.introspection).refusal("opaque") == nil)
        let request = try #require(issuer.server.requests.first { $0.hasPrefix("POST /introspect ") })
        #expect(request.hasSuffix("&client_id=or%3Aders&client_secret=s%26cret") && !request.contains("Basic "))
    }

    @Test(
        "What introspection does not call a living bearer token for this API is refused",
        arguments: [
            (#"{"active": false}"#, BearerRefusal.Code.invalidToken),
            (#"{"active": "true", "sub": "u1"}"#, .unavailable),
            (#"{"active": true}"#, .invalidToken), (#"{"sub": "u1"}"#, .unavailable),
            (#"{"active": true, "username": "u1"}"#, .invalidToken),
            (#"{"active": true, "client_id": "u1"}"#, .invalidToken),
            (#"{"active": true, "sub": "u1", "aud": "other"}"#, .invalidToken),
            (#"{"active": true, "sub": "u1", "iss": "https://evil.example.com"}"#, .invalidToken),
            (#"{"active": true, "sub": "u1", "token_type": "refresh_token"}"#, .invalidToken),
            (#"{"active": true, "sub": "u1", "exp": 1700000000}"#, .invalidToken),
        ])
    func refused(_ body: String, _ code: BearerRefusal.Code) async throws {
        let issuer = try Issuer()
        issuer.server.answer("/introspect", body: body)
        #expect(try await issuer.validator(Self.introspection).refusal("opaque")?.code == code)
    }
}
