import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("PKCE, and the nonce in its place", .timeLimit(.minutes(2)), .inBothForms)
struct ProofKeyTests {
    private static let bare: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]

    private static func bare(_ more: [String: String?]) -> [String: String?] {
        bare.merging(more) { $1 }
    }

    private func error(_ app: App, _ changes: [String: String?]) async throws -> (code: String?, text: String) {
        let sent = App.sent(await app.browse("GET", try app.authorizePath(changes)))
        return (sent["error"], sent["error_description"] ?? "")
    }

    @Test("An app with a secret and a nonce signs in without PKCE, and its id token repeats the nonce")
    func nonce() async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await app.redeem(try await app.code(Self.bare), verifier: nil)
        #expect(answer.status == 200, "\(answer.text)")
        let token = try JSONWebToken(try #require(answer["id_token"]?.text))
        #expect(token.claims["nonce"]?.text == "the nonce")
    }

    @Test("Without a challenge and without a nonce the error names both cures")
    func neither() async throws {
        let app = try await App(try await ServiceUnderTest())
        for changes in [["nonce": nil], ["nonce": ""], ["scope": "profile"]] as [[String: String?]] {
            let (code, text) = try await error(app, Self.bare(changes))
            #expect(code == "invalid_request" && text.contains("code_challenge") && text.contains("nonce"), "\(text)")
        }
    }

    @Test("A public client, and a backend whose setting requires it, must send a challenge")
    func required() async throws {
        let service = try await ServiceUnderTest()
        let strict = try await App(service, named: "strict", ["pkce": "required"])
        let native = try await App(
            service, named: "native", ["public": true, "grant_types": ["authorization_code", "refresh_token"]])
        for app in [strict, native] {
            let (code, text) = try await error(app, Self.bare)
            #expect(code == "invalid_request" && text.contains("code_challenge"), "\(text)")
        }
        #expect(await strict.redeem(try await strict.code()).status == 200)
    }

    @Test("A verifier without a challenge, and a challenge without a verifier, get nothing and use the code up")
    func downgrade() async throws {
        let app = try await App(try await ServiceUnderTest())
        let bare = try await app.code(Self.bare)
        #expect(await app.redeem(bare)["error"]?.text == "invalid_grant", "somebody removed the challenge on its way")
        #expect(await app.redeem(bare, verifier: nil)["error"]?.text == "invalid_grant", "the code was tried once")
        let challenged = try await app.code()
        #expect(await app.redeem(challenged, verifier: nil)["error"]?.text == "invalid_grant")
        #expect(await app.redeem(challenged)["error"]?.text == "invalid_grant", "the code was tried once")
    }

    @Test("A method without a challenge is a mistake, and no method but S256 is taken in place of a nonce")
    func methods() async throws {
        let app = try await App(try await ServiceUnderTest())
        #expect(try await error(app, ["code_challenge": nil]).code == "invalid_request")
        #expect(try await error(app, ["code_challenge_method": "plain"]).code == "invalid_request")
        #expect(try await error(app, ["code_challenge_method": nil]).code == "invalid_request", "it would be plain")
    }

    @Test("The list of backends advises to require PKCE where it is not required")
    func advice() async throws {
        let service = try await ServiceUnderTest()
        for (name, settings, isAdvised) in [
            ("open", [:], true), ("strict", ["pkce": "required"], false), ("native", ["public": true], false),
            ("machine", ["grant_types": ["client_credentials"]], false),
        ] as [(String, JSONValue, Bool)] {
            _ = try await App(
                service, named: name,
                .object(
                    settings.members
                        + (settings["grant_types"] == nil
                            ? [.init("grant_types", ["authorization_code", "refresh_token"])] : [])))
            let listed = await service.request("GET", "/admin/backends")["backends"]?.elements ?? []
            let advice = listed.first { $0["name"]?.text == name }?["advice"]?.texts ?? ["none listed"]
            #expect(advice.contains { $0.contains("PKCE") } == isAdvised, "\(name): \(advice)")
        }
        let read = await service.request("GET", "/admin/backends")["backends"]?.elements.first
        let path = "/admin/backends/" + (read?["id"]?.text ?? "")
        #expect(await service.request("PUT", path, read).status == 200, "what was read can be put back")
    }
}
