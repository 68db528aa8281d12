import Foundation
import Roster
import RosterSignIn
import RosterWire

/// Sessions as Couchbase Sync Gateway has them: a cookie in place of a password on each request. `{db}` may be any name: there
/// is one directory. The cookie is for the whole service, since its other interfaces do not stand below `{db}`.
enum SessionAPI {
    /// The name that the clients of Sync Gateway know.
    static let cookie = "SyncGatewaySession"

    static let routes: [Route] = [
        Route("GET", "/{db}/_session", "Who is signed in.", style: .oauth) { exchange in
            .now(.json(context(try name(exchange))))
        },
        Route(
            "POST", "/{db}/_session",
            "Begin a session: with a name and a password in the body, or as whom the request comes from already.",
            style: .oauth, access: .everyone, body: ["type": "object"]
        ) { exchange in
            if let origin = exchange.request.headers["Origin"],
                origin != SessionAPI.origin(of: exchange.context.baseURL),
                !exchange.context.crossOrigin.allows(origin: origin)
            {
                throw RequestError(.badRequest, "No CORS: sessions do not begin on pages of other origins.")
            }
            let body: JSONValue = exchange.request.body.isEmpty ? [:] : try exchange.json()
            return .later { try await begin(exchange, body) }
        },
        Route(
            "DELETE", "/{db}/_session", "End the session.", style: .oauth, access: .everyone
        ) { exchange in
            guard let value = Cookies.value(cookie, in: exchange.request) else { throw noSession }
            return .later {
                guard try await exchange.context.oauth.sessions.end(value) else { throw noSession }
                let field = Cookies.field(
                    cookie, "", path: "/", isSecure: exchange.context.baseURL.hasPrefix("https:"), maximumAge: 0)
                return .json(["ok": true], headers: ["Set-Cookie": field])
            }
        },
    ]

    private static let noSession = RequestError(.notFound, "There is no session.")

    /// The origin of an address (RFC 6454): without its path.
    static func origin(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }

    private static func begin(_ exchange: Exchange, _ body: JSONValue) async throws -> HTTPResponse {
        let oauth = exchange.context.oauth
        let holder: Holder
        let name: String
        var means = ["pwd"]
        if let given = body["name"]?.text {
            _ = try exchange.authorization()  // refuses passwords that others could read along
            let person: Person
            do {
                (person, means) = try await oauth.signIn(
                    name: given, password: body["password"]?.text ?? "", otp: body["otp"]?.text,
                    from: exchange.request.peer)
            } catch let error as OAuthError {
                oauth.tell(
                    .refused, nil, nil, from: exchange.request.peer, means: "session", reason: error.code.rawValue,
                    name: given)
                throw AuthenticationFailure.wrong
            }
            (holder, name) = (person.holder, person.name)
            oauth.tell(.signedIn, person, nil, from: exchange.request.peer, means: "session")
        } else {
            let identity: Identity
            switch try exchange.context.authenticate(exchange.request) {
            case .identified(let known): identity = known
            case .later(let work): identity = try await work()
            case .notMine, .refused: throw AuthenticationFailure.wrong
            }
            // A session lets its holder do everything: a token that allows less must not become one.
            guard identity.mayUseDirectory else {
                throw OAuthError(.insufficientScope, "The access token needs the scope 'directory' here.")
            }
            guard case .user(let id) = identity.caller else {
                throw RequestError(.notPermitted, "Programs have no sessions. Send the token itself.")
            }
            (holder, name) = (.user(id), identity.name)
        }
        let value = try await oauth.sessions.begin(holder, at: oauth.clock(), means: means)
        let field = Cookies.field(cookie, value, path: "/", isSecure: exchange.context.baseURL.hasPrefix("https:"))
        return .json(context(name), headers: ["Set-Cookie": field])
    }

    private static func name(_ exchange: Exchange) throws -> String { exchange.identity?.name ?? "" }

    private static func context(_ name: String) -> JSONValue {
        [
            "ok": true, "userCtx": ["name": .string(name), "channels": [:]],
            "authentication_handlers": ["default", "cookie"],
        ]
    }
}
