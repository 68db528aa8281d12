import Foundation
import RosterBearer
import RosterOpenID
import RosterSignIn
import RosterText
import TestSupport
import Testing

@Suite("Access tokens that are checked with the issuer's keys", .timeLimit(.minutes(1)))
struct KeyTests {
    @Test("A good token tells who it is for and what it allows")
    func good() async throws {
        let issuer = try Issuer()
        let token = try await issuer.validator().validate(authorization: "bearer  " + issuer.token())
        #expect(token.subject == "u1" && token.name == "ada" && token.clientID == "shop")
        #expect(token.scopes == ["orders", "read"] && token.roles == ["buyers"])
        #expect(token.audiences == [Issuer.audience] && token.expires == issuer.clock.now.addingTimeInterval(300))
        #expect(token.values(of: "iss") == [issuer.url] && token.values(of: "none") == [])
        #expect(try JSONValue(parsing: Array(token.claims))["jti"] == "1")
    }

    private static let bad: [(JSONValue, String, String)] = [
        (["iss": "https://evil.example.com"], "at+jwt", "iss"), (["iss": .null], "at+jwt", "iss"),
        (["aud": "https://other.example.com"], "at+jwt", "aud"), (["aud": .null], "at+jwt", "aud"),
        (["aud": 5], "at+jwt", "aud"), (["exp": 1_799_999_969], "at+jwt", "exp"), (["exp": .null], "at+jwt", "exp"),
        (["exp": .decimal(1e30)], "at+jwt", "exp"), (["exp": "soon"], "at+jwt", "exp"),
        (["nbf": 1_800_000_031], "at+jwt", "nbf"), (["iat": 1_800_000_031], "at+jwt", "iat"),
        (["sub": .null], "at+jwt", "sub"), ([:], "JWT", "typ"), ([:], "logout+jwt", "typ"), ([:], "at+jwtx", "typ"),
    ]

    @Test("A token with a wrong claim is refused before any key is fetched", arguments: bad.indices)
    func claims(index: Int) async throws {
        let (changes, type, word) = Self.bad[index]
        let issuer = try Issuer()
        let refusal = try await issuer.validator().refusal(issuer.token(changes, type: type))
        #expect(refusal?.code == .invalidToken && refusal?.status == 401, "\(changes)")
        #expect(refusal?.reason.contains("'\(word)'") == true, "\(refusal?.reason ?? "")")
        #expect(refusal?.challenge == "Bearer realm=\"API\", error=\"invalid_token\"")
        #expect(issuer.server.requests.isEmpty)
    }

    @Test("Clocks may differ by the skew and not by more")
    func skew() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator { $0.clockSkew = .seconds(30) }
        let (token, later) = (try issuer.token(), try issuer.token(["nbf": 1_800_000_030]))
        #expect(try await validator.refusal(later) == nil)
        issuer.clock.advance(by: 329)
        #expect(try await validator.refusal(token) == nil)
        issuer.clock.advance(by: 1)
        #expect(try await validator.refusal(token)?.code == .invalidToken)
    }

    @Test("A signature that is not the issuer's is refused: none, a shared secret, another key, altered bytes")
    func signatures() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator()
        let good = try issuer.token()
        let parts = good.split(separator: ".").map(String.init)
        func header(_ json: JSONValue) -> String { Base64URL.text(json.bytes) }
        let other = try SigningKey(generating: .es256)
        let tokens: [String] = [
            header(["alg": "none", "typ": "at+jwt"]) + "." + parts[1] + ".",
            header(["alg": "none", "typ": "at+jwt"]) + "." + parts[1] + "." + parts[2],
            try SigningKey.sign(
                issuer.claims(), type: "at+jwt", sharedSecret: Array(issuer.key.publicKey.written.utf8)),
            try issuer.token(by: other),
            header(["alg": "ES256", "typ": "at+jwt", "kid": .string(issuer.key.id)]) + "." + parts[1] + "."
                + (try issuer.token(by: other)).split(separator: ".")[2],
            parts[0] + "." + Base64URL.text(JSONValue.object(issuer.claims(["sub": "admin"])).bytes) + "." + parts[2],
            parts[0] + "." + parts[1] + "." + Base64URL.text([UInt8](repeating: 0, count: 64)),
            good + ".x.y", "x", parts[0] + "." + parts[1],
            header(["alg": "ES256", "typ": "at+jwt", "crit": ["x"]]) + "." + parts[1] + "." + parts[2],
        ]
        for token in tokens {
            #expect(try await validator.refusal(token)?.code == .invalidToken, "\(token.prefix(40))")
        }
        #expect(try await validator.refusal(good) == nil)
    }

    @Test("An algorithm that is not on the list is refused, though a key of the issuer made the signature")
    func algorithms() async throws {
        let issuer = try Issuer(isKnown: false)
        let key = try SigningKey(generating: .edDSA)
        issuer.describe()
        issuer.publish([key])
        let token = try issuer.token(by: key)
        #expect(try await issuer.validator { $0.algorithms = ["ES256"] }.refusal(token)?.code == .invalidToken)
        #expect(issuer.server.requests.isEmpty)
        #expect(try await issuer.validator { $0.algorithms = ["EdDSA"] }.refusal(token) == nil)
    }

    @Test("A key that the issuer adds is found; tokens with unknown keys cause one request in ten seconds")
    func rotation() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator()
        #expect(try await validator.refusal(issuer.token()) == nil)
        let new = try SigningKey(generating: .es256)
        for _ in 0..<100 { #expect(try await validator.refusal(issuer.token(by: new))?.code == .invalidToken) }
        #expect(issuer.count("/keys") == 1)
        issuer.publish([issuer.key, new])
        issuer.clock.advance(by: 10)
        let token = try issuer.token(by: new)
        let results = await withTaskGroup(of: BearerRefusal?.self) { group in
            for _ in 0..<50 { group.addTask { try? await validator.refusal(token) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 == nil })
        #expect(issuer.count("/keys") == 2)
    }

    @Test("A removed key is refused after a quarter of an hour, and a silent issuer's keys after a day")
    func ages() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator()
        #expect(try await validator.refusal(issuer.token()) == nil)
        issuer.publish([])
        issuer.clock.advance(by: 901)
        #expect(try await validator.refusal(issuer.token())?.code == .invalidToken)

        let silent = try Issuer()
        let patient = try silent.validator()
        #expect(try await patient.refusal(silent.token()) == nil)
        for path in ["/.well-known/openid-configuration", "/keys"] { silent.server.answer(path, body: "gone") }
        silent.clock.advance(by: 3_600)
        #expect(try await patient.refusal(silent.token()) == nil, "known keys stay good for a while")
        let new = try SigningKey(generating: .es256)
        silent.clock.advance(by: 60)
        #expect(try await patient.refusal(silent.token(by: new))?.code == .unavailable)
        silent.clock.advance(by: 86_400)
        #expect(try await patient.refusal(silent.token())?.code == .unavailable)
    }

    private static let documents: [@Sendable (Issuer) -> Void] = [
        { _ in }, { $0.describe(["issuer": "https://evil.example.com"]) }, { $0.describe(["issuer": .null]) },
        { $0.describe(["jwks_uri": .null]) }, { $0.describe(["jwks_uri": "file:///etc/passwd"]) },
        { $0.describe(["jwks_uri": "http://192.0.2.1/keys"]) }, { $0.describe(["jwks_uri": "https://a@b/keys"]) },
        { $0.server.answer("/keys", body: "<html>") }, { $0.server.answer("/keys", body: #"{"keys": [{"kty""#) },
        { $0.server.answer("/keys", body: #"{"keys": [], "keys": []}"#) }, { $0.server.answer("/keys", body: "{}") },
        { $0.server.answer("/keys", body: #"{"a": ""# + String(repeating: "x", count: 300_000) + #"", "keys": []}"#) },
    ]

    @Test(
        "An issuer that is not there, or answers nonsense, is no reason to give a token up",
        arguments: documents.indices)
    func unavailable(index: Int) async throws {
        let issuer = try Issuer(isKnown: index != 0)
        Self.documents[index](issuer)
        let refusal = try #require(await issuer.validator().refusal(issuer.token()))
        #expect(refusal.code == .unavailable && refusal.status == 503 && refusal.challenge == nil, "\(refusal.reason)")
        #expect(refusal.retryAfter == 5 && !refusal.reason.isEmpty)
    }
}
