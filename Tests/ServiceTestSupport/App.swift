import Foundation
import Roster
import RosterCrypto
import RosterREST
package import RosterSignIn
package import RosterText
import Testing
import TestSupport

/// An app that is a client of the service under test, with a browser that keeps cookies.
package final class App: Sendable {
    package static let redirect = "http://127.0.0.1:5000/callback"
    package static let verifier = "a-verifier-of-at-least-forty-three-characters-0"

    package let service: ServiceUnderTest
    package let clientID: String
    package let secret: String?
    package let record: Backend
    private let cookies = Locked<[String: String]>([:])

    package init(_ service: ServiceUnderTest, named name: String = "shop", _ settings: JSONValue = [:]) async throws {
        self.service = service
        var all: JSONValue = [
            "grant_types": .array(BackendSettings.Grant.allCases.map { .string($0.rawValue) }),
            "redirect_uris": [.string(Self.redirect)],
            "scope": "openid profile email roles offline_access directory",
        ]
        for member in settings.members { all[member.name] = member.value }
        let keys = service.signIn.oauth.keys
        let (backend, secrets) = try await Backend.create(
            .init(name: name, settings: BackendSettings(all)), keys: keys, in: service.directory.unrestricted)
        record = backend
        clientID = backend.clientID
        secret = secrets.secret
    }

    package static func encoded(_ parameters: [(String, String)]) -> String {
        parameters.map { "\(PercentEncoding.segment($0.0))=\(PercentEncoding.segment($0.1))" }.joined(separator: "&")
    }

    /// Sends a form, with the app's secret unless another proof is given.
    package func post(
        _ path: String, _ parameters: [(String, String)], authorization: String?? = .none,
        clientAddress: String = "192.0.2.1"
    ) async -> Answer {
        let own = secret.map { ServiceUnderTest.basic(clientID, $0) }
        var parameters = parameters
        if secret == nil, authorization == nil { parameters.append(("client_id", clientID)) }
        return await service.send(
            "POST", path, authorization ?? own, Array(Self.encoded(parameters).utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded")], clientAddress: clientAddress)
    }

    package func token(_ parameters: (String, String)...) async -> Answer { await post("/oauth2/token", parameters) }

    // MARK: The browser

    /// Asks as the browser does, with the cookies that it has, and keeps those that come.
    package func browse(_ method: String, _ path: String, form: [(String, String)]? = nil) async -> Answer {
        var headers: [(String, String)] = []
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty {
            headers.append(("Cookie", jar.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")))
        }
        if form != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        let answer = await service.send(
            method, path, nil, form.map { Array(Self.encoded($0).utf8) }, headers: headers)
        for field in answer.response.headers.values(of: "Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies.withLock { $0[pair[0]] = pair.count == 2 ? pair[1] : nil }
        }
        return answer
    }

    package func cookie(_ name: String) -> String? { cookies.withLock { $0[name] } }
    package func forgetCookies() { cookies.withLock { $0 = [:] } }

    /// The request for a code, with what is changed of it; nil leaves a parameter out.
    package func authorizePath(_ changes: [String: String?] = [:]) throws -> String {
        var parameters: [(String, String?)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", Self.redirect),
            ("scope", "openid profile offline_access"), ("state", "the state"), ("nonce", "the nonce"),
            ("code_challenge", Base64URL.text(try SHA256.digest(Array(Self.verifier.utf8)))),
            ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            parameters.removeAll { $0.0 == name }
            parameters.append((name, value))
        }
        return "/oauth2/authorize?" + Self.encoded(parameters.compactMap { pair in pair.1.map { (pair.0, $0) } })
    }

    /// What the page is to bring back.
    package static func sealed(_ page: Answer) throws -> String {
        let match = try #require(page.text.firstMatch(of: #/name="request" value="([^"]*)"/#), "\(page.status)")
        return String(match.1)
    }

    /// Signs in on a page.
    package func signIn(
        on page: Answer, as name: String = ServiceUnderTest.engineer, password: String = ServiceUnderTest.password
    ) async throws -> Answer {
        await browse(
            "POST", "/oauth2/authorize",
            form: [("request", try Self.sealed(page)), ("username", name), ("password", password)])
    }

    /// The parameters that an answer sends the browser to the app with.
    package static func sent(_ answer: Answer) -> [String: String] {
        let items = answer.header("Location").flatMap { URLComponents(string: $0)?.queryItems } ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }

    /// Allows what a page asks for.
    package func allow(_ page: Answer) async throws -> Answer {
        await browse(
            "POST", "/oauth2/authorize", form: [("request", try Self.sealed(page)), ("decision", "allow")])
    }

    /// A code, by signing in and by allowing what is asked for, where that is needed.
    package func code(_ changes: [String: String?] = [:]) async throws -> String {
        var answer = await browse("GET", try authorizePath(changes))
        if answer.status == 200, answer.text.contains("name=\"password\"") { answer = try await signIn(on: answer) }
        if answer.status == 200, answer.text.contains("name=\"decision\"") { answer = try await allow(answer) }
        return try #require(Self.sent(answer)["code"], "\(answer.status) \(answer.text)")
    }

    package func redeem(_ code: String, verifier: String? = App.verifier) async -> Answer {
        await post(
            "/oauth2/token",
            [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect)]
                + (verifier.map { [("code_verifier", $0)] } ?? []))
    }

    package func refresh(_ token: String, _ more: (String, String)...) async -> Answer {
        await post("/oauth2/token", [("grant_type", "refresh_token"), ("refresh_token", token)] + more)
    }

    /// Whether a token is alive, as the app asks.
    package func isActive(_ token: String) async -> Bool {
        await post("/oauth2/introspect", [("token", token)])["active"] == true
    }

    /// Tokens of the engineer.
    package func tokens(_ changes: [String: String?] = [:]) async throws -> (access: String, refresh: String?) {
        let answer = await redeem(try await code(changes))
        return (try #require(answer["access_token"]?.text, "\(answer.text)"), answer["refresh_token"]?.text)
    }

    /// The status that a path answers to a token.
    package func status(_ path: String, _ token: String) async -> Int {
        await service.send("GET", path, "Bearer " + token).status
    }
}
