import Foundation
import RosterWire
import TestSupport
import Testing

@testable import Roster
@testable import RosterREST
@testable import RosterSignIn

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

        #expect(await app.status("/mobile/platform/users/~", handle) == 401, "a handle is no access token")
        #expect(await app.token(("grant_type", "client_credentials")).status != 200)
        let swapped = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", handle),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ])
        #expect(swapped["error"]?.text == "invalid_request", "nor does it become one (RFC 8693, section 2.2.2)")
        let machine: JSONValue = ["X-Idaas-Rest-New-Token-Type-To-Create": "CLIENTTOKEN"]
        #expect(await ask(service, "authenticate", machine, proof: (app.clientID, handle)).status == 403)
        #expect(await ask(service, "authenticate", credentials(), proof: ("other", handle)).status == 401)
        #expect(await ask(service, "authenticate", credentials(), proof: (app.clientID, token)).status == 401)

        let hash = try PasswordHash.make("another good password", try #require(PasswordParameters(logN: 4, r: 8, p: 1)))
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer), [.set("password", .string(hash.text))])
        let after = await ask(
            service, "authenticate", credentials(password: "another good password"), proof: (app.clientID, handle))
        #expect(after.status == 401)
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
