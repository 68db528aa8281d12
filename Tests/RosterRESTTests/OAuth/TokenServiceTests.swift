import Foundation
import RosterWire
import TestSupport
import Testing

@testable import Roster
@testable import RosterREST

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
