import Foundation
import Roster
import RosterAdministration
import RosterREST
import RosterSignIn
import RosterText

/// Sync Gateway's interface for administrators: to begin a session for a user without the password, to tell whose a session is,
/// and to end one or all sessions. Every user may end their own sessions.
enum SessionAdministration {
    static let read = Endpoint("Whose a session is.") { call in
        try check(call)
        let oauth = call.oauth
        guard let session = try oauth.sessions.find(call.arguments[1]) else {
            throw SessionAPI.noSession
        }
        if case .user(let id) = session.holder { _ = try call.view.read { try $0.sessions.userWithSessions(.id(id)) } }
        return .now(.json(SessionAPI.context(session.name)))
    }

    static let end = Endpoint("End a session.") { call in
        try check(call)
        return .later { try await end(call, call.arguments[1], of: nil) }
    }

    static let endOfUser = Endpoint("End a session of a user.") { call in
        let user = try userForSignOut(call)
        return .later { try await end(call, call.arguments[2], of: user) }
    }

    static let signOut = Endpoint("Sign somebody out everywhere: every session and every token ends at once.") { call in
        try check(call)
        return .later {
            _ = try await call.administration.run(SignOutUser(.either(call.arguments[1])))
            return .json(["ok": true])
        }
    }

    private static func check(_ call: Call) throws {
        try call.identity?.check("directory", call.oauth)
    }

    private static func userForSignOut(_ call: Call) throws -> UserID {
        try check(call)
        return try call.view.read { try $0.asSelfOrHelper(of: .either(call.arguments[1])).user.id }
    }

    private static func end(_ call: Call, _ value: String, of user: UserID?) async throws -> HTTPResponse {
        let oauth = call.oauth
        guard let session = try oauth.sessions.find(value),
            user.map({ session.holder == .user($0) }) ?? true
        else { throw SessionAPI.noSession }
        if case .user(let id) = session.holder { _ = try call.view.read { try $0.asSelfOrHelper(of: .id(id)) } }
        guard try await oauth.sessions.end(value) else { throw SessionAPI.noSession }
        let person = try Person(session.holder, in: oauth.directory)
        oauth.audit.record(.revoked, person, nil, from: call.origin, method: "session")
        return .json(["ok": true])
    }

    /// Begins a session for a user on behalf of an administrator, with `name`, and `ttl` in seconds.
    static func begin(_ call: Call, _ name: String, _ body: JSONValue, isOneTime: Bool) async throws -> HTTPResponse {
        let identity = try await call.authenticated()
        try identity.check("directory", call.oauth)
        var lifetime = Int64(isOneTime ? CookieSessions.oneTimeLifetime : CookieSessions.lifetime)
        if let value = body["ttl"] {
            guard case .integer(let seconds) = value, (1...31_536_000).contains(seconds) else {
                throw RequestError(.badRequest, "'ttl' takes 1 to 31536000 seconds.")
            }
            lifetime = seconds
        }
        let oauth = call.oauth
        let view = call.context.directory.acting(as: identity.caller, by: identity.presence)
        let (user, maker) = try view.read { try $0.sessions.userForSession(.either(name)) }
        guard let person = try Person(.user(user), in: oauth.directory) else {
            throw RequestError(.notFound, "The account is disabled.")
        }
        let now = oauth.clock()
        let value = try await oauth.sessions.begin(
            .user(user), at: now, amr: ["admin"], lifetime: TimeInterval(lifetime), isOneTime: isOneTime,
            maker: maker)
        oauth.audit.record(
            .signedIn, person, nil, from: call.origin, method: "session", reason: "by " + identity.name)
        return .json([
            "session_id": .string(value), "cookie_name": .string(SessionAPI.cookie),
            "expires": .time(now.addingTimeInterval(TimeInterval(lifetime))),
        ])
    }
}
