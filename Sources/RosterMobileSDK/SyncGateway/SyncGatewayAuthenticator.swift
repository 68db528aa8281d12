public import Foundation
public import RosterClient
import RosterCrypto
public import RosterSecrets
public import RosterText
public import RosterTransport

/// Signs a user in at a Sync Gateway that is between the app and an OpenID provider, and sends requests with the session of the
/// gateway. Mirrors Couchbase Lite's `OpenIDConnectAuthenticator` and its login callback.
///
/// ```swift
/// let gateway = try SyncGatewayAuthenticator(database: database, store: store)
/// try await gateway.signIn { loginURL, redirectURL, continuation in
///     page.show(loginURL, until: redirectURL) { redirectedURL in continuation(redirectedURL) }
/// }
/// let session = try await gateway.send(TransportRequest("GET", gateway.url + "/_session"))
/// ```
///
/// The gateway is Couchbase's, or a server of Roster with `--providers`. Its redirect URL must be at the gateway, where the sign-in ends
/// (`_oidc_callback`); the page is closed when it comes there. For an app that is itself a client of the provider, take `Authenticator`.
public final class SyncGatewayAuthenticator: Sendable, Redacted {
    /// The tokens of a user, as the gateway gave them.
    struct Tokens: Sendable {
        let idToken: String
        let refreshToken: String?
        let name: String?
    }

    private struct State {
        /// The cookie of the session.
        var cookie: String?
        /// The renewal of the session that is under way.
        var renewal: Task<String, any Error>?
        /// The number of sign-ins and sign-outs, so that a late renewal brings nothing back.
        var generation = 0
    }

    /// The URL of the database without a slash at its end.
    public let url: String
    private let provider: String?
    private let store: SecureStore
    private let transport: Transport
    private let key: String
    private let state = Locked(State())

    /// Names a gateway. Nothing is sent or read.
    ///
    /// - Parameters:
    ///   - database: The URL of the database, such as `https://gateway.example.com/db`.
    ///   - provider: The name of the provider in the gateway's configuration; nil for the default provider.
    ///   - store: Where the id token and the refresh token are kept.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    /// - Throws: `ClientError` `badConfiguration` for a URL that is not https, and not of this machine, or has no path.
    public init(
        database: URL, provider: String? = nil, store: SecureStore, transport: Transport = .shared
    ) throws {
        var text = database.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        guard let root = URL(string: "/", relativeTo: database), ServerURL.base(root.absoluteURL) != nil,
            database.user() == nil, database.query() == nil, database.fragment == nil,
            database.path().contains(where: { $0 != "/" })
        else {
            throw ClientError(
                .badConfiguration, "'database' is not the https URL of a database.",
                advice: "Give the gateway's URL with the database's name, such as https://gateway.example.com/db.")
        }
        (url, self.provider, self.store, self.transport) = (text, provider, store, transport)
        key = "sync-gateway/" + (try ClientError.wrapping { try SHA256.hex(text) }).prefix(32)
    }

    // MARK: Signing in

    /// The name of the user who is signed in, as far as the gateway told it; nil if nobody is.
    ///
    /// - Throws: The errors of the store.
    public var userName: String? {
        get throws { try tokens()?.name }
    }

    /// Signs a user in. The tokens of the user before are replaced.
    ///
    /// - Parameters:
    ///   - staysSignedIn: Whether the provider is asked for a refresh token (`offline`), with which the user stays signed in.
    ///   - callback: Shows the page of the provider, and gives the URL at the gateway to which the page leads to the continuation.
    /// - Throws: `ClientError`: `signInCancelled`; `wrongCredentials` if the gateway lets the user not in; `badAnswer` for a gateway that
    ///   names no page, or wants the answer elsewhere; `unreachable`, `serverBusy`, `serverFailed`; the errors of the store; the callback's
    ///   error; `CancellationError`.
    public func signIn(stayingSignedIn staysSignedIn: Bool = true, callback: LoginCallback) async throws {
        var query: [(name: String, value: String)] = staysSignedIn ? [("offline", "true")] : []
        if let provider { query.append(("provider", provider)) }
        let path = url + "/_oidc_challenge" + (query.isEmpty ? "" : "?" + FormEncoding.text(query))
        let challenge = try await answer(to: TransportRequest("GET", path))
        let fields = AuthenticationField.challenges(in: challenge.headers.values(of: "WWW-Authenticate"))
        guard challenge.status == 401, let text = fields.first(where: { $0.scheme == "oidc" })?.parameters["login"],
            let loginURL = URL(string: text), let redirect = Self.redirect(in: text),
            let redirectURL = URL(string: redirect)
        else { throw Self.failure(challenge, "names no sign-in page") }
        guard redirect.hasPrefix(url + "/_oidc_callback") else {
            throw ClientError.badAnswer("The provider is to lead to another place than the gateway's database.")
        }
        let cookies = Self.cookies(of: challenge)
        let continuation = LoginContinuation(result: SharedResult())
        callback(loginURL, redirectURL, continuation)
        guard let redirected = try await continuation.result.value() else { throw SecurityService.cancelled }
        let address = String(redirected.absoluteString.prefix { $0 != "#" })
        guard address.hasPrefix(redirect), address.dropFirst(redirect.count).first.map({ "?&".contains($0) }) == true
        else {
            throw ClientError(
                .signInExpired, "The page has led to another URL than the redirect URL.",
                advice: "Give the continuation the URL at which the page was stopped.")
        }
        var request = TransportRequest("GET", address)
        if !cookies.isEmpty { request.headers["Cookie"] = cookies.joined(separator: "; ") }
        let answer = try await answer(to: request)
        if [400, 401].contains(answer.status) {
            throw ClientError(
                .wrongCredentials, "The gateway does not let the user in (\(answer.status)).",
                advice: "Let the user begin again, or check the gateway's configuration.")
        }
        let tokens = try Self.tokens(answer, keeping: nil)
        state.withLock { state in
            state.renewal?.cancel()
            state = State(generation: state.generation + 1)
            state.cookie = Self.session(of: answer)
        }
        try keep(tokens)
    }

    /// Signs the user out: the tokens are removed from this device first, also without a network, and then the gateway ends the session.
    ///
    /// - Throws: The errors of the store.
    public func signOut() async throws {
        let cookie = state.withLock { state in
            defer { state = State(generation: state.generation + 1) }
            state.renewal?.cancel()
            return state.cookie
        }
        try store.remove(named: key)
        guard let cookie else { return }
        // A session that cannot be ended now ends by itself a day after its last use.
        _ = try? await transport.send(TransportRequest("DELETE", url + "/_session", headers: ["Cookie": cookie]))
    }

    // MARK: Sending

    /// Sends a request to the database with the session of the user. After a 401 the session is begun anew, with the refresh token if the
    /// id token is too old, and the request is repeated once.
    ///
    /// - Parameter request: The request, to a URL below that of the database, without `Authorization` and `Cookie`.
    /// - Returns: The answer, whatever its status is.
    /// - Throws: `ClientError`: `notSignedIn` if nobody is signed in, or the gateway does not accept the tokens any more: call
    ///   ``signIn(stayingSignedIn:callback:)`` then; `originNotNamed` for another URL; `unreachable`, `serverBusy`, `serverFailed`; the
    ///   errors of the store; `TransportError`; `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url == url || request.url.hasPrefix(url + "/") || request.url.hasPrefix(url + "?") else {
            throw ClientError(
                .originNotNamed, "The request does not go to the database.",
                advice: "Send requests to other servers without the gateway's session.")
        }
        guard request.headers["Authorization"] == nil, request.headers["Cookie"] == nil else {
            throw ClientError.invalidInput(
                "The request has a field 'Authorization' or 'Cookie' already.", "Leave the fields to the authenticator."
            )
        }
        func send(_ cookie: String) async throws -> TransportResponse {
            var request = request
            request.headers["Cookie"] = cookie
            return try await transport.send(request)
        }
        let cookie = try await session(replacing: nil)
        let answer = try await send(cookie)
        guard answer.status == 401 else { return answer }
        return try await send(session(replacing: cookie))
    }

    /// The cookie of the session, in place of one that was refused. All callers share one renewal.
    private func session(replacing refused: String?) async throws -> String {
        let task = state.withLock { state -> Task<String, any Error> in
            if let renewal = state.renewal { return renewal }
            if let cookie = state.cookie, cookie != refused { return Task { cookie } }
            state.cookie = nil
            let generation = state.generation
            let task = Task { try await self.begun(generation) }
            state.renewal = task
            return task
        }
        return try await task.value
    }

    private func begun(_ generation: Int) async throws -> String {
        let result: Result<String, any Error>
        do { result = .success(try await newSession()) } catch { result = .failure(error) }
        return try state.withLock { state in
            guard state.generation == generation else { throw Self.ended }
            state.renewal = nil
            state.cookie = try result.get()
            return try result.get()
        }
    }

    /// Begins a session with the id token, or with a new one if the gateway does not accept that any more.
    private func newSession() async throws -> String {
        guard let tokens = try tokens() else { throw Self.ended }
        if let cookie = try await session(for: tokens.idToken) { return cookie }
        guard let refreshToken = tokens.refreshToken else { throw Self.ended }
        let answer = try await refreshed(refreshToken)
        guard ![400, 401].contains(answer.status) else { throw Self.ended }
        let renewed = try Self.tokens(answer, keeping: tokens)
        try Task.checkCancellation()
        try keep(renewed)
        if let cookie = Self.session(of: answer) { return cookie }
        guard let cookie = try await session(for: renewed.idToken) else { throw Self.ended }
        return cookie
    }

    /// The cookie of a new session; nil if the gateway does not accept the id token.
    private func session(for idToken: String) async throws -> String? {
        let answer = try await answer(
            to: TransportRequest("POST", url + "/_session", headers: ["Authorization": "Bearer " + idToken]))
        if answer.status == 401 { return nil }
        guard let cookie = Self.session(of: answer) else { throw Self.failure(answer, "begins no session") }
        return cookie
    }

    private func refreshed(_ token: String) async throws -> TransportResponse {
        let path = url + "/_oidc_refresh"
        var form: [(name: String, value: String)] = [("refresh_token", token)]
        if let provider { form.append(("provider", provider)) }
        let text = FormEncoding.text(form)
        let answer = try await answer(
            to: TransportRequest(
                "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(text.utf8)))
        // Couchbase's gateway knows the token in the address only, where logs may keep it.
        guard [404, 405].contains(answer.status) else { return answer }
        return try await self.answer(to: TransportRequest("GET", path + "?" + text))
    }

    private func answer(to request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.headers["Accept"] = "application/json"
        request.deadline = .seconds(15)
        request.maximumBodyBytes = 1 << 20
        do { return try await transport.send(request) } catch let error as TransportError { throw ClientError(error) }
    }

    // MARK: Answers

    private static let ended = ClientError.notSignedIn("Nobody is signed in, or the gateway's tokens have ended.")

    private static func failure(_ answer: TransportResponse, _ problem: String) -> ClientError {
        switch answer.status {
        case 429, 503:
            ClientError(
                .serverBusy, "The gateway has no time for the request now (\(answer.status)).",
                advice: "Try again later.")
        case 500...:
            ClientError(.serverFailed, "The gateway failed (\(answer.status)).", advice: "Try again later.")
        default: .badAnswer("The gateway's answer with the status \(answer.status) \(problem).")
        }
    }

    /// The redirect URL in the address of a sign-in page.
    private static func redirect(in loginURL: String) -> String? {
        guard let start = loginURL.firstIndex(of: "?") else { return nil }
        let query = loginURL[loginURL.index(after: start)...].prefix { $0 != "#" }
        let found = FormEncoding.parameters(query)?.filter { $0.name == "redirect_uri" } ?? []
        return found.count == 1 ? found[0].value : nil
    }

    /// The cookies that an answer sets, as a request sends them.
    private static func cookies(of answer: TransportResponse) -> [String] {
        answer.headers.values(of: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }.filter { pair in
            // A cookie without a value is one that the gateway removes.
            pair.firstIndex(of: "=").map { $0 > pair.startIndex && pair.index(after: $0) < pair.endIndex } ?? false
        }
    }

    private static func session(of answer: TransportResponse) -> String? {
        guard answer.status == 200 else { return nil }
        return cookies(of: answer).last {
            $0.hasPrefix("SyncGatewaySession=") || $0.hasPrefix("__Host-SyncGatewaySession=")
        }
    }

    /// The tokens in an answer.
    ///
    /// - Parameter old: The tokens whose refresh token and name count if the answer has none.
    private static func tokens(_ answer: TransportResponse, keeping old: Tokens?) throws -> Tokens {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body),
            let idToken = json["id_token"]?.text,
            idToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw failure(answer, "has no id token") }
        return Tokens(
            idToken: idToken, refreshToken: json["refresh_token"]?.text ?? old?.refreshToken,
            name: json["name"]?.text ?? old?.name)
    }

    private func keep(_ tokens: Tokens) throws {
        var json: JSONValue = ["id_token": .string(tokens.idToken)]
        if let token = tokens.refreshToken { json["refresh_token"] = .string(token) }
        if let name = tokens.name { json["name"] = .string(name) }
        try store.set(json.bytes, named: key)
    }

    private func tokens() throws -> Tokens? {
        guard let json = try store.bytes(named: key).flatMap({ try? JSONValue(parsing: $0) }),
            let idToken = json["id_token"]?.text
        else { return nil }
        return Tokens(idToken: idToken, refreshToken: json["refresh_token"]?.text, name: json["name"]?.text)
    }
}

extension SyncGatewayAuthenticator: CustomStringConvertible {
    /// The database.
    public var description: String { "gateway at \(url)" }
}
