import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Settings that administrators change while the service runs")
struct SettingsTests {
    private static let provider: JSONValue = [
        "issuer": "https://accounts.example.com", "client_id": "roster", "validation_key": "known to the provider",
    ]

    private func listed(_ name: String, in collection: String, _ service: ServiceUnderTest) async -> JSONValue? {
        await service.request("GET", "/admin/" + collection)[collection]?.elements.first { $0["name"]?.text == name }
    }

    @Test("A stored issuer and its certificate are trusted at once, and no more when one of them is deleted")
    func issuer() async throws {
        try await TrustingService.running(issuers: [TrustingService.issuer(try Party.first.get())]) { trusting in
            let party = try Party.second.get()
            let (settings, view) = (trusting.signIn.oauth.settings, trusting.directory.unrestricted)
            let entry = TrustingService.issuer(party, ["virtualUserEnabled": true])
            #expect(await trusting.bring(try party.token()).status == 400)
            #expect(try await settings.store(.jwtIssuer, party.issuer, entry, in: view))
            #expect(await trusting.bring(try party.token()).status == 200, "its certificate is in the folder")
            try await view.awaitWrite {
                try $0.asPresentAdministrator(to: "test").settings.delete(.jwtIssuer, party.issuer)
            }
            #expect(await trusting.bring(try party.token()).status == 400)
        }
    }

    @Test("An entry of the document counts, is listed as such, and cannot be stored beside it")
    func document() async throws {
        try await TrustingService.running(issuers: [TrustingService.issuer(try Party.first.get())]) { trusting in
            let party = try Party.first.get()
            let settings = trusting.signIn.oauth.settings
            #expect(try settings.givenEntries(.jwtIssuer).map(\.name) == [party.issuer])
            let refused = await #expect(throws: DirectoryError.self) {
                _ = try await settings.store(
                    .jwtIssuer, party.issuer, TrustingService.issuer(party), in: trusting.directory.unrestricted)
            }
            #expect(refused?.code == .alreadyExists)
        }
    }

    @Test(
        "The document of issuers is set whole at run time, as an object or as text, with its intervals and without showing secrets"
    )
    func wholeDocument() async throws {
        try await TrustingService.running(issuers: [], hasDocument: false) { trusting in
            let (one, two) = (try Party.first.get(), try Party.second.get())
            let (settings, view) = (trusting.signIn.oauth.settings, trusting.directory.unrestricted)
            let name = ServicePolicy.tokenIssuers.rawValue
            func taken() async throws -> [Bool] {
                [
                    await trusting.bring(try one.token()).status == 200,
                    await trusting.bring(try two.token()).status == 200,
                ]
            }
            #expect(try await taken() == [false, false])
            #expect(settings.current.value(of: .tokenIssuers) == ["issuers": []])
            let virtual: JSONValue = ["virtualUserEnabled": true]
            let published: JSONValue = [
                "issuerName": "https://keys.example.com",
                "jwks": ["jwksUri": "https://keys.example.com/keys", "authorizationHeader": "Bearer hush"],
            ]
            let first: JSONValue = [
                "issuers": [published, TrustingService.issuer(one, virtual)], "policyMinReloadInterval": 1,
                "policyMaxReloadInterval": 2, "certificatesMinReloadInterval": 3, "certificatesMaxReloadInterval": 4,
            ]
            #expect(try await settings.store(.policy, name, ["value": .string(first.written)], in: view))
            #expect(try await taken() == [true, false])
            #expect(
                settings.current.issuersDocument.certificatesReload
                    == ReloadRule(minimumSeconds: 3, maximumSeconds: 4))
            #expect(
                settings.current.issuersDocument.policyReload == ReloadRule(minimumSeconds: 1, maximumSeconds: 2))
            #expect(
                settings.current.issuersDocument == (try TrustedIssuers(document: first.bytes)), "the secret is there")
            let stored = try view.read { try $0.settings.all(.policy) }
            #expect(stored.first?.hasSecret == true && stored.first?.value.written.contains("hush") == false)
            let shown = try #require(stored.first?.value["value"])
            #expect(shown["certificatesMaxReloadInterval"] == 4)
            #expect(
                try await view.changes.since(0).contains { $0.after["value"]?.text?.contains("hush") == true } == false)

            // An entry of the document counts before one that was stored alone, and a wrong document changes nothing.
            let disabled: JSONValue = ["virtualUserEnabled": true, "enabled": false]
            #expect(
                try await settings.store(.jwtIssuer, one.issuer, TrustingService.issuer(one, disabled), in: view))
            #expect(try await taken() == [true, false])
            for wrong in ["{", "[]", "{\"issuers\": [], \"issuer\": []}", "{\"policyMinReloadInterval\": 1}"] {
                await #expect(throws: DirectoryError.self, "\(wrong)") {
                    _ = try await settings.store(.policy, name, ["value": .string(wrong)], in: view)
                }
            }
            #expect(try await taken() == [true, false])
            let second: JSONValue = ["issuers": [TrustingService.issuer(two, virtual)]]
            #expect(try await !settings.store(.policy, name, ["value": second], in: view))
            #expect(try await taken() == [false, true])
            #expect(try view.read { try $0.settings.all(.policy) }.first?.hasSecret == false)
            try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").settings.delete(.policy, name) }
            #expect(try await taken() == [false, false])
        }
        try await TrustingService.running(issuers: []) { trusting in
            let refused = await #expect(throws: DirectoryError.self) {
                _ = try await trusting.signIn.oauth.settings.store(
                    .policy, ServicePolicy.tokenIssuers.rawValue, ["value": ["issuers": []]],
                    in: trusting.directory.unrestricted)
            }
            #expect(refused?.code == .alreadyExists, "the service was started with a document")
        }
    }

    @Test("A provider's secret is stored encrypted, never shown, kept by a change, and not sent to another address")
    func secret() async throws {
        let service = try await ServiceUnderTest()
        let path = "/admin/providers/oidc/work"
        let made = await service.request("PUT", path, as: .administrator, Self.provider)
        #expect(made.status == 201 && made["has_secret"] == true, "\(made.text)")
        let providers = { service.signIn.oauth.relyingParty.providers.providers }
        #expect(providers()["work"]?.secret == "known to the provider")
        var entry = try #require(await listed("work", in: "providers", service)?["entry"])
        #expect(entry["validation_key"] == nil)
        entry["register"] = true
        #expect(await service.request("PUT", path, as: .administrator, entry).status == 200)
        #expect(providers()["work"]?.secret == "known to the provider" && providers()["work"]?.registers == true)
        entry["issuer"] = "https://elsewhere.example.com"
        #expect(await service.request("PUT", path, as: .administrator, entry).status == 400)
        #expect(providers()["work"]?.issuer == "https://accounts.example.com")
        entry["validation_key"] = .null
        #expect(await service.request("PUT", path, as: .administrator, entry).status == 200)
        #expect(providers()["work"]?.secret == nil)
        let feed = await service.request("GET", "/admin/changes?entity=setting").text
        #expect(feed.contains("accounts.example.com") && !feed.contains("known to the provider"))
        #expect(await service.request("DELETE", path).status == 204)
        #expect(providers().isEmpty)
    }

    @Test(
        "A policy takes effect at once, keeps its old value when a new one is wrong, and has its standard value when deleted"
    )
    func policy() async throws {
        let service = try await ServiceUnderTest()
        func mayRead() async -> Bool {
            let request = HTTPRequest("GET", "/healthz", headers: ["Origin": "https://app.example.com"])
            return await service.respond(to: request).headers["Access-Control-Allow-Origin"] != nil
        }
        let path = "/admin/policies/Security_AllowOrigin"
        #expect(await listed("Security_AllowOrigin", in: "policies", service)?["source"] == "standard")
        #expect(await !mayRead())
        #expect(
            await service.request("PUT", path, as: .administrator, ["value": "https://*.example.com"]).status == 201)
        #expect(await mayRead())
        #expect(await service.request("PUT", path, as: .administrator, ["value": "*"]).status == 400)
        #expect(await mayRead())
        #expect(await service.request("DELETE", path).status == 204)
        #expect(await !mayRead())
        #expect(
            await service.request("PUT", "/admin/policies/other", as: .administrator, ["value": 1]).status == 404)
    }

    @Test("Several policies are set as one: a wrong one is named, and leaves all as they were")
    func severalPolicies() async throws {
        let service = try await ServiceUnderTest()
        func value(_ name: String) async -> JSONValue? { await listed(name, in: "policies", service)?["value"] }
        let wrong: JSONValue = ["dynamic_registration": "everyone", "token_settings": ["access_token_expiry": 0]]
        let refused = await service.request("PUT", "/admin/policies", wrong)
        let told = refused.text
        #expect(refused.status == 400 && told.contains("token_settings: access_token_expiry"), "\(told)")
        #expect(await value("dynamic_registration") == "off")
        let right: JSONValue = ["dynamic_registration": "everyone", "token_settings": ["access_token_expiry": 5]]
        #expect(await service.request("PUT", "/admin/policies", right).status == 204)
        #expect(await value("dynamic_registration") == "everyone")
        let back: JSONValue = ["dynamic_registration": .null, "allow_bare_basic": .null]
        #expect(await service.request("PUT", "/admin/policies", back).status == 204)
        #expect(await value("dynamic_registration") == "off")
        #expect(await value("token_settings") == ["access_token_expiry": 5], "it was not named")
        #expect(await service.request("PUT", "/admin/policies", ["other": 1]).status == 404)
    }

    @Test("Token settings that are stored apply to backends without their own")
    func tokens() async throws {
        let service = try await ServiceUnderTest()
        let backend = try await App(service).record
        let lifetime = { try service.signIn.oauth.clients.backend(.id(backend.id))?.settings.accessTokenLifetime }
        #expect(try lifetime() == 30 * 60)
        let set = await service.request(
            "PUT", "/admin/policies/token_settings", as: .administrator, ["value": ["access_token_expiry": 5]])
        #expect(set.status == 201, "\(set.text)")
        #expect(try lifetime() == 5 * 60)
    }

    @Test("Basic without a backend can be switched off while the service runs")
    func bareBasic() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 200)
        let path = "/admin/policies/allow_bare_basic"
        #expect(await service.request("PUT", path, as: .administrator, ["value": false]).status == 201)
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 401)
        #expect(await service.request("GET", "/admin/policies", as: .tokenAdministrator).status == 200)
    }

    @Test("Certificates are listed by subject and end; a text without one is refused")
    func certificates() async throws {
        let service = try await ServiceUnderTest()
        let pem = String(decoding: try Party.first.get().certificate, as: UTF8.self)
        let made = await service.request(
            "PUT", "/admin/certificates/idp", as: .administrator, ["certificate": .string(pem)])
        #expect(made.status == 201, "\(made.text)")
        let listed = try #require(await listed("idp", in: "certificates", service))
        #expect(listed["subjects"] == ["CN=one.example.com"] && listed["expires"]?.text != nil)
        let wrong = await service.request(
            "PUT", "/admin/certificates/other", as: .administrator, ["certificate": "no certificate"])
        #expect(wrong.status == 400 && wrong.text.contains("PEM"))
        #expect(await service.request("DELETE", "/admin/certificates/idp").status == 204)
        #expect(await service.request("DELETE", "/admin/certificates/idp").status == 404)
    }

    @Test("Two providers with the same issuer and client are refused, as in a document")
    func sameProvider() async throws {
        let service = try await ServiceUnderTest()
        #expect(
            await service.request("PUT", "/admin/providers/oidc/one", as: .administrator, Self.provider).status == 201)
        let second = await service.request("PUT", "/admin/providers/oidc/two", as: .administrator, Self.provider)
        #expect(second.status == 400 && second.text.contains("client_id"), "\(second.text)")
        #expect(await service.request("PUT", "/admin/providers/saml/two", as: .administrator, [:]).status == 404)
    }
}
