import Foundation
import Roster
import RosterCrypto
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Backends, the clients of OAuth")
struct BackendTests {
    private func problem(_ json: JSONValue) -> String? {
        do {
            _ = try BackendSettings(json)
            return nil
        } catch {
            return (error as? DirectoryError)?.message
        }
    }

    @Test("Defaults are those of the systems that are mirrored, and settings survive being written and read")
    func defaults() throws {
        let settings = try BackendSettings([:])
        #expect(
            settings.codeLifetime == 60 && settings.accessTokenLifetime == 1_800 && settings.idTokenLifetime == 1_800)
        #expect(settings.refreshTokenLifetime == 604_800 && settings.consumerTokenLifetime == 604_800)
        #expect(settings.grants == [.authorizationCode, .refreshToken, .clientCredentials] && !settings.isPublic)
        #expect(settings.signing == .key(.es256) && settings.usesRefreshTokens == nil && settings.directoryRole == nil)
        #expect(settings.claimsAvailability == .idToken && !settings.allowsExchange && !settings.requiresConsent)
        #expect(try BackendSettings(json: settings.json) == settings)
        let all = try BackendSettings([
            "redirect_uris": ["https://a.example.com/cb"], "sso": true, "consent": true, "scope": "openid x",
            "directory_role": "monitoring", "id_token_signed_response_alg": "RS256", "access_token_expiry": 5,
            "claims": ["claims": [["name": "team", "rules": [["attribute": "department"]]]]],
        ])
        #expect(try BackendSettings(json: all.json) == all && all != settings)
    }

    @Test(
        "A setting that is wrong is named",
        arguments: [
            (["enabled": "yes"], "enabled "), (["grant_types": ["implicit"]], "grant_types "),
            (["redirect_uris": "https://a"], "redirect_uris "),
            (["redirect_uris": ["http://a.example.com/"]], "http is for"),
            (["redirect_uris": ["https://a/#x"]], "fragment"),
            (["redirect_uris": ["https://*.example.com/"]], "wildcard"),
            (["redirect_uris": ["javascript:alert(1)"]], "no app"), (["redirect_uris": ["/callback"]], "not absolute"),
            (["redirect_uris": ["https://a@b.example.com/"]], "name or password"), (["scope": "a\"b"], "scope "),
            (["authorization_code_expiry_seconds": 61], "authorization_code_expiry_seconds "),
            (["access_token_expiry": 0], "access_token_expiry "), (["directory_role": "root"], "directory_role "),
            (["id_token_signed_response_alg": "none"], "id_token_signed_response_alg "),
            (["public": true, "grant_types": ["client_credentials"]], "client_credentials"),
            (["public": true, "directory_role": "administrator"], "directory_role"), (["colour": "red"], "colour "),
            (["claims": ["claims": [["name": "sub", "rules": [["value": "x"]]]]]], "sub"),
            (["consent": 1], "consent "),
            (["oidc_claims_availability": "Nowhere"], "oidc_claims_availability "), ([], "object"),
        ] as [(JSONValue, String)])
    func wrong(json: JSONValue, told: String) {
        let message = problem(json)
        #expect(message?.contains(told) == true, "\(message ?? "it was taken")")
    }

    @Test(
        "A seed makes backends with the secrets that it gives, or with ones that are made up; loaded again it changes them"
    )
    func seeds() async throws {
        let directory = try emptyDirectory()
        let keys = try SignIn.keys(of: directory)
        func load(_ text: String) async throws -> Int {
            let seed = try Seed(json: Data(text.utf8), name: "test")
            return try await Backend.load(seed, keys: keys, in: directory.unrestricted).count
        }
        let secret = String(repeating: "s", count: 32)
        #expect(
            try await load(
                #"{"backends": [{"name": "a", "client_id": "a", "client_secret": "\#(secret)"}, {"name": "b"}]}"#) == 1)
        let clients = ClientDirectory(directory)
        #expect(try clients.authenticate(clientID: "a", secret: secret).name == "a")
        #expect(throws: OAuthError.self) { try clients.authenticate(clientID: "a", secret: secret + "x") }
        #expect(try await load(#"{"backends": [{"name": "a", "sso": true}]}"#) == 0)
        #expect(try clients.authenticate(clientID: "a", secret: secret).settings.allowsExchange)
        let problem = await #expect(throws: DirectoryError.self) {
            try await load("{\"backends\": [\n{\"name\": \"c\", \"colour\": 1}]}")
        }
        #expect(problem?.message.contains("line 2") == true && problem?.message.contains("colour") == true)
    }

    @Test("A claim rule that names an attribute which no user has is refused; its role may be made later")
    func claimRules() async throws {
        let directory = try emptyDirectory()
        let keys = try SignIn.keys(of: directory)
        let view = directory.unrestricted
        func settings(_ attribute: String) throws -> BackendSettings {
            let rules: JSONValue = [["value": "x"], ["role": "no such role", "attribute": .string(attribute)]]
            return try BackendSettings(["claims": ["claims": [["name": "c", "rules": rules]]]])
        }
        let (made, _) = try await Backend.create(.init(name: "shop"), keys: keys, in: view)
        func refusal(_ attribute: String) async throws -> String? {
            let settings = try settings(attribute)
            for change in [false, true] {
                do {
                    if change {
                        _ = try await Backend.change(
                            made.id, to: .init(name: "shop", settings: settings), keys: keys, in: view)
                    } else {
                        _ = try await Backend.create(
                            .init(name: "app " + attribute, settings: settings), keys: keys, in: view)
                    }
                } catch let error as DirectoryError {
                    #expect(error.code == .invalidInput)
                    return error.message
                }
            }
            return nil
        }
        for name in ["department", "mail", "uid", "manager", "emails"] { #expect(try await refusal(name) == nil) }
        for name in ["colour", "Department", "memberOf", "password"] {
            let message = try #require(try await refusal(name))
            #expect(message.hasPrefix("claims.claims[0].rules[1].attribute ") && message.contains(name))
        }
        try await directory.unrestricted.attributes.declare([AttributeDefinition("colour")])
        #expect(try await refusal("colour") == nil)
    }

    @Test("Names, client ids and backend ids are no other one's, and a new secret ends the old one")
    func uniqueness() async throws {
        let directory = try emptyDirectory()
        let keys = try SignIn.keys(of: directory)
        let view = directory.unrestricted
        let (first, secrets) = try await Backend.create(.init(name: "a", clientID: "id"), keys: keys, in: view)
        for taken in [Backend.Description(name: "a"), .init(name: "b", clientID: "id")] {
            let problem = await #expect(throws: DirectoryError.self) {
                try await Backend.create(taken, keys: keys, in: view)
            }
            #expect(problem?.code == .alreadyExists)
        }
        _ = try await Backend.create(.init(name: "a", version: "2.0"), keys: keys, in: view)
        let renewed = try await Backend.renewSecrets(first.id, keys: keys, in: view)
        let clients = ClientDirectory(directory)
        #expect(throws: OAuthError.self) { try clients.authenticate(clientID: "id", secret: secrets.secret) }
        #expect(try clients.authenticate(clientID: "id", secret: renewed.secret).id == first.id)
        let stranger = directory.acting(as: .provisioning("hr"))
        await #expect(throws: DirectoryError.self) {
            try await Backend.create(.init(name: "x"), keys: keys, in: stranger)
        }
    }

    @Test("A backend's secret and its anonymous key are kept as digests, whole and in no other form")
    func secretsAreDigests() async throws {
        let directory = try Directory.inMemory()
        let keys = try SignIn.keys(of: directory)
        var settings = BackendSettings()
        settings.signing = .clientSecret
        for description in [Backend.Description(name: "a"), .init(name: "b", settings: settings)] {
            let (backend, secrets) = try await Backend.create(description, keys: keys, in: directory.unrestricted)
            let secret = try #require(secrets.secret)
            #expect(backend.secretDigest == (try SHA256.hex(secret)))
            #expect(backend.anonymousDigest == (try SHA256.hex(secrets.anonymousKey)))
            let image = try directory.memoryImage()
            for text in [secret, secrets.anonymousKey] { #expect(image.range(of: Data(text.utf8)) == nil) }
            #expect(!backend.json.written.contains(secret) && !backend.json.written.contains(secrets.anonymousKey))
        }
    }
}
