import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("How many devices may wait", .timeLimit(.minutes(8)), .inBothForms)
struct DeviceLimitTests {
    private static let grant = ("grant_type", BackendSettings.Grant.deviceCode.rawValue)

    @Test(
        "A client has two thousand devices wait at most in one place, and drops nobody else's; room comes with time and with use"
    )
    func limit() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let greedy = try await App(service, named: "greedy")
        func begin(_ app: App) async -> Answer {
            await app.post("/oauth2/device_authorization", [("scope", "openid")])
        }
        let waiting = await begin(app)
        let first = await begin(greedy)
        service.clock.advance(by: 60)
        for _ in 1..<2_000 { #expect(await begin(greedy).status == 200) }
        let refused = await begin(greedy)
        #expect(refused.status == 429 && refused["error"]?.text == "temporarily_unavailable", "\(refused.text)")
        #expect(refused.header("Retry-After") == "540")
        #expect(refused["device_code"] == nil)
        let elsewhere = await greedy.post(
            "/oauth2/device_authorization", [("scope", "openid")], clientAddress: "203.0.113.7")
        #expect(elsewhere.status == 200, "who fills the places of one address locks out nobody elsewhere")
        for (client, code) in [(app, waiting), (greedy, first)] {
            let answer = await client.token(Self.grant, ("device_code", code["device_code"]?.text ?? ""))
            #expect(answer["error"]?.text == "authorization_pending", "\(answer.text)")
        }
        #expect(await begin(app).status == 200)

        _ = try await greedy.code()
        let page = await greedy.browse("GET", "/oauth2/device?user_code=" + (first["user_code"]?.text ?? ""))
        _ = try await greedy.bring(page, to: "/oauth2/device", [("decision", "allow")])
        service.clock.advance(by: 11)
        #expect(await greedy.token(Self.grant, ("device_code", first["device_code"]?.text ?? "")).status == 200)
        #expect(await begin(greedy).status == 200)
        #expect(await begin(greedy).status == 429)
        service.clock.advance(by: 590)
        #expect(await begin(greedy).status == 200, "the others have expired")
    }
}
