import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("A secret is changed without a stop", .timeLimit(.minutes(2)), .inBothForms)
struct FormerSecretTests {
    private func status(_ app: App, _ secret: String?) async -> Int {
        await app.post(
            "/oauth2/token", [("grant_type", "client_credentials")],
            authorization: .some(ServiceUnderTest.basic(app.clientID, secret ?? ""))
        ).status
    }

    @Test("The former secret stays good until its end, beside the new one, and what it got stays good")
    func overlap() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = "/admin/backends/" + app.record.id.description
        let before = await app.token(("grant_type", "client_credentials"))["access_token"]?.text ?? ""
        let answer = await service.request("POST", path + "/secret", ["keep_old_seconds": 3_600])
        let new = answer["client_secret"]?.text
        #expect(answer.status == 200 && new != nil && new != app.secret && answer["anonymous_key"] == nil)
        #expect(answer["former_secrets"]?.elements.count == 1)
        #expect(await status(app, app.secret) == 200)
        #expect(await status(app, new) == 200)
        #expect(await app.isActive(before), "tokens of before go on")
        let third = await service.request("POST", path + "/secret", ["keep_old_seconds": 60])["client_secret"]?.text
        for secret in [app.secret, new, third] { #expect(await status(app, secret) == 200) }
        service.clock.advance(by: 61)
        #expect(await status(app, new) == 401, "each has its own end")
        #expect(await status(app, app.secret) == 200)
        service.clock.advance(by: 3_600)
        #expect(await status(app, app.secret) == 401)
        #expect(await status(app, third) == 200)
    }

    @Test("Former secrets are listed with their ends and ended with one call; a new secret without a time ends all")
    func ending() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = "/admin/backends/" + app.record.id.description
        let first = await service.request("POST", path + "/secret", ["keep_old_seconds": 3_600])["client_secret"]?.text
        let listed = await service.request("GET", path + "/secrets")
        #expect(listed["former_secrets"]?.elements.first?["expires"] != nil)
        #expect(!listed.text.contains(app.secret ?? "-"))
        #expect(await service.request("DELETE", path + "/secrets").status == 204)
        #expect(await status(app, app.secret) == 401)
        #expect(await status(app, first) == 200)
        _ = await service.request("POST", path + "/secret", ["keep_old_seconds": 3_600])
        let last = await service.request("POST", path + "/secret")["client_secret"]?.text
        #expect(await status(app, first) == 401)
        #expect(await status(app, last) == 200)
        for client in [Client.person, .provisioning, .monitoring, .nobody] {
            #expect(await service.request("GET", path + "/secrets", as: client).status >= 401)
            #expect(await service.request("DELETE", path + "/secrets", as: client).status >= 401)
            #expect(await service.request("POST", path + "/secret", as: client, ["keep_old_seconds": 1]).status >= 401)
        }
    }

    @Test("An app that knows only the former secret can still verify the id tokens that it gets")
    func sharedSecret() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["id_token_signed_response_alg": "HS256"])
        let path = "/admin/backends/" + app.record.id.description
        _ = await service.request("POST", path + "/secret", ["keep_old_seconds": 3_600])
        let answer = await app.redeem(try await app.code())
        let token = try JSONWebToken(try #require(answer["id_token"]?.text, "\(answer.text)"))
        let key = VerificationKey(sharedSecret: Array((app.secret ?? "").utf8))
        #expect(try token.isSigned(by: VerificationKeySet([key]), allowing: [.hs256]))
        let hint = try service.signIn.oauth.introspection.idTokenHint(answer["id_token"]?.text ?? "")
        #expect(hint?.clientID == app.clientID)
    }

    @Test("Times out of range and public clients are refused", arguments: [0, -1, 7_776_001] as [Int64])
    func refused(seconds: Int64) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = "/admin/backends/" + app.record.id.description + "/secret"
        #expect(await service.request("POST", path, ["keep_old_seconds": .integer(seconds)]).status == 400)
        #expect(await service.request("POST", path, ["keep": 1]).status == 400)
        let native = try await App(service, named: "native", ["public": true, "grant_types": ["authorization_code"]])
        let other = "/admin/backends/" + native.record.id.description + "/secret"
        #expect(await service.request("POST", other, ["keep_old_seconds": 60]).status == 400)
        #expect(await status(app, app.secret) == 200)
    }
}
