import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// The modules about tokens, client assertions, proofs, pushed requests and PKCE.
extension FAPIConformanceTests {
    @Test("ensure-client-id-in-token-endpoint")
    func clientID() async throws {
        let answer = try await redeem(try await code(), ["client_id": "another"])
        #expect(answer["error"]?.text == "invalid_client")
    }

    @Test("ensure-holder-of-key-required")
    func holderOfKey() async throws {
        let unbound = try await client.redeem(try await code(), isBound: false)
        #expect(unbound.status == 400 && unbound["error"]?.text == "invalid_dpop_proof")
        let access = try await redeem(try await code())["access_token"]?.text ?? ""
        #expect(await app.ask("/oauth2/userinfo", access, proof: nil, scheme: "Bearer").status == 401)
    }

    @Test("ensure-authorization-code-is-bound-to-client")
    func otherClient() async throws {
        let other = try await App(app.service, named: "other", ["dpop_bound_access_tokens": true])
        let answer = await other.post(
            Self.token,
            [
                ("grant_type", "authorization_code"), ("code", try await code()), ("code_verifier", App.verifier),
                ("redirect_uri", FAPIClient.redirect),
            ], proof: try proof())
        #expect(answer["error"]?.text == "invalid_grant")
    }

    @Test("attempt-reuse-authorization-code-after-one-second")
    func codeReuse() async throws {
        let code = try await code()
        #expect(try await redeem(code).status == 200)
        app.service.clock.advance(by: 1)
        #expect(try await redeem(code)["error"]?.text == "invalid_grant")
    }

    @Test("ensure-token-endpoint-fails-with-expired-auth-code")
    func expiredCode() async throws {
        let code = try await code()
        app.service.clock.advance(by: 61)
        #expect(try await redeem(code)["error"]?.text == "invalid_grant")
    }

    @Test("ensure-signed-client-assertion-with-RS256-fails")
    func rs256() async throws {
        let key = try SigningKey(generating: .rs256)
        try await app.change { $0.assertionKeys = PublicKeySet(["keys": [client.key.publicKey, key.publicKey]]) }
        let answer = try await redeem(try await code(), assertion: client.assertion(by: key))
        #expect(
            answer["error"]?.text == "invalid_client" && answer["error_description"]?.text?.contains("ES256") == true)
    }

    @Test("ensure-client-assertion-in-token-endpoint")
    func withoutAssertion() async throws {
        let answer = try await redeem(try await code(), ["client_id": app.clientID], assertion: [])
        #expect(answer["error"]?.text == "invalid_client")
    }

    @Test("ensure-client-assertion-with-exp-is-5-minutes-in-past-fails")
    func expiredAssertion() async throws {
        let past = JSONValue.integer(Int64(now.timeIntervalSince1970) - 300)
        let answer = try await redeem(try await code(), assertion: client.assertion(["exp": past]))
        #expect(answer["error"]?.text == "invalid_client")
    }

    @Test("ensure-client-assertion-with-wrong-aud-fails")
    func wrongAudience() async throws {
        let answer = try await redeem(try await code(), assertion: client.assertion(["aud": "https://other.example"]))
        #expect(answer["error"]?.text == "invalid_client")
    }

    @Test("ensure-client-assertion-with-no-sub-fails")
    func withoutSubject() async throws {
        let answer = try await redeem(try await code(), assertion: client.assertion(["sub": .null]))
        #expect(answer["error"]?.text == "invalid_client")
    }

    @Test("ensure-invalid-client-assertions-fail")
    func invalidAssertions() async throws {
        let good = try client.assertion()[1].1
        let other = try SigningKey(generating: .es256)
        for bad in [
            String(good.dropLast(4)) + "AAAA", "x.y.z", good + "x", try client.assertion(by: other)[1].1,
            try client.assertion(["iss": "somebody"])[1].1, try client.assertion(["jti": .null])[1].1,
            try client.assertion(["aud": ["https://id.example.com", "https://other.example"]])[1].1,
        ] as [String] {
            let answer = try await redeem(
                try await code(), assertion: [try client.assertion()[0], ("client_assertion", bad)])
            #expect(answer["error"]?.text == "invalid_client", "\(bad.prefix(20))")
        }
    }

    @Test("dpop-negative-tests")
    func badProofs() async throws {
        let time = Int64(now.timeIntervalSince1970)
        for (changes, header) in [
            (["jti": .null], [:]), (["htm": "GET"], [:]), (["htu": "https://other.example/token"], [:]),
            (["iat": .null], [:]), (["iat": .integer(time - 600)], [:]), (["iat": .integer(time + 600)], [:]),
            ([:], ["typ": "JWT"]), ([:], ["alg": "none"]), ([:], ["jwk": .null]),
        ] as [(JSONValue, JSONValue)] {
            let answer = try await redeem(try await code(), proof: proof(changes, header: header))
            #expect(answer["error"]?.text == "invalid_dpop_proof", "\(changes.written) \(header.written)")
        }
        let access = try await redeem(try await code())["access_token"]?.text ?? ""
        for (changes, header) in [
            (["ath": .null], [:]), (["ath": "x"], [:]), (["htm": "POST"], [:]), ([:], ["typ": "JWT"]),
        ] as [(JSONValue, JSONValue)] { #expect(try await ask(access, changes, header: header) == 401) }
    }

    @Test("refresh-token")
    func refreshToken() async throws {
        let first = try #require(try await redeem(try await code())["refresh_token"]?.text)
        for _ in 0..<2 {
            let again = try await client.post(
                Self.token, [("grant_type", "refresh_token"), ("refresh_token", first)])
            #expect(again.status == 200 && again["refresh_token"]?.text == first, "it is not rotated")
            #expect(try await ask(again["access_token"]?.text ?? "") == 200)
        }
        let unbound = try await client.post(
            Self.token, [("grant_type", "refresh_token"), ("refresh_token", first)], isBound: false)
        #expect(unbound["error"]?.text == "invalid_dpop_proof")
    }

    @Test("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds")
    func reusedBefore() async throws {
        let uri = try await uri()
        #expect(await authorize(uri).status == 200)
        #expect(App.sent(try await app.signIn(on: await authorize(uri)))["code"] != nil)
    }

    @Test("par-attempt-reuse-request_uri")
    func reusedAfter() async throws {
        let uri = try await uri()
        #expect(App.sent(try await app.signIn(on: await authorize(uri)))["code"] != nil)
        let again = await authorize(uri)
        #expect(again.status == 400 && again.header("Location") == nil)
    }

    @Test("par-attempt-to-use-expired-request_uri")
    func expiredURI() async throws {
        let pushed = try await client.push()
        guard case .integer(let lifetime)? = pushed["expires_in"] else {
            Issue.record("\(pushed.text)")
            return
        }
        app.service.clock.advance(by: Double(lifetime) + 1)
        #expect(await authorize(pushed["request_uri"]?.text ?? "").status == 400)
    }

    @Test("par-attempt-to-use-request_uri-for-different-client")
    func uriOfOtherClient() async throws {
        let other = try await App(app.service, named: "other")
        #expect(await authorize(try await uri(), other.clientID).status == 400)
    }

    @Test("par-authorization-request-containing-request_uri-form-param")
    func requestURIInForm() async throws {
        try await expectRefused(
            ["redirect_uri": FAPIClient.redirect, "request_uri": "urn:ietf:params:oauth:request_uri:x"],
            "invalid_request")
    }

    @Test("par-attempt-invalid-http-method")
    func wrongMethod() async throws {
        for method in ["GET", "PUT"] { #expect(await app.service.send(method, "/oauth2/par", nil).status == 405) }
    }

    @Test("par-ensure-pkce-required")
    func pkceRequired() async throws {
        try await expectRefused(
            ["redirect_uri": FAPIClient.redirect, "code_challenge": nil, "code_challenge_method": nil],
            "invalid_request")
    }

    @Test("ensure-pkce-code-verifier-required")
    func verifierRequired() async throws {
        #expect(try await redeem(try await code(), ["code_verifier": nil])["error"]?.text == "invalid_grant")
    }

    @Test("incorrect-pkce-code-verifier-rejected")
    func wrongVerifier() async throws {
        let answer = try await redeem(try await code(), ["code_verifier": App.verifier + "x"])
        #expect(answer["error"]?.text == "invalid_grant")
    }

    @Test("par-plain-pkce-rejected")
    func plainPKCE() async throws {
        try await expectRefused(
            ["redirect_uri": FAPIClient.redirect, "code_challenge_method": "plain"], "invalid_request")
    }

    @Test("par-without-duplicate-parameters")
    func noDuplicates() async throws {
        let page = try await app.signIn(on: await authorize(try await uri()))
        #expect(App.sent(page)["code"] != nil, "client_id and request_uri are enough")
    }
}
