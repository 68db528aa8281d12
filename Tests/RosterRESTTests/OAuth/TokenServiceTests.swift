import Foundation
import Roster
@testable import RosterREST
import RosterOpenID
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The token services of Mobile and Social")
struct TokenServiceTests {
    private func authenticate(
        _ app: App, _ body: JSONValue, service: String = "jwtauthentication", proof: String? = nil
    ) async -> Answer {
        let credentials = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
        return await app.service.request(
            "POST", "/oic_rest/rest/\(service)/authenticate", as: .nobody, body,
            headers: [("X-IDAAS-REST-AUTHORIZATION", proof ?? "UIDPASSWORD cred=\"\(credentials)\"")])
    }

    private func credentials(_ password: String = ServiceUnderTest.password) -> JSONValue {
        [
            "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL", "X-Idaas-Rest-Subject-Username": "ren.watanabe",
            "X-Idaas-Rest-Subject-Password": .string(password), "X-Idaas-Rest-New-Token-Type-To-Create": "USERTOKEN",
        ]
    }

    @Test("A name and a password get a token that works everywhere, and can be asked about")
    func works() async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await authenticate(app, credentials())
        #expect(answer.status == 200 && answer["X-Idaas-Rest-Token-Type"]?.text == "USERTOKEN", "\(answer.text)")
        #expect(answer["X-Idaas-Rest-User-Principal"]?.text == "ren.watanabe")
        let token = try #require(answer["X-Idaas-Rest-Token-Value"]?.text)
        #expect(await app.status("/scim/v2/Me", token) == 200)
        let proof = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
        let info = await app.service.request(
            "GET",
            "/oic_rest/rest/jwtauthentication/tokens/info?X-Idaas-Rest-Subject-Value=\(token)&X-Idaas-Rest-Subject-Type=TOKEN",
            as: .nobody, headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(proof)\"")])
        #expect(info["X-Idaas-Rest-User-Principal"]?.text == "ren.watanabe")
        let machine = await authenticate(app, ["X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTTOKEN"])
        #expect(machine["X-Idaas-Rest-Token-Type"]?.text == "CLIENTTOKEN")
    }

    @Test(
        "DELETE ends a token with its grant at once, for the app that it was given to",
        arguments: ["tokens", "tokens/info"])
    func termination(place: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        let other = try await App(app.service, named: "other")
        func end(_ token: String, _ app: App) async -> Int {
            let proof = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
            return await app.service.request(
                "DELETE",
                "/oic_rest/rest/jwtauthentication/\(place)?X-Idaas-Rest-Subject-Value=\(token)&X-Idaas-Rest-Subject-Type=TOKEN",
                as: .nobody, headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(proof)\"")]
            ).status
        }
        let (access, refresh) = try await app.tokens(["scope": "openid directory offline_access"])
        #expect(await end(access, other) == 400)
        #expect(await app.isActive(access), "it is another app's")
        #expect(await end(access, app) == 204)
        #expect(await !app.isActive(access))
        #expect(await app.status("/scim/v2/Me", access) == 401)
        #expect(await app.refresh(try #require(refresh))["error"]?.text == "invalid_grant", "the grant has ended")
        #expect(await end(access, app) == 400, "once")
        let user = try #require(await authenticate(app, credentials())["X-Idaas-Rest-Token-Value"]?.text)
        #expect(await end(user, app) == 204)
        #expect(await app.status("/scim/v2/Me", user) == 401)
        let machine = await authenticate(app, ["X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTTOKEN"])
        let own = try #require(machine["X-Idaas-Rest-Token-Value"]?.text)
        #expect(await end(own, app) == 204)
        #expect(await !app.isActive(own))
        let nobody = "/oic_rest/rest/jwtauthentication/\(place)?X-Idaas-Rest-Subject-Value=\(own)"
        #expect(await app.service.request("DELETE", nobody, as: .nobody).status == 401)
    }

    @Test("A wrong password, a wrong client and another service are refused as the profile service refuses")
    func refused() async throws {
        let app = try await App(try await ServiceUnderTest())
        for answer in [
            await authenticate(app, credentials("wrong")),
            await authenticate(app, credentials(), proof: "UIDPASSWORD cred=\"eDp5\""),
        ] { #expect(answer.status == 401 && answer["oicErrorCode"]?.text == "IDAAS-62001", "\(answer.text)") }
        #expect(await authenticate(app, credentials(), service: "userprofile").status == 404)
        #expect(await authenticate(app, ["X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTREGHANDLE"]).status == 400)
        let without = try await App(app.service, named: "without", ["grant_types": ["client_credentials"]])
        #expect(await authenticate(without, credentials()).status == 403)
    }
}

@Suite("Registered devices, and tokens for one resource")
struct RegistrationTests {
    private static let prefix = "X-Idaas-Rest-"

    private func ask(
        _ service: ServiceUnderTest, _ name: String, _ body: JSONValue, proof: (id: String, secret: String)? = nil,
        of provider: String = "mobilejwtauthentication"
    ) async -> Answer {
        let headers = proof.map { proof in
            let text = Data("\(proof.id):\(proof.secret)".utf8).base64EncodedString()
            return [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(text)\"")]
        }
        return await service.request(
            "POST", "/oic_rest/rest/\(provider)/\(name)", as: .nobody, body, headers: headers ?? [])
    }

    private func credentials(_ more: JSONValue = [:], password: String = ServiceUnderTest.password) -> JSONValue {
        var body: JSONValue = [
            "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL",
            "X-Idaas-Rest-Subject-Username": .string(ServiceUnderTest.engineer),
            "X-Idaas-Rest-Subject-Password": .string(password),
        ]
        for member in more.members { body[member.name] = member.value }
        return body
    }

    @Test("A device registers with a user's password; its handle proves the app until the password changes")
    func register() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(
            service, ["public": true, "grant_types": ["password", "urn:ietf:params:oauth:grant-type:token-exchange"]])
        let id: JSONValue = ["clientId": .string(app.clientID), "deviceProfile": ["hardwareIds": [:]]]
        #expect(await ask(service, "register", credentials(id, password: "wrong")).status == 401)
        #expect(await ask(service, "register", credentials(["clientId": "nobody"])).status == 401)
        #expect(await ask(service, "register", credentials(id), of: "jwtauthentication").status == 400)
        let answer = await ask(service, "register", credentials(id))
        #expect(answer["X-Idaas-Rest-Token-Type"]?.text == "CLIENTREGHANDLE", "\(answer.text)")
        let handle = try #require(answer["X-Idaas-Rest-Token-Value"]?.text)
        let signedIn = await ask(service, "authenticate", credentials(), proof: (app.clientID, handle))
        let token = try #require(signedIn["X-Idaas-Rest-Token-Value"]?.text, "\(signedIn.text)")
        #expect(await app.status("/mobile/platform/users/~", token) == 200)

        let (prefix, proof) = (Self.prefix, (app.clientID, handle))
        #expect(await info(service, token, proof)[prefix + "User-Principal"]?.text == ServiceUnderTest.engineer)
        #expect(await info(service, handle, proof).status == 400, "a handle is not a token of a user's")
        let narrow = await ask(service, "access", resource(token), proof: proof)
        #expect(narrow[prefix + "Token-Type"]?.text == "ACCESSTOKEN", "\(narrow.text)")
        let other = try await App(service, named: "other")
        let (foreign, machine) = try await (other.tokens().access, ownToken(of: other))
        for text in [foreign, machine] {
            #expect(await info(service, text, proof).status == 400, "tokens of users of this client only")
            #expect(await ask(service, "access", resource(text), proof: proof).status == 400)
        }
        for name in ["access", "tokens/info"] {
            let wrong = (other.clientID, handle)
            let answer =
                name == "access"
                ? await ask(service, name, resource(token), proof: wrong) : await info(service, token, wrong)
            #expect(answer.status == 401, "\(name) for another client")
        }

        #expect(await app.status("/mobile/platform/users/~", handle) == 401, "a handle is not an access token")
        #expect(await app.token(("grant_type", "client_credentials")).status != 200)
        let swapped = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", handle),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ])
        #expect(swapped["error"]?.text == "invalid_request", "nor does it become one (RFC 8693, section 2.2.2)")
        let own: JSONValue = ["X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTTOKEN"]
        #expect(await ask(service, "authenticate", own, proof: (app.clientID, handle)).status == 403)
        #expect(await ask(service, "authenticate", credentials(), proof: ("other", handle)).status == 401)
        #expect(await ask(service, "authenticate", credentials(), proof: (app.clientID, token)).status == 401)

        let hash = try PasswordHash.make("another good password", .forTests)
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer), [.set("password", .string(hash.text))])
        let after = await ask(
            service, "authenticate", credentials(password: "another good password"), proof: (app.clientID, handle))
        #expect(after.status == 401)
        #expect(await info(service, token, proof).status == 401)
    }

    /// A token of an app itself.
    private func ownToken(of app: App) async throws -> String {
        try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
    }

    private func info(
        _ service: ServiceUnderTest, _ token: String, _ proof: (id: String, secret: String)
    ) async -> Answer {
        let text = Data("\(proof.id):\(proof.secret)".utf8).base64EncodedString()
        return await service.request(
            "GET", "/oic_rest/rest/mobilejwtauthentication/tokens/info?\(Self.prefix)Subject-Value=\(token)",
            as: .nobody, headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(text)\"")])
    }

    private func resource(_ token: String) -> JSONValue {
        [
            "X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token),
            "X-Idaas-Rest-Application-Resource": "https://id.example.com",
        ]
    }

    @Test("A device registers with the name of its app, or with the client id")
    func appName() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["public": true, "grant_types": ["password"]])
        for name in [app.record.name, app.clientID] {
            let registered = await ask(service, "register", credentials(["clientId": .string(name)]))
            #expect(registered[Self.prefix + "Token-Type"]?.text == "CLIENTREGHANDLE", "\(registered.text)")
        }
        #expect(await ask(service, "register", credentials(["clientId": "another"])).status == 401)
    }

    @Test("A user's token gets a fresh one that allows no more and ends no later, for the client that has it only")
    func renewal() async throws {
        let service = try await ServiceUnderTest()
        let grant = "urn:ietf:params:oauth:grant-type:token-exchange"
        let app = try await App(
            service, ["public": true, "grant_types": ["password", .string(grant)], "access_token_expiry": 600])
        let registered = await ask(service, "register", credentials(["clientId": .string(app.clientID)]))
        let proof = (app.clientID, try #require(registered[Self.prefix + "Token-Value"]?.text))
        let signedIn = await ask(service, "authenticate", credentials(), proof: proof)
        let old = try #require(signedIn[Self.prefix + "Token-Value"]?.text)
        func renew(_ token: String, _ proof: (String, String)) async -> Answer {
            await ask(
                service, "authenticate",
                [
                    "X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token),
                    "X-Idaas-Rest-New-Token-Type-To-Create": "USERTOKEN",
                ], proof: proof)
        }
        let answer = await renew(old, proof)
        let new = try #require(answer[Self.prefix + "Token-Value"]?.text, "\(answer.text)")
        #expect(answer[Self.prefix + "Token-Type"]?.text == "USERTOKEN" && new != old)
        #expect(answer[Self.prefix + "User-Principal"]?.text == ServiceUnderTest.engineer)
        #expect(await app.status("/mobile/platform/users/~", new) == 200)
        let (before, after) = (try JSONWebToken(old).claims, try JSONWebToken(new).claims)
        func words(_ claims: JSONValue) -> Set<Substring> { Set((claims["scope"]?.text ?? "").split(separator: " ")) }
        #expect(words(after).isSubset(of: words(before)) && after["sub"] == before["sub"])
        #expect(try #require(after["exp"]?.wholeNumber) <= #require(before["exp"]?.wholeNumber))

        let other = try await App(service, named: "other")
        let (foreign, machine) = try await (other.tokens().access, ownToken(of: other))
        for text in [foreign, machine, proof.1, "eyJ.x.y", ""] {
            #expect(await renew(text, proof).status == 401, "\(text.prefix(8))")
        }
        #expect(await renew(old, (other.clientID, other.secret ?? "")).status == 401, "another client's")
        _ = await app.post("/oauth2/revoke", [("token", old)])
        #expect(await renew(old, proof).status == 401, "it was ended")
        let without = try await App(service, named: "without", ["grant_types": ["password"]])
        let theirs = (without.clientID, without.secret ?? "")
        let single = await ask(service, "authenticate", credentials(), proof: theirs)
        #expect(await renew(single[Self.prefix + "Token-Value"]?.text ?? "", theirs).status == 403)
    }

    @Test("A token for one resource is for nothing else, and only for what the backend may have")
    func access() async throws {
        let service = try await ServiceUnderTest()
        let resources: JSONValue = ["https://id.example.com", "https://orders.example.com"]
        let app = try await App(service, ["audience": resources])
        let proof = (app.clientID, app.secret ?? "")
        let token = try #require(
            await ask(service, "authenticate", credentials(), proof: proof)["X-Idaas-Rest-Token-Value"]?.text)
        func access(_ resource: String) async -> Answer {
            await ask(
                service, "access",
                [
                    "X-Idaas-Rest-Subject-Type": "TOKEN", "X-Idaas-Rest-Subject-Value": .string(token),
                    "X-Idaas-Rest-Application-Resource": .string(resource),
                ], proof: proof)
        }
        let answer = await access("https://orders.example.com")
        let narrow = try #require(answer["X-Idaas-Rest-Token-Value"]?.text, "\(answer.text)")
        #expect(answer["X-Idaas-Rest-Token-Type"]?.text == "ACCESSTOKEN")
        #expect(try JSONWebToken(narrow).claims["aud"]?.text == "https://orders.example.com")
        #expect(await app.status("/mobile/platform/users/~", token) == 200)
        #expect(await app.status("/mobile/platform/users/~", narrow) == 401)
        #expect(await access("https://elsewhere.example.com").status == 400)
        #expect(await ask(service, "access", ["X-Idaas-Rest-Subject-Type": "TOKEN"], proof: proof).status == 400)
    }
}
