import Foundation
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on authorization codes", .timeLimit(.minutes(2)))
struct CodeAttackTests {
    private static let otherVerifier = "another-verifier-of-forty-three-characters-and-more"

    private static func challenge(_ verifier: String) throws -> String {
        Base64URL.text(try SHA256.digest(Array(verifier.utf8)))
    }

    @Test("A verifier proves the code of its own challenge and no other one")
    func mixedVerifiers() async throws {
        let app = try await App(try await ServiceUnderTest())
        let first = try await app.code()
        let second = try await app.code(["code_challenge": try Self.challenge(Self.otherVerifier)])
        #expect(await app.redeem(first, verifier: Self.otherVerifier)["error"]?.text == "invalid_grant")
        #expect(await app.redeem(second, verifier: Self.otherVerifier).status == 200)
    }

    @Test("What is nearly the verifier proves nothing, and neither does the challenge that everybody saw")
    func nearVerifiers() async throws {
        let app = try await App(try await ServiceUnderTest())
        let challenge = try Self.challenge(App.verifier)
        for verifier in [
            challenge, challenge + "=", App.verifier.uppercased(), App.verifier + " ", " " + App.verifier,
            App.verifier + "\n", App.verifier + "\u{0}", String(App.verifier.dropLast()), App.verifier + App.verifier,
            App.verifier.replacing("a", with: "а"), App.verifier + "\u{301}",
            String(repeating: "a", count: 129), String(repeating: "a", count: 100_000),
        ] {
            let code = try await app.code()
            #expect(await app.redeem(code, verifier: verifier).givesNothing, "\(verifier.prefix(60))")
        }
        let plain = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", try await app.code()), ("code_verifier", challenge),
                ("code_challenge", challenge), ("code_challenge_method", "plain"),
            ])
        #expect(plain.givesNothing, "the method was said before, and is not said again")
    }

    @Test(
        "Only 'code' is answered, whatever is asked for with it, and no token ever stands in an address",
        arguments: [
            "token", "id_token", "code token", "code id_token", "code id_token token", "token code", "none", "CODE",
            "code code", " code", "code ", "code\ttoken", "cod\u{435}",
        ])
    func responseTypes(type: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let answer = await app.browse("POST", "/oauth2/authorize", form: try app.authorizeForm(["response_type": type]))
        #expect(App.sent(answer)["error"] == "unsupported_response_type", "\(answer.status)")
        let location = try #require(answer.header("Location"))
        #expect(!location.contains("token=") && !location.contains("code=") && !location.contains("#"))
        let hidden = try app.authorizePath(["response_type": type]) + "&allow=implicit&grant_types=implicit"
        #expect(await App.sent(app.browse("GET", hidden))["code"] == nil)
    }

    @Test("A code is brought with the address that it was sent to, or with none")
    func otherAddress() async throws {
        let app = try await App(
            try await ServiceUnderTest(), ["redirect_uris": [.string(App.redirect), "https://shop.example.com/two"]])
        for uri in ["https://shop.example.com/two", "http://127.0.0.1:5001/callback", App.redirect + "/", "x"] {
            let answer = await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "authorization_code"), ("code", try await app.code()), ("redirect_uri", uri),
                    ("code_verifier", App.verifier),
                ])
            #expect(answer["error"]?.text == "invalid_grant", "\(uri)")
        }
    }

    private func expectWorthless(_ code: String, _ app: App) async {
        let answer = await app.redeem(code)
        #expect(answer.givesNothing && answer["error"]?.text == "invalid_grant", "\(answer.text)")
    }

    @Test("A code is worth nothing once the sign-in behind it has ended", arguments: Ending.allCases)
    func ended(how: Ending) async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        try await app.end(how)
        await expectWorthless(code, app)
    }

    @Test("Nor when its user has signed out before the app brought it")
    func signedOut() async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        let page = await app.browse("GET", "/oauth2/logout")
        #expect(try await app.bring(page, to: "/oauth2/logout").status == 200)
        await expectWorthless(code, app)
    }

    @Test("What an administrator takes from a backend counts for codes that are on their way")
    func switchedOff() async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        try await app.change { $0.grants.remove(.authorizationCode) }
        #expect(await app.redeem(code)["error"]?.text == "unauthorized_client")
        try await app.change { $0.grants.insert(.authorizationCode) }
        let second = try await app.code()
        try await app.change { $0.isEnabled = false }
        #expect(await app.redeem(second)["error"]?.text == "invalid_client")
    }

    @Test("A client is one client: two names or two proofs in one request are refused, and use no code up")
    func twoClients() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let native = try await App(service, named: "native", ["public": true, "grant_types": ["authorization_code"]])
        let code = try await app.code()
        let body = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", App.verifier)]
        let secret = try #require(app.secret)
        for (proof, more, whose) in [
            (ServiceUnderTest.basic(other.clientID, other.secret ?? ""), [("client_id", app.clientID)], "another id"),
            (ServiceUnderTest.basic(app.clientID, secret), [("client_secret", secret)], "the secret twice"),
            (nil, [("client_id", app.clientID)], "no secret"),
            (nil, [("client_id", app.clientID), ("client_secret", other.secret ?? "")], "another one's secret"),
            (nil, [("client_id", native.clientID)], "a public client"),
            (nil, [("client_id", native.clientID), ("client_secret", secret)], "a public client with a secret"),
            (ServiceUnderTest.basic(native.clientID, ""), [], "a public client with an empty secret"),
            (ServiceUnderTest.basic(app.clientID, ""), [], "an empty secret"),
            (ServiceUnderTest.basic("", ""), [], "nobody"), (nil, [], "nobody at all"),
        ] as [(String?, [(String, String)], String)] {
            #expect(await app.post("/oauth2/token", body + more, authorization: .some(proof)).givesNothing, "\(whose)")
        }
        #expect(await app.redeem(code).status == 200)
    }

    @Test("Each parameter of the token endpoint is given once, in the body and nowhere else")
    func parameters() async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        let body = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", App.verifier)]
        for index in body.indices {
            let twice = await app.post("/oauth2/token", body + [body[index]])
            #expect(twice["error"]?.text == "invalid_request", "the same twice, too")
            let other = await app.post("/oauth2/token", [(body[index].0, "x")] + body)
            #expect(other["error"]?.text == "invalid_request")
        }
        let proof = try #require(app.secret)
        let headers = [("Content-Type", "application/x-www-form-urlencoded")]
        let inAddress = await app.service.send(
            "POST", "/oauth2/token?" + App.encoded(body), ServiceUnderTest.basic(app.clientID, proof), [],
            headers: headers)
        #expect(inAddress["error"]?.text == "invalid_request", "an address is logged")
        let asJSON = await app.service.send(
            "POST", "/oauth2/token", ServiceUnderTest.basic(app.clientID, proof),
            JSONValue.object(body.map { .init($0.0, .string($0.1)) }).bytes)
        #expect(asJSON.status == 400)
        #expect(await app.service.send("GET", "/oauth2/token?" + App.encoded(body), nil).status == 405)
        #expect(await app.redeem(code).status == 200, "none of it has used the code up")
    }

    @Test("No change of a code makes it another good one")
    func mutations() async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        for _ in 0..<500 {
            let changed = numbers.alteration(of: code, by: 0x20...0x7E)
            guard changed != code else { continue }
            #expect(await app.redeem(changed).givesNothing, "seed \(seed)")
        }
        for other in [code + "=", code + " ", " " + code, code.uppercased(), code + "\u{301}", ""] {
            #expect(await app.redeem(other).givesNothing, "\(other)")
        }
        #expect(await app.redeem(code).status == 200)
    }
}
