public import Foundation
public import Roster
import RosterText

extension Administration {
    /// The ways in which one user signs in: password, second factors, app passwords, sessions and devices.
    ///
    /// The help desk may make all calls for users without a power, except making app passwords.
    public struct UserAccess: Sendable {
        let administration: Administration
        let user: UserReference
    }

    /// The access of a user. No request is sent.
    ///
    /// - Parameter user: The user.
    public func user(_ user: some UserReferenceConvertible) -> UserAccess {
        UserAccess(administration: self, user: user.userReference)
    }

    /// A session: a browser or an app in which a user is signed in.
    public struct Session: Sendable, Hashable, Identifiable {
        /// The identifier, with which nobody can sign in.
        public let id: String
        /// The `User-Agent` of the browser; nil if it is not known.
        public let agent: String?
        /// The beginning; nil for a session of an older version.
        public let began: Date?
        /// The last use that was stored.
        public let used: Date
        /// The time when the session ends unless it is used.
        public let expires: Date
        /// How the user proved who they are: values of `amr` (RFC 8176).
        public let methods: [String]
        /// The administrator who began the session for the user; nil for the user.
        public let beginner: String?

        init(_ json: AnswerObject) throws {
            (id, agent, beginner) = (try json.string("id"), json["agent"]?.text, json["begun_by"]?.text)
            (began, used) = (try json.optionalDate("began"), try json.date("used"))
            (expires, methods) = (try json.date("expires"), json["amr"]?.texts ?? [])
        }
    }

    /// A device on which a user has registered an app.
    public struct Device: Sendable, Hashable, Identifiable {
        /// The identifier.
        public let id: String
        /// The `client_id` of the app.
        public let clientID: String
        /// The name of the app's backend.
        public let name: String
        /// The version of the app's backend.
        public let version: String
        /// The time of the registration.
        public let created: Date
        /// The time when the registration ends.
        public let expires: Date
        /// The platform that the app told; nil for none.
        public let platform: String?
        /// The version of the platform that the app told; nil for none.
        public let systemVersion: String?
        /// The identifier of the installation that the app told; nil for none.
        public let installation: String?

        init(_ json: AnswerObject) throws {
            (id, clientID) = (try json.string("id"), try json.string("client_id"))
            (name, version) = (try json.string("name"), try json.string("version"))
            (created, expires) = (try json.date("created"), try json.date("expires"))
            (platform, systemVersion) = (json["platform"]?.text, json["os_version"]?.text)
            installation = json["installation_id"]?.text
        }
    }

    /// A link with which a user sets a password once.
    public struct PasswordLink: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The reason for a link, which decides how long the link is good.
        public enum Kind: String, Sendable, CaseIterable {
            /// The user forgot the password: 30 minutes.
            case reset
            /// The user is new: 24 hours.
            case invitation
        }

        /// The address of the link, which is not stored; nil for a link that the server has mailed.
        public let url: String?
        /// The end of the link.
        public let expires: Date

        init(_ json: AnswerObject) throws { (url, expires) = (json["url"]?.text, try json.date("expires")) }

        /// A text without the link.
        public var description: String { "a password link until \(expires)" }
        /// A mirror without the link.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension Administration.UserAccess {
    /// Sets the password of a user. All sessions and tokens of the user end.
    ///
    /// - Parameter password: The password, which the rules of the server must allow.
    /// - Throws: `invalidAttribute` for a password that the rules refuse, `overloaded`, and the errors of ``Administration``.
    public func setPassword(_ password: String) async throws {
        _ = try await administration.run(SetPassword(password, of: user))
    }

    /// Makes a link with which a user sets a password once. A newer link ends the older one.
    ///
    /// - Parameters:
    ///   - kind: The reason for the link.
    ///   - isMailed: Whether the server sends the link to the user's mail address in place of returning it.
    /// - Throws: `invalidInput` for a server that sends no mails, and the errors of ``Administration``.
    public func makePasswordLink(
        _ kind: Administration.PasswordLink.Kind = .reset, isMailed: Bool = false
    ) async throws -> Administration.PasswordLink {
        try Administration.PasswordLink(
            try await administration.ask(MakePasswordLink(for: user, kind: kind.rawValue, isMailed: isMailed)))
    }

    /// Lists the sessions of a user, the one that was used last first.
    public func sessions() async throws -> [Administration.Session] {
        try await administration.ask(ListSessions(of: user)).list("sessions") { try Administration.Session($0) }
    }

    /// Ends a session of a user, with what apps got in it.
    ///
    /// - Parameter id: The identifier of the session.
    public func endSession(_ id: String) async throws {
        _ = try await administration.run(EndSession(id, of: user))
    }

    /// Ends all sessions and all tokens of a user at once.
    public func signOut() async throws {
        _ = try await administration.run(SignOutUser(user))
    }

    /// Lists the registered devices of a user.
    public func devices() async throws -> [Administration.Device] {
        try await administration.ask(ListDevices(of: user)).list("devices") { try Administration.Device($0) }
    }

    /// Ends a registered device of a user, with the tokens that its app got.
    ///
    /// - Parameter id: The identifier of the device.
    public func endDevice(_ id: String) async throws {
        _ = try await administration.run(EndDevice(id, of: user))
    }
}
