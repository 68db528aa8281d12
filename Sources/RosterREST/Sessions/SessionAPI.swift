import Foundation
import Roster
import RosterSignIn
import RosterText

/// Sessions as Couchbase Sync Gateway has them: a cookie in place of a password on each request. `{db}` may be any name: there
/// is one directory. The cookie is for the whole service, since its other interfaces do not stand below `{db}`.
enum SessionAPI {
    /// The name that the clients of Sync Gateway know.
    static let cookie = "SyncGatewaySession"

    static let routes: [Route] = [
        Route("GET", "/{db}/_session", "Who is signed in.", style: .syncGateway) { exchange in
            .now(.json(context(exchange.identity?.name ?? "")))
        },
        Route(
            "POST", "/{db}/_session",
            "Begin a session: with a name and a password in the body, or as whom the request comes from already.",
            style: .syncGateway, access: .everyone, body: ["type": "object"]
        ) { exchange in
            try checkOrigin(
                exchange.request, exchange.context, "No CORS: sessions do not begin on pages of other origins.")
            let isOneTime = try exchange.parameter("one_time") == "true"
            return .later { try await begin(exchange, try body(exchange), isOneTime: isOneTime) }
        },
        Route(
            "DELETE", "/{db}/_session", "End the session.", style: .syncGateway, access: .everyone
        ) { exchange in
            try checkOrigin(
                exchange.request, exchange.context, "No CORS: sessions do not end on pages of other origins.")
            guard let value = Cookies.value(cookie, in: exchange.request) else { throw noSession }
            return .later {
                guard try await exchange.context.oauth.sessions.end(value) else { throw noSession }
                return .json(["ok": true], headers: ["Set-Cookie": field("", exchange.context, maximumAge: 0)])
            }
        },
    ]

    static let noSession = RequestError(.notFound, "no session")

    /// What a request holds of a session: the cookie, or what Sync Gateway's clients send where they can send none.
    static func value(in request: HTTPRequest) -> String? {
        if let value = Cookies.value(cookie, in: request) { return value }
        let protocols = (request.headers["Sec-WebSocket-Protocol"] ?? "").split(separator: ",").map {
            $0.trimmingPrefix { $0 == " " }
        }
        return protocols.first { $0.hasPrefix(cookie + "_") }.map { String($0.dropFirst(cookie.count + 1)) }
    }

    /// What a request to begin a session says. Where it says nothing that can be used, it is as whom it comes from already.
    private static func body(_ exchange: Exchange) throws -> JSONValue {
        guard !exchange.request.body.isEmpty else { return [:] }
        do {
            let body = try exchange.json()
            if body["name"] != nil { return body }
        } catch {
            guard try ServiceContext.credentials(of: exchange.request) != nil || value(in: exchange.request) != nil
            else {
                throw error
            }
        }
        return [:]
    }

    /// The answer to whoever has begun a session: the cookie, or for once only its value.
    private static func begun(
        _ exchange: Exchange, _ holder: Holder, _ name: String, version: CredentialVersion? = nil, means: [String],
        at time: Date? = nil, lifetime: TimeInterval = SessionKeeper.lifetime, ends: Date? = nil, isOneTime: Bool
    ) async throws -> HTTPResponse {
        let oauth = exchange.context.oauth
        let lifetime = isOneTime ? min(SessionKeeper.oneTimeLifetime, lifetime) : lifetime
        let value = try await oauth.sessions.begin(
            holder, version: version, at: time ?? oauth.clock(), means: means, lifetime: lifetime,
            isOneTime: isOneTime, ends: ends)
        var answer = context(name)
        guard isOneTime else {
            return .json(
                answer, headers: ["Set-Cookie": field(value, exchange.context, maximumAge: Int(lifetime))])
        }
        answer["one_time_session_id"] = .string(value)
        return .json(answer)
    }

    /// The cookie of a session as an answer sets it.
    static func field(_ value: String, _ context: ServiceContext, maximumAge: Int? = nil) -> String {
        Cookies.field(
            cookie, value, path: "/", isSecure: context.baseURL.hasPrefix("https:"), maximumAge: maximumAge)
    }

    /// Refuses pages of other origins: browsers say where a request comes from.
    static func checkOrigin(_ request: HTTPRequest, _ context: ServiceContext, _ refusal: String) throws {
        guard let origin = request.headers["Origin"], origin != Self.origin(of: context.baseURL),
            !context.crossOrigin.allows(origin: origin)
        else { return }
        throw RequestError(.badRequest, refusal)
    }

    /// The origin of an address (RFC 6454): without its path.
    private static func origin(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }

    private static func begin(_ exchange: Exchange, _ body: JSONValue, isOneTime: Bool) async throws -> HTTPResponse {
        if let name = body["name"]?.text {
            if body["password"] == nil, try exchange.authorization() != nil {
                return try await SessionAdministration.begin(exchange, name, body, isOneTime: isOneTime)
            }
            return try await begin(exchange, name, body, isOneTime: isOneTime)
        }
        // An id token of a provider is traded for a session that lasts as long as it does.
        if case ("bearer", let token)? = try ServiceContext.credentials(of: exchange.request),
            exchange.request.isConfidential || exchange.context.allowsPlainCredentials,
            exchange.context.relyingParty.isProviders(token)
        {
            do {
                let (person, lifetime) = try await exchange.context.relyingParty.signIn(
                    idToken: token, from: exchange.request.peer)
                return try await begun(
                    exchange, person.holder, person.name, means: ["fed"], lifetime: lifetime, isOneTime: isOneTime)
            } catch let refusal as RelyingParty.Refusal {
                throw RelyingPartyAPI.error(refusal)
            }
        }
        let identity = try await exchange.authenticated()
        guard !identity.isOneTime else {
            throw RequestError(.notPermitted, "What is good once does not become a session that lives on.")
        }
        // A session lets its holder do everything: a token that allows less must not become one.
        guard identity.mayUseDirectory else {
            try identity.checkBringsToken()
            throw OAuthError(.insufficientScope, "The access token needs the scope 'directory' here.")
        }
        // Nor would a session end with the token, or be held to what its backend may call.
        guard case .user(let id) = identity.caller, identity.token == nil, identity.clientID == nil else {
            throw RequestError(.notPermitted, "Programs and apps have no sessions. Send the token itself.")
        }
        let oauth = exchange.context.oauth
        // A session made of another one is no better than that.
        if try exchange.authorization() == nil, let cookie = value(in: exchange.request),
            let session = try oauth.sessions.find(cookie, now: oauth.clock())
        {
            return try await begun(
                exchange, session.holder, session.name, means: session.means,
                at: Date(timeIntervalSince1970: TimeInterval(session.authenticationTime)), lifetime: session.lifetime,
                ends: session.ends, isOneTime: isOneTime)
        }
        return try await begun(
            exchange, .user(id), identity.name, version: identity.version, means: ["pwd"], isOneTime: isOneTime)
    }

    private static func begin(
        _ exchange: Exchange, _ name: String, _ body: JSONValue, isOneTime: Bool
    ) async throws -> HTTPResponse {
        _ = try exchange.authorization()  // refuses passwords that others could read along
        let oauth = exchange.context.oauth
        do {
            let (person, means) = try await oauth.signIn(
                name: name, password: body["password"]?.text ?? "",
                proof: SecondFactorProof(
                    code: body["otp"]?.text,
                    answers: (body["kbaAnswers"] ?? body["kba_answers"]).flatMap(SecondFactorProof.answers) ?? [:]),
                from: exchange.request.peer)
            oauth.tell(.signedIn, person, nil, from: exchange.request.peer, means: "session")
            return try await begun(
                exchange, person.holder, person.name, version: person.version, means: means, isOneTime: isOneTime)
        } catch let error as OAuthError {
            oauth.tell(
                .refused, nil, nil, from: exchange.request.peer, means: "session", reason: error.code.rawValue,
                name: name)
            // Only who knows the password learns that something else is needed.
            guard error.code == .secondFactorRequired || !error.questions.isEmpty else {
                throw AuthenticationFailure.wrong
            }
            throw RequestError(.notAuthenticated, error.text, questions: error.questions)
        }
    }

    static func context(_ name: String) -> JSONValue {
        [
            "ok": true, "userCtx": ["name": .string(name), "channels": [:]],
            "authentication_handlers": ["default", "cookie"],
        ]
    }
}
