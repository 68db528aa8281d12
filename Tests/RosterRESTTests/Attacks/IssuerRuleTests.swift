import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What an issuer's entry asks for is asked at every door", .timeLimit(.minutes(2)))
struct IssuerRuleTests {
    private func get(_ service: TrustingService, _ token: String) async -> Answer {
        var headers: HTTPHeaders = ["Authorization": "Bearer " + token]
        headers.add("Oracle-Mobile-Backend-ID", service.app.backendID)
        return Answer(
            await service.service.respond(
                to: HTTPRequest("GET", "/mobile/platform/sso/exchange-token", headers: headers)))
    }

    private func post(_ service: TrustingService, _ token: String, _ authorization: String?) async -> Answer {
        var form = [("grant_type", TrustingService.jwtGrant), ("assertion", token)]
        if authorization == nil { form.append(("client_id", service.app.clientID)) }
        return await service.send("POST", "/mobile/platform/auth/token", authorization, form: form)
    }

    @Test("requireClientAuth that is written out as true holds on GET as well; where it is left out, GET is as before")
    func clientAuthentication() async throws {
        let party = try Party.first.get()
        for (fields, get, bare) in [
            (["requireClientAuth": true], 401, 401), ([:], 200, 401), (["requireClientAuth": false], 200, 200),
        ] as [(JSONValue, Int, Int)] {
            var entry: JSONValue = ["virtualUserEnabled": true]
            for member in fields.members { entry[member.name] = member.value }
            try await TrustingService.running(issuers: [TrustingService.issuer(party, entry)]) { service in
                let answer = await self.get(service, try party.token())
                #expect(answer.status == get, "\(fields): \(answer.text)")
                if get == 401 { #expect(answer["error"]?.text == "invalid_client") }
                #expect(await post(service, try party.token(), nil).status == bare)
                let proof = ServiceUnderTest.basic(service.app.clientID, service.secret)
                #expect(await post(service, try party.token(), proof).status == 200)
            }
        }
    }

    @Test("A token with a jti is taken once where the issuer's entry asks for it, also after the clock was ahead")
    func once() async throws {
        let party = try Party.first.get()
        let clock = SettableClock(Date())
        let entry: JSONValue = ["virtualUserEnabled": true, "tokenUsedOnce": true]
        try await TrustingService.running(
            issuers: [TrustingService.issuer(party, entry)], clock: { clock.now }
        ) { service in
            let token = try party.token(at: clock.now)
            #expect(await service.bring(token).status == 200)
            #expect(await service.everyWay(token).isEmpty)
            #expect(await service.bring(try party.token(at: clock.now)).status == 200, "another one")
            #expect(
                await service.bring(try party.token(without: ["jti"], at: clock.now))["error"]?.text == "invalid_grant")
            let same = try party.token(["jti": "one"], at: clock.now)
            #expect(await service.bring(same).status == 200)
            let other = try party.token(["jti": "one", "sub": "somebody else"], at: clock.now)
            #expect(await service.bring(other).status == 400)
            clock.advance(by: 7_200)
            try await service.directory.spentTokens.forgetExpired()
            clock.advance(by: -7_198)
            #expect(await service.bring(token).status == 400)
            #expect(await service.bring(try party.token(at: clock.now)).status == 200)
        }
        try await TrustingService.running(issuers: [TrustingService.issuer(party, ["virtualUserEnabled": true])]) {
            let token = try party.token()
            #expect(await $0.bring(token).status == 200)
            #expect(await $0.bring(token).status == 200, "where nothing is said, a token may be brought again")
        }
    }

    @Test("A token without an audience is taken only where the issuer's entry has none")
    func audiences() async throws {
        let party = try Party.first.get()
        for (audience, status) in [(["urn:us", .string(TrustingService.base)], 400), ([], 200)] as [(JSONValue, Int)] {
            let entry: JSONValue = ["virtualUserEnabled": true, "audience": audience]
            try await TrustingService.running(issuers: [TrustingService.issuer(party, entry)]) { service in
                let without = try party.token(without: ["aud"])
                #expect(await service.bring(without).status == status)
                let ours = try party.token()
                #expect(await service.bring(ours).status == 200)
                let others = try party.token(["aud": "https://evil.example.com"])
                #expect(await service.bring(others).status == 400)
            }
        }
    }
}
