import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The first and the last day of accounts", .timeLimit(.minutes(2)))
struct AccountDatesTests {
    private let service: ServiceUnderTest
    private var engineer: String { "people/\(ServiceUnderTest.engineer)" }

    init() async throws { service = try await ServiceUnderTest() }

    /// Sets a date of the engineer by its name in the profile service.
    private func set(_ name: String, in seconds: TimeInterval?) async {
        let value = seconds.map { JSONValue.string(Timestamp.text(service.clock.now.addingTimeInterval($0))) }
        let answer = await service.request("PUT", engineer, [name: value ?? ""])
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func status(_ authorization: String?, cookie: String? = nil) async -> Int {
        await service.send(
            "GET", "/scim/v2/Me", authorization, headers: cookie.map { [("Cookie", $0)] } ?? []
        ).status
    }

    @Test(
        "Whatever somebody holds ends at the moment at which the account ends, and does not come back with the account")
    func ends() async throws {
        let app = try await App(service)
        let scope = "openid directory offline_access"
        let (access, refresh) = try await app.tokens(["scope": scope])
        let begun = await service.request("POST", "/db/_session", as: .person)
        let session = try #require(begun.header("Set-Cookie")).prefix { $0 != ";" }
        await set("activeenddate", in: 30)
        func all() async -> [Int] {
            [
                await status(service.authorization(.person)), await status("Bearer " + access),
                await status(nil, cookie: String(session)),
            ]
        }
        #expect(await all() == [200, 200, 200])
        #expect(await app.isActive(access))
        service.clock.advance(by: 29)
        #expect(await all() == [200, 200, 200], "the last second")
        service.clock.advance(by: 1)
        #expect(await all() == [401, 401, 401])
        #expect(await !app.isActive(access))
        #expect(await app.refresh(try #require(refresh)).status == 400)
        let signIn = await app.token(
            ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
            ("password", ServiceUnderTest.password), ("scope", scope))
        #expect(signIn.status == 400, "\(signIn.text)")
        await set("activeenddate", in: nil)
        #expect(await all() == [200, 401, 401], "the sessions and tokens from before the end are gone")
        #expect(await app.refresh(try #require(refresh)).status == 400)
    }

    @Test("Nobody signs in before the account begins, and the account begins by itself")
    func begins() async {
        await set("activestartdate", in: 3_600)
        #expect(await status(service.authorization(.person)) == 401)
        service.clock.advance(by: 3_599)
        #expect(await status(service.authorization(.person)) == 401)
        service.clock.advance(by: 1)
        #expect(await status(service.authorization(.person)) == 200)
    }

    @Test("A user may not prolong the own account, nor a provisioning client an administrator's")
    func isForAdministrators() async {
        #expect(await service.request("PUT", engineer, as: .person, ["activeenddate": "2999-12-31"]).status == 403)
        #expect(
            await service.request("PUT", engineer, as: .provisioning, ["activeenddate": "2999-12-31"]).status == 200)
        #expect(
            await service.request("PUT", "people/root", as: .provisioning, ["activeenddate": "2999-12-31"]).status
                == 403)
    }
}
