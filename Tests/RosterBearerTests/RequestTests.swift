import Foundation
import RosterBearer
import RosterREST
import RosterText
import TestSupport
import Testing

@Suite("Requests, settings, and what an app may ask of a token", .timeLimit(.minutes(1)))
struct RequestTests {
    @Test("The answer to a request says what RFC 6750 says, and no reason")
    func answers() async throws {
        let issuer = try Issuer()
        let validator = try issuer.validator(scopes: ["orders"]) { $0.realm = "Orders" }
        let good = try issuer.token()
        func answer(
            _ fields: [String], _ target: String = "/orders", isConfidential: Bool = true
        ) async throws -> (Int, String?, BearerRefusal.Code?) {
            var headers = HTTPHeaders()
            for field in fields { headers.add("authorization", field) }
            do {
                _ = try await validator.validate(
                    HTTPRequest("GET", target, headers: headers, isConfidential: isConfidential))
                return (200, nil, nil)
            } catch let refusal as BearerRefusal {
                let response = refusal.response
                if case .bytes(let body) = response.body {
                    let json = try JSONValue(parsing: body)
                    #expect(json["error"]?.text == refusal.code.rawValue)
                    #expect(!String(decoding: body, as: UTF8.self).contains(refusal.reason))
                }
                #expect(response.headers["Cache-Control"] == "no-store")
                return (response.status, response.headers["WWW-Authenticate"], refusal.code)
            }
        }
        let realm = "Bearer realm=\"Orders\""
        #expect(try await answer(["Bearer " + good]).0 == 200)
        #expect(try await answer(["bearer   " + good]).0 == 200)
        #expect(try await answer([]) == (401, realm, .missingToken))
        #expect(try await answer(["Basic abc"]) == (401, realm, .missingToken))
        let invalid = (
            400, Optional(realm + ", error=\"invalid_request\""), Optional(BearerRefusal.Code.invalidRequest)
        )
        #expect(try await answer(["Bearer"]) == invalid)
        #expect(try await answer(["Bearer  "]) == invalid)
        #expect(try await answer(["Bearer " + good, "Bearer " + good]) == invalid)
        #expect(try await answer(["Bearer " + good], isConfidential: false) == invalid)
        for name in ["access_token", "ACCESS_TOKEN", "%61ccess%5Ftoken"] {
            #expect(try await answer([], "/orders?a=1&\(name)=\(good)") == invalid)
            #expect(try await answer(["Bearer " + good], "/orders?\(name)=x") == invalid)
        }
        #expect(try await answer(["Bearer " + good], "/orders?my_access_token=x&access_token_type=y").0 == 200)
        let wrong = (401, Optional(realm + ", error=\"invalid_token\""), Optional(BearerRefusal.Code.invalidToken))
        for token in ["x y", "ü", "a\"b", "=", "a=b", String(repeating: "a", count: 20_000)] {
            #expect(try await answer(["Bearer " + token]) == wrong, "\(token.prefix(9))")
        }
        let broken = try await answer(["Bearer " + good], "/orders?a=%&access%5ftoken=x&b=%C3")
        #expect(broken == invalid, "broken encoding hides no token")
        let both = try issuer.validator(scopes: ["orders", "write"])
        #expect(try await both.refusal(good)?.code == .insufficientScope, "all scopes are needed")
        let narrow = try issuer.token(["scope": "read"])
        #expect(
            try await answer(["Bearer " + narrow])
                == (403, realm + ", error=\"insufficient_scope\", scope=\"orders\"", .insufficientScope))
    }

    @Test("An app asks for scopes, roles and claims, all in one line")
    func authorize() async throws {
        let issuer = try Issuer()
        let token = try await issuer.validator().validate(
            authorization: "Bearer " + issuer.token(["role": "auditors", "level": 3, "vip": true, "tags": ["a", "b"]]))
        #expect(token.roles == ["buyers", "auditors"])
        try token.authorize(
            scopes: ["orders", "read"], roles: ["buyers", "others"],
            claims: ["level": "3", "vip": "true", "tags": "b", "preferred_username": "ada"])
        func refusal(
            scopes: Set<String> = [], roles: Set<String> = [], claims: [String: String] = [:]
        ) -> BearerRefusal? {
            do {
                try token.authorize(scopes: scopes, roles: roles, claims: claims)
                return nil
            } catch { return error }
        }
        #expect(
            refusal(scopes: ["orders", "write"])?.challenge
                == "Bearer realm=\"API\", error=\"insufficient_scope\", scope=\"orders write\"")
        #expect(refusal(roles: ["admins"])?.challenge == "Bearer realm=\"API\", error=\"insufficient_scope\"")
        #expect(refusal(roles: ["Buyers"])?.status == 403)
        for claims in [["level": "4"], ["tags": "c"], ["none": ""], ["level": "3", "vip": "false"]] {
            #expect(refusal(claims: claims)?.code == .insufficientScope, "\(claims)")
        }
    }

    @Test("Settings that would accept foreign tokens, or cannot be used, are refused by their names")
    func settings() throws {
        let keys = BearerSettings.Method.keys(audience: "a")
        func problem(
            _ method: BearerSettings.Method = keys, issuer: String = "https://id.example.com", scopes: [String] = [],
            _ change: (inout BearerSettings) -> Void = { _ in }
        ) -> String? {
            var settings = BearerSettings(issuer: issuer, method: method, scopes: scopes)
            change(&settings)
            do {
                _ = try BearerValidator(settings)
                return nil
            } catch { return "\(error)" }
        }
        #expect(problem() == nil)
        #expect(problem(.userInfo())?.contains("'scopes'") == true)
        #expect(problem(.userInfo(), scopes: ["orders"]) == nil)
        #expect(problem(.userInfo(endpoint: "/me"), scopes: ["orders"])?.contains("'endpoint'") == true)
        #expect(problem(issuer: "http://id.example.com") == "'issuer' is an http URL of another machine. Use https.")
        #expect(problem(.userInfo(endpoint: "http://id.example.com/me"), scopes: ["a"])?.contains("http URL") == true)
        for host in ["localhost", "127.0.0.2:8080", "[::1]"] { #expect(problem(issuer: "http://\(host)") == nil) }
        #expect(problem(.keys(audience: ""))?.contains("'audience'") == true)
        for issuer in ["id.example.com", "https://a@b", "https://a?b", "ftp://a", "https://a#b", ""] {
            #expect(problem(issuer: issuer)?.contains("'issuer'") == true, "\(issuer)")
        }
        for algorithms in [["HS256"], ["none"], [], ["ES256", "XX"]] as [Set<String>] {
            #expect(problem { $0.algorithms = algorithms }?.contains("'algorithms'") == true, "\(algorithms)")
        }
        #expect(problem { $0.clockSkew = .seconds(301) }?.contains("'clockSkew'") == true)
        #expect(problem { $0.cacheLifetime = .seconds(-1) }?.contains("'cacheLifetime'") == true)
        #expect(problem { $0.realm = "a\"" }?.contains("'realm'") == true)
        #expect(problem(scopes: ["a b"])?.contains("'scopes'") == true)
    }

    @Test("Nothing that can be printed shows a secret")
    func secrets() async throws {
        let settings = BearerSettings(
            issuer: "https://id.example.com",
            method: .introspection(audience: "a", clientID: "orders", clientSecret: "the-secret"))
        var text = "\(settings) \(settings.method)"
        dump(settings, to: &text)
        dump(try BearerValidator(settings), to: &text)
        #expect(!text.contains("the-secret"))
    }
}
