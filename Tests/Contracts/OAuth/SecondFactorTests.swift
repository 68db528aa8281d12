import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in with a second factor", .inBothForms)
struct SecondFactorTests {
    private let path = "/mobile/platform/users/~/totp"

    /// Sets one up for the engineer.
    private func setUp(_ service: ServiceUnderTest) async throws -> (secret: [UInt8], recovery: [String]) {
        let begun = await service.request("POST", path, as: .person)
        let address = try #require(begun["otpauth_uri"]?.text)
        #expect(address.hasPrefix("otpauth://totp/id.example.com:ren.watanabe?secret="))
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 200, "it is not confirmed yet")
        let text = try #require(begun["secret"]?.text)
        let secret = base32Decoded(text)
        #expect(await service.request("POST", path + "/confirm", as: .person, ["code": "000000"]).status == 400)
        let done = await service.request(
            "POST", path + "/confirm", as: .person, ["code": .string(try code(secret, service))])
        let recovery = done["recovery_codes"]?.elements.compactMap(\.text)
        return (secret, try #require(recovery))
    }

    private func code(_ secret: [UInt8], _ service: ServiceUnderTest) throws -> String {
        try OneTimePassword.code(secret, step: Int64(service.clock.now.timeIntervalSince1970) / 30)
    }

    private func ask(_ app: App, otp: String?) async -> Answer {
        await app.post(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password),
            ] + (otp.map { [("otp", $0)] } ?? []))
    }

    @Test("The password alone is not enough any more, a code is good once, and the token says how it was got")
    func works() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (secret, recovery) = try await setUp(service)
        #expect(recovery.count == 10 && Set(recovery).count == 10)
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 401, "Basic has no place for a code")
        #expect(await ask(app, otp: nil)["error"]?.text == "mfa_required")
        #expect(await ask(app, otp: try code(secret, service))["error"]?.text == "invalid_grant", "used to confirm it")
        service.clock.advance(by: 30)
        let now = try code(secret, service)
        let answer = await ask(app, otp: now)
        #expect(answer.status == 200, "\(answer.text)")
        let token = try JSONWebToken(try #require(answer["access_token"]?.text))
        #expect(token.claims["amr"] == ["pwd", "otp"])
        #expect(await ask(app, otp: now)["error"]?.text == "invalid_grant")
    }

    @Test("A recovery code is good once, however it is written")
    func recovery() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (_, recovery) = try await setUp(service)
        #expect(await ask(app, otp: recovery[0]).status == 200)
        #expect(await ask(app, otp: recovery[0]).status == 400)
        #expect(await ask(app, otp: recovery[1].uppercased().replacing("-", with: " ")).status == 200)
        let image = try service.storedBytes()
        #expect(image.range(of: Data(recovery[2].utf8)) == nil)
    }

    @Test("A session of Sync Gateway and the token services take the code as 'otp', which their refusals name")
    func elsewhere() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (_, recovery) = try await setUp(service)
        let proof = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
        let bodies: [(path: String, body: JSONValue, says: String)] = [
            (
                "/db/_session",
                ["name": .string(ServiceUnderTest.engineer), "password": .string(ServiceUnderTest.password)], "reason"
            ),
            (
                "/oic_rest/rest/jwtauthentication/authenticate",
                [
                    "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL",
                    "X-Idaas-Rest-Subject-Username": .string(ServiceUnderTest.engineer),
                    "X-Idaas-Rest-Subject-Password": .string(ServiceUnderTest.password),
                ], "message"
            ),
        ]
        for (index, (path, body, says)) in bodies.enumerated() {
            func ask(_ body: JSONValue) async -> Answer {
                await service.request(
                    "POST", path, as: .nobody, body,
                    headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(proof)\"")])
            }
            let asked = await ask(body)
            #expect(asked.status == 401 && asked[says]?.text?.contains("'otp'") == true, "\(asked.text)")
            var whole = body
            whole["otp"] = .string(recovery[index])
            #expect(await ask(whole).status == 200, "\(path)")
        }
    }

    @Test("Of many requests with one code at once, one gets in")
    func races() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (_, recovery) = try await setUp(service)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await ask(app, otp: recovery[3]).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
    }

    @Test("Guessing codes soon has to wait")
    func guessing() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        _ = try await setUp(service)
        var last = 0
        for number in 0..<40 where last != 429 { last = await ask(app, otp: String(100_000 + number)).status }
        #expect(last == 429)
    }

    @Test("The sign-in page asks for the code where there is one to give")
    func page() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (secret, _) = try await setUp(service)
        service.clock.advance(by: 60)
        let asked = try await app.signIn(on: await app.browse("GET", try app.authorizePath()))
        #expect(asked.status == 401 && asked.text.contains("authenticator app"))
        let done = await app.browse(
            "POST", "/oauth2/authorize",
            form: [
                ("request", try App.sealed(asked)), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("otp", try code(secret, service)),
            ])
        #expect(App.sent(done)["code"] != nil)
    }
}
