import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// A client as the OpenID conformance suite configures one: a secret, a nonce, a state, and no PKCE. The answer comes in the query or, for
/// the Form Post plan, in a form that the browser posts.
struct ConformanceClient: Sendable {
    static let modes = ["query", "form_post"]
    static let scope = "openid profile email address phone roles groups offline_access"
    let app: App
    let mode: String
    var service: ServiceUnderTest { app.service }

    init(_ mode: String = "query", _ settings: JSONValue = [:]) async throws {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer),
            attributes: [
                "mail": "ren@nordwind.example", "telephoneNumber": "+81 3 1234", "street": "1 Chome", "country": "JP",
            ])
        var all: JSONValue = ["scope": .string(Self.scope), "id_token_signed_response_alg": "RS256"]
        for member in settings.members { all[member.name] = member.value }
        app = try await App(service, all)
        self.mode = mode
    }

    func path(_ changes: [String: String?] = [:]) throws -> String {
        var all: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil, "scope": "openid"]
        if mode != "query" { all["response_mode"] = mode }
        return try app.authorizePath(all.merging(changes) { $1 })
    }

    /// What the browser brings to the client.
    func sent(_ answer: Answer) -> [String: String] {
        guard mode == "form_post" else { return App.sent(answer) }
        var fields: [String: String] = [:]
        for match in answer.text.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)">/#) {
            fields[String(match.1)] = String(match.2)
        }
        return fields["iss"] == nil ? [:] : fields
    }

    /// Asks for a code, and signs in or allows where a page asks for it.
    func authorize(_ changes: [String: String?] = [:]) async throws -> [String: String] {
        try await finish(await app.browse("GET", try path(changes)))
    }

    func finish(_ page: Answer) async throws -> [String: String] {
        var page = page
        if page.text.contains("name=\"password\"") { page = try await app.signIn(on: page) }
        if page.text.contains("name=\"decision\"") { page = try await app.allow(page) }
        return sent(page)
    }

    func redeem(_ code: String?, _ more: (String, String)...) async -> Answer {
        await app.post(
            "/oauth2/token",
            [("grant_type", "authorization_code"), ("code", code ?? ""), ("redirect_uri", App.redirect)] + more)
    }

    /// Signs in and redeems the code.
    func tokens(_ changes: [String: String?] = [:]) async throws -> Answer {
        let sent = try await authorize(changes)
        let code: String = try #require(sent["code"], "\(sent)")
        return await redeem(code)
    }

    func idToken(_ answer: Answer) throws -> JSONValue {
        try JSONWebToken(try #require(answer["id_token"]?.text, "\(answer.text)")).claims
    }

    func userInfo(_ answer: Answer) async -> Answer {
        await service.send("GET", "/oauth2/userinfo", "Bearer " + (answer["access_token"]?.text ?? ""))
    }

    /// Whether a page asks to sign in.
    func asks(_ page: Answer) -> Bool { page.status == 200 && page.text.contains("name=\"password\"") }
}
