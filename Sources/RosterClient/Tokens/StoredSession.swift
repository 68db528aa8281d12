import Foundation
import RosterCrypto
import RosterOpenID
import RosterText

/// The tokens of an account from one sign-in, as the store keeps them.
struct StoredSession: Sendable {
    /// A random text. Another sign-in to the same account has another one, so that a late answer for the one never changes the
    /// other.
    let id: String
    /// `sub`: the user's identifier at the server; nil without id token.
    let subject: String?
    /// `preferred_username`, or the name that the user typed.
    let userName: String?
    /// The URL that ends the browser's session at the server.
    let endSessionEndpoint: String?
    var idToken: String?
    var accessToken: String
    var refreshToken: String?
    var scopes: [String]
    /// When the access token was received, in seconds since 1970.
    var obtained: Double
    /// The lifetime of the access token in seconds.
    var lifetime: Double
    /// The wait before the next renewal, after some that failed; nil for none.
    var pause: RenewalPause?
    /// The reason why the id token of the last renewal was not accepted; nil for none.
    var idTokenProblem: ClientError?

    /// The session that a token endpoint's answer begins.
    init(
        _ answer: TokenAnswer, _ claims: JSONValue?, userName: String?, scopes: [String], endSessionEndpoint: String?,
        at now: Date
    ) throws {
        id = try SecureRandom.token(bytes: 16)
        subject = claims?["sub"]?.text
        self.userName = userName ?? claims?["preferred_username"]?.text
        self.endSessionEndpoint = endSessionEndpoint
        (idToken, accessToken, refreshToken) = (answer.idToken, answer.accessToken, answer.refreshToken)
        self.scopes = answer.scopes ?? scopes
        (obtained, lifetime) = (now.timeIntervalSince1970, answer.lifetime)
    }

    /// The session after a renewal. A server that gives no new refresh token goes on with the old one (RFC 6749, section 6).
    func renewed(by answer: TokenAnswer, _ identity: Provider.RenewedIdentity, at now: Date) -> StoredSession {
        var session = self
        session.accessToken = answer.accessToken
        if let token = answer.refreshToken { session.refreshToken = token }
        session.pause = nil
        switch identity {
        case .same(let idToken):
            if let idToken { (session.idToken, session.idTokenProblem) = (idToken, nil) }
        case .unproven(let problem): session.idTokenProblem = problem
        }
        if let scopes = answer.scopes { session.scopes = scopes }
        (session.obtained, session.lifetime) = (now.timeIntervalSince1970, answer.lifetime)
        return session
    }

    /// The token whose end ends the session at the server.
    var lastToken: String { refreshToken ?? accessToken }

    /// Whether the tokens are those of another value of the session, so that nobody has renewed them since.
    func hasTokens(of other: StoredSession) -> Bool {
        accessToken == other.accessToken && refreshToken == other.refreshToken
    }

    // MARK: Times

    /// Whether the access token can be used, and need not be renewed yet. A renewal is due in the last fifth of the lifetime, at
    /// most a minute before the end.
    func isFresh(_ now: Date) -> Bool { isWithin(now, margin: min(60, lifetime / 5)) }

    /// Whether there is an access token now, or the server can be asked for one.
    func canGoOn(_ now: Date) -> Bool { refreshToken != nil || isAlive(now) }

    /// Whether the access token can be used.
    func isAlive(_ now: Date) -> Bool { isWithin(now, margin: 0) }

    private func isWithin(_ now: Date, margin: Double) -> Bool {
        let age = now.timeIntervalSince1970 - obtained
        // A clock that was set back must not make a token live longer.
        return age >= -60 && age < lifetime - margin
    }

    /// The access token, if it has the scopes that a call needs.
    func token(_ needed: [String]) throws(ClientError) -> String {
        for scope in needed where !scopes.contains(scope) {
            throw ClientError(
                .scopeNotGranted, "The token does not have the scope '\(ShownText.plain(scope))'.",
                advice: "Add the scope to the app's registration, and sign in again.")
        }
        return accessToken
    }

    // MARK: Storing

    private static let version: Int64 = 1

    /// Reads a stored session; nil if another version of the library stored it.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), json["version"] == .integer(Self.version),
            let id = json["session"]?.text, let accessToken = json["access_token"]?.text,
            let obtained = json["obtained"].flatMap(TokenTimes.seconds),
            let lifetime = json["expires_in"].flatMap(TokenTimes.seconds)
        else { return nil }
        (self.id, self.accessToken, self.obtained, self.lifetime) = (id, accessToken, obtained, lifetime)
        (subject, userName) = (json["sub"]?.text, json["user_name"]?.text)
        (idToken, refreshToken) = (json["id_token"]?.text, json["refresh_token"]?.text)
        endSessionEndpoint = json["end_session_endpoint"]?.text
        scopes = json["scope"]?.text?.words ?? []
        pause = json["pause"].flatMap(RenewalPause.init)
        idTokenProblem = json["id_token_problem"].flatMap(ClientError.init)
    }

    var bytes: [UInt8] {
        var members: [JSONValue.Member] = [
            .init("version", .integer(Self.version)), .init("session", .string(id)),
            .init("access_token", .string(accessToken)), .init("obtained", .decimal(obtained)),
            .init("expires_in", .decimal(lifetime)), .init("scope", .string(scopes.joined(separator: " "))),
        ]
        for (name, value) in [
            ("sub", subject), ("user_name", userName), ("id_token", idToken), ("refresh_token", refreshToken),
            ("end_session_endpoint", endSessionEndpoint),
        ] {
            if let value { members.append(.init(name, .string(value))) }
        }
        if let pause { members.append(.init("pause", pause.json)) }
        if let idTokenProblem { members.append(.init("id_token_problem", idTokenProblem.json)) }
        return JSONValue.object(members).bytes
    }
}
