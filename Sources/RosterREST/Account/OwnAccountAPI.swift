import Foundation
import Roster
import RosterSignIn
import RosterText

/// The account of the signed-in user: its ways to sign in, and its sessions.
enum OwnAccountAPI {
    /// The word for the session that a request comes with.
    private static let current = "current"

    static let read = Endpoint(
        "One's own account: whether it has a password and a second factor, and the last sign-ins."
    ) { call in
        let (user, name) = try call.ownUser()
        let factors = try? call.oauth.secondFactors.summary(of: user)
        return try call.lookingUp { transaction in
            .json([
                "id": .string(user.description), "uid": .string(name),
                "has_password": .boolean(try transaction.access.hasPassword(user)),
                "second_factor": [
                    "app": .boolean(factors?.hasApp ?? false),
                    "recovery_codes": .integer(Int64(factors?.recoveryCodes ?? 0)),
                    "questions": .integer(Int64(factors?.questions ?? 0)),
                    "lost": .boolean(factors == nil),
                ],
                "takes_questions": .boolean(call.context.takesQuestions),
                "powers": .texts(transaction.powers.map(\.rawValue).sorted()),
                "signed_in_recently": .boolean((try? transaction.access.checkPresence(to: "ask")) != nil),
                "sign_ins": .array(try transaction.feed.signIns(of: .id(user), limit: 20).map(shown)),
            ])
        }
    }

    static let sessions = Endpoint("One's sessions: the browsers and apps that are signed in.") { call in
        let user = try call.ownUser().id
        let own = try digest(call)
        return try call.lookingUp {
            .json([
                "sessions": .array(
                    try $0.sessions.sessions(of: .id(user)).map { $0.json(isCurrent: $0.session.digest == own) })
            ])
        }
    }

    static let endSession = Endpoint(
        "End one of one's sessions, with what apps got in it: by its id, or 'current' to sign out.", answer: .none
    ) { call in
        let user = try call.ownUser().id
        let own = try digest(call)
        let isCurrent = call.arguments[0] == current
        guard let id = isCurrent ? own.map(OwnSession.id(of:)) : call.arguments[0] else { throw noSession }
        return .later {
            guard try await call.view.awaitWrite({ try $0.asSelfOrHelper(of: .id(user)).endSessions(id) }) > 0
            else {
                throw noSession
            }
            guard isCurrent || own.map(OwnSession.id(of:)) == id else { return HTTPResponse(204) }
            return HTTPResponse(204, headers: ["Set-Cookie": call.context.browserCookie.field("", maximumAge: 0)])
        }
    }

    static let endOtherSessions = Endpoint("End all of one's sessions but the one that asks.", answer: .none) { call in
        let user = try call.ownUser().id
        let own = try digest(call)
        return .done {
            _ = try await call.view.awaitWrite { try $0.asSelfOrHelper(of: .id(user)).endSessions(nil, except: own) }
        }
    }

    static let apps = Endpoint("The apps that act for oneself at present.") { call in
        let user = try call.ownUser().id
        return try call.lookingUp { .json(["apps": .array(try $0.sessions.apps(of: .id(user)).map(shown))]) }
    }

    private static let noSession = RequestError(.notFound, "There is no such session.")

    /// The digest of the request's own session; nil if the request has a password or a token instead of a session's cookie.
    private static func digest(_ call: Call) throws -> String? {
        guard try call.authorization() == nil, let cookie = try call.context.session(of: call.request) else {
            return nil
        }
        return try call.oauth.sessions.find(cookie)?.digest
    }

    // MARK: JSON

    static func shown(_ app: OwnApp) -> JSONValue {
        [
            "client_id": .string(app.clientID), "name": .string(app.name), "version": .string(app.version),
            "since": .time(app.since), "expires": .time(app.expires),
        ]
    }

    /// An entry of the change feed about a sign-in.
    static func shown(_ change: Change) -> JSONValue {
        func text(_ name: AttributeName) -> JSONValue {
            if case .string(let text)? = change.after[name] { return .string(text) }
            return .null
        }
        return [
            "time": .time(change.time), "kind": .string("\(change.kind)"), "from": text("from"),
            "means": text("means"), "reason": text("reason"), "app": text("backend"), "browser": text("browser"),
            "count": .integer(change.count), "last_time": .time(change.lastTime),
        ]
    }
}
