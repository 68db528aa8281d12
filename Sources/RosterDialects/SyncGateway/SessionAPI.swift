import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText

/// Sessions as Couchbase Sync Gateway has them: a cookie in place of a password on each request. `{db}` may be any name, because
/// there is one directory. The cookie is for the whole service, because its other interfaces are not below `{db}`.
enum SessionAPI {
    /// The name of the cookie, which Sync Gateway's clients know.
    static let cookie = "SyncGatewaySession"

    static let read = Endpoint("Who is signed in.") { call in .now(.json(context(call.identity?.name ?? ""))) }

    static let begin = Endpoint(
        "Begin a session: with a name and a password in the body, or as whom the request comes from already.",
        body: .object
    ) { call in
        try checkOrigin(call.request, call.context, "No CORS: sessions do not begin on pages of other origins.")
        let isOneTime = try call.parameter("one_time") == "true"
        return .later { try await begin(call, try body(call), isOneTime: isOneTime) }
    }

    static let end = Endpoint("End the session.") { call in
        try checkOrigin(call.request, call.context, "No CORS: sessions do not end on pages of other origins.")
        guard let value = Cookies.value(cookie, in: call.request) else { throw noSession }
        return .later {
            guard try await call.oauth.sessions.end(value) else { throw noSession }
            return .json(["ok": true], headers: ["Set-Cookie": field("", call.context, maximumAge: 0)])
        }
    }

    static let noSession = RequestError(.notFound, "no session")

    /// The session in a request: the value of the cookie, or the WebSocket protocol that Sync Gateway's clients send where they can
    /// send no cookie.
    static func value(in request: HTTPRequest) -> String? {
        if let value = Cookies.value(cookie, in: request) { return value }
        let protocols = (request.headers["Sec-WebSocket-Protocol"] ?? "").split(separator: ",").map {
            $0.trimmingPrefix { $0 == " " }
        }
        return protocols.first { $0.hasPrefix(cookie + "_") }.map { String($0.dropFirst(cookie.count + 1)) }
    }

    /// The body of a request to begin a session. It is empty if the body cannot be used and the request has another credential;
    /// then the session begins for the sender of the request.
    private static func body(_ call: Call) throws -> JSONValue {
        guard !call.request.body.isEmpty else { return [:] }
        do {
            let body = try call.json()
            if body["name"] != nil { return body }
        } catch {
            guard
                try call.context.credentials(of: call.request) != nil
                    || call.context.session(of: call.request) != nil
            else { throw error }
        }
        return [:]
    }

    /// Begins a session and answers with its cookie. A one-time session is answered with its value only.
    private static func begun(
        _ call: Call, _ holder: Holder, _ name: String, version: CredentialVersion? = nil, amr: [String],
        at time: Date? = nil, lifetime: TimeInterval = CookieSessions.lifetime, ends: Date? = nil, isOneTime: Bool
    ) async throws -> HTTPResponse {
        let oauth = call.oauth
        let lifetime = isOneTime ? min(CookieSessions.oneTimeLifetime, lifetime) : lifetime
        let value = try await oauth.sessions.begin(
            holder, version: version, at: time ?? oauth.clock(), amr: amr, lifetime: lifetime,
            isOneTime: isOneTime, ends: ends)
        var answer = context(name)
        guard isOneTime else {
            return .json(answer, headers: ["Set-Cookie": field(value, call.context, maximumAge: Int(lifetime))])
        }
        answer["one_time_session_id"] = .string(value)
        return .json(answer)
    }

    /// The `Set-Cookie` field for a session that a request prolonged; nil for a request that brings the session in another way.
    static func renewal(of request: HTTPRequest, _ context: ServiceContext, lifetime: TimeInterval) -> String? {
        Cookies.value(cookie, in: request).map { field($0, context, maximumAge: Int(lifetime)) }
    }

    /// The `Set-Cookie` field of a session.
    static func field(_ value: String, _ context: ServiceContext, maximumAge: Int? = nil) -> String {
        Cookies.field(cookie, value, path: "/", isSecure: context.baseURL.hasPrefix("https:"), maximumAge: maximumAge)
    }

    /// Refuses requests from pages of other origins, which browsers name.
    static func checkOrigin(_ request: HTTPRequest, _ context: ServiceContext, _ refusal: String) throws {
        guard let origin = request.headers["Origin"], origin != context.origin,
            !context.crossOrigin.allows(origin: origin)
        else { return }
        throw RequestError(.badRequest, refusal)
    }

    private static func begin(_ call: Call, _ body: JSONValue, isOneTime: Bool) async throws -> HTTPResponse {
        if let name = body["name"]?.text {
            if body["password"] == nil, try call.authorization() != nil {
                return try await SessionAdministration.begin(call, name, body, isOneTime: isOneTime)
            }
            return try await begin(call, name, body, isOneTime: isOneTime)
        }
        // An id token of a provider begins a session that lasts as long as the token.
        if case ("bearer", let token)? = try call.context.credentials(of: call.request),
            call.request.isConfidential || call.context.allowsPlainCredentials,
            call.context.relyingParty.isProviders(token)
        {
            let (person, lifetime) = try await call.context.relyingParty.signIn(
                idToken: token, from: call.origin)
            return try await begun(
                call, person.holder, person.name, amr: ["fed"], lifetime: lifetime, isOneTime: isOneTime)
        }
        let identity = try await call.authenticated()
        guard !identity.isOneTime else {
            throw RequestError(.notPermitted, "What is good once does not become a session that lives on.")
        }
        // A session lets its holder do everything, so a token that allows less must not begin one.
        guard identity.mayUseDirectory else {
            try identity.checkBringsToken()
            throw OAuthError(.insufficientScope, "The access token needs the scope 'directory' here.")
        }
        // A session would not end with the token, and would not be bound to the APIs of its backend.
        guard case .user(let id) = identity.caller, identity.token == nil, identity.clientID == nil else {
            throw RequestError(.notPermitted, "Programs and apps have no sessions. Send the token itself.")
        }
        let oauth = call.oauth
        // A session that begins with another session has its authentication methods and its end.
        if try call.authorization() == nil, let cookie = try call.context.session(of: call.request),
            let session = try oauth.sessions.find(cookie)
        {
            return try await begun(
                call, session.holder, session.name, amr: session.amr,
                at: Date(timeIntervalSince1970: TimeInterval(session.authenticationTime)), lifetime: session.lifetime,
                ends: session.ends, isOneTime: isOneTime)
        }
        return try await begun(
            call, .user(id), identity.name, version: identity.version, amr: ["pwd"], isOneTime: isOneTime)
    }

    private static func begin(
        _ call: Call, _ name: String, _ body: JSONValue, isOneTime: Bool
    ) async throws -> HTTPResponse {
        _ = try call.authorization()  // refuses passwords on connections that others could read
        let proof = SecondFactorProof(
            code: body["otp"]?.text,
            answers: (body["kbaAnswers"] ?? body["kba_answers"]).flatMap(SecondFactorProof.answers) ?? [:])
        let login = Login(name: name, password: body["password"]?.text ?? "", proof: proof)
        do {
            let person = try await call.oauth.signingIn.signIn(login, at: .session, from: call.origin)
            return try await begun(
                call, person.holder, person.name, version: person.version, amr: person.amr,
                isOneTime: isOneTime)
        } catch let failure as AuthenticationFailure {
            switch failure {
            // Only somebody who knows the password learns that a second factor is needed.
            case .secondFactorRequired(let questions),
                .secondFactorWrong(let questions) where !questions.isEmpty:
                throw RequestError(
                    .notAuthenticated, OAuthError(failure)?.text ?? failure.description, questions: questions)
            case .secondFactorWrong, .secondFactorLost: throw AuthenticationFailure.wrong
            default: throw failure
            }
        }
    }

    /// The answer that tells who is signed in.
    static func context(_ name: String) -> JSONValue {
        [
            "ok": true, "userCtx": ["name": .string(name), "channels": [:]],
            "authentication_handlers": ["default", "cookie"],
        ]
    }
}
