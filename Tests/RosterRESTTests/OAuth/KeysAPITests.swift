import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The keys that sign tokens, over REST")
struct KeysAPITests {
    private func keyID(_ token: String) throws -> String? { try JSONWebToken(token).keyID }

    @Test(
        "A new key signs once clients had the time to fetch it, and what the old one signed is good until the old one is taken away"
    )
    func rotation() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let old = try await app.tokens().access
        let made = await service.request("POST", "/admin/keys", as: .administrator, ["algorithm": "ES256"])
        let id = try #require(made["id"]?.text, "\(made.text)")
        #expect(try keyID(try await app.tokens().access) == keyID(old), "nobody knows the new one yet")
        let field = await service.request("GET", "/oauth2/jwks", as: .nobody).header("Cache-Control")
        let age = try #require(field?.split(separator: "=").last.flatMap { Double($0) })
        service.clock.advance(by: age)
        let new = try await app.tokens().access
        #expect(try keyID(new) == id)
        #expect(try keyID(old) != id)
        #expect(await app.isActive(old))
        #expect(await app.isActive(new))
        let published = await service.request("GET", "/oauth2/jwks", as: .nobody)["keys"]?.elements.compactMap {
            $0["kid"]?.text
        }
        let oldID = try #require(try keyID(old))
        #expect(published?.contains(oldID) == true && published?.contains(id) == true)
        let listed = await service.request("GET", "/admin/keys")["keys"]?.elements ?? []
        #expect(listed.first { $0["id"]?.text == oldID }?["retired"]?.text != nil)
        #expect(listed.first { $0["id"]?.text == id }?["retired"] == .null)
        #expect(await service.request("DELETE", "/admin/keys/" + oldID).status == 204)
        #expect(await app.isActive(old) == false)
        #expect(await app.isActive(new))
        #expect(await service.request("DELETE", "/admin/keys/" + oldID).status == 404)
    }

    @Test("A new key takes no body")
    func withoutBody() async throws {
        let service = try await ServiceUnderTest()
        let made = await service.request("POST", "/admin/keys")
        #expect(made.status == 201 && made["algorithm"] == "ES256", "\(made.text)")
    }

    @Test("Nobody but an administrator sees or changes them, and no private part is shown")
    func rights() async throws {
        let service = try await ServiceUnderTest()
        for client in [Client.person, .provisioning, .monitoring] {
            #expect(await service.request("GET", "/admin/keys", as: client).status == 403, "\(client)")
            #expect(await service.request("POST", "/admin/keys", as: client, [:]).status == 403, "\(client)")
            #expect(await service.request("DELETE", "/admin/keys/x", as: client).status == 403, "\(client)")
        }
        #expect(await service.request("GET", "/admin/keys", as: .nobody).status == 401)
        #expect(await service.request("POST", "/admin/keys", as: .administrator, ["algorithm": "HS256"]).status == 400)
        let members = await service.request("GET", "/admin/keys")["keys"]?.elements.first?.names
        #expect(members == ["id", "algorithm", "created", "retired"])
    }
}
