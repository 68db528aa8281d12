import Foundation
import Roster
import RosterSignIn
import RosterText

/// Sync Gateway's interface for administrators: to begin a session for a user without the password, to tell whose a session is,
/// and to end one or all sessions. Every user may end their own sessions.
enum SessionAdministration {
    static let routes: [Route] = [
        Route("GET", "/{db}/_session/{session}", "Whose a session is.", style: .syncGateway) { exchange in
            try check(exchange)
            let oauth = exchange.context.oauth
            guard let session = try oauth.sessions.find(exchange.arguments[1]) else {
                throw SessionAPI.noSession
            }
            if case .user(let id) = session.holder { _ = try exchange.view.read { try $0.userWithSessions(.id(id)) } }
            return .now(.json(SessionAPI.context(session.name)))
        },
        Route("DELETE", "/{db}/_session/{session}", "End a session.", style: .syncGateway) { exchange in
            try check(exchange)
            return .later { try await end(exchange, exchange.arguments[1], of: nil) }
        },
        Route(
            "DELETE", "/{db}/_user/{name}/_session/{session}", "End a session of a user.", style: .syncGateway
        ) { exchange in
            try check(exchange)
            let user = try exchange.view.read { try $0.userForSignOut(.either(exchange.arguments[1])) }
            return .later { try await end(exchange, exchange.arguments[2], of: user) }
        },
        Route(
            "DELETE", "/{db}/_user/{name}/_session",
            "Sign somebody out everywhere: every session and every token ends at once.", style: .syncGateway
        ) { exchange in
            try check(exchange)
            let user = try exchange.view.read { try $0.userForSignOut(.either(exchange.arguments[1])) }
            return .later {
                try await exchange.context.oauth.signOutEverywhere(user, from: exchange.request.peer)
                return .json(["ok": true])
            }
        },
    ]

    private static func check(_ exchange: Exchange) throws {
        try exchange.identity?.check("directory", exchange.context.oauth)
    }

    private static func end(_ exchange: Exchange, _ value: String, of user: UserID?) async throws -> HTTPResponse {
        let oauth = exchange.context.oauth
        guard let session = try oauth.sessions.find(value),
            user.map({ session.holder == .user($0) }) ?? true
        else { throw SessionAPI.noSession }
        if case .user(let id) = session.holder { _ = try exchange.view.read { try $0.userForSignOut(.id(id)) } }
        guard try await oauth.sessions.end(value) else { throw SessionAPI.noSession }
        let person = try Person(session.holder, in: oauth.directory)
        oauth.audit.record(.revoked, person, nil, from: exchange.request.peer, method: "session")
        return .json(["ok": true])
    }

    /// Begins a session for a user on behalf of an administrator, with `name`, and `ttl` in seconds.
    static func begin(
        _ exchange: Exchange, _ name: String, _ body: JSONValue, isOneTime: Bool
    ) async throws -> HTTPResponse {
        let identity = try await exchange.authenticated()
        try identity.check("directory", exchange.context.oauth)
        var lifetime = Int64(isOneTime ? SessionKeeper.oneTimeLifetime : SessionKeeper.lifetime)
        if let value = body["ttl"] {
            guard case .integer(let seconds) = value, (1...31_536_000).contains(seconds) else {
                throw RequestError(.badRequest, "'ttl' takes 1 to 31536000 seconds.")
            }
            lifetime = seconds
        }
        let oauth = exchange.context.oauth
        let view = exchange.context.directory.acting(as: identity.caller, by: identity.presence)
        let (user, maker) = try view.read { try $0.userForSession(.either(name)) }
        guard let person = try Person(.user(user), in: oauth.directory) else {
            throw RequestError(.notFound, "The account is disabled.")
        }
        let now = oauth.clock()
        let value = try await oauth.sessions.begin(
            .user(user), at: now, amr: ["admin"], lifetime: TimeInterval(lifetime), isOneTime: isOneTime,
            maker: maker)
        oauth.audit.record(
            .signedIn, person, nil, from: exchange.request.peer, method: "session", reason: "by " + identity.name)
        return .json([
            "session_id": .string(value), "cookie_name": .string(SessionAPI.cookie),
            "expires": .string(Timestamp.text(now.addingTimeInterval(TimeInterval(lifetime)), hasMilliseconds: false)),
        ])
    }
}
