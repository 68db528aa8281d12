public import Foundation
public import Roster
import RosterText

extension Administration {
    /// A backend, which is a client of OAuth.
    public struct Backend: Sendable, Hashable, Identifiable {
        /// The permanent identifier of the backend. The calls of ``Administration`` name a backend by this identifier.
        public let id: String
        /// The name. The name and the version together are unique.
        public let name: String
        /// The version of that name.
        public let version: String
        /// `client_id`, which names the backend at the token endpoint.
        public let clientID: String
        /// The identifier for the header field `Oracle-Mobile-Backend-ID`.
        public let backendID: String
        /// The time when the backend was made; nil in the answers to the calls that make and change a backend.
        public let created: Date?
        /// Advice about the settings, in plain English; empty in the answers to the calls that make and change a backend.
        public let advice: [String]
        /// The name, the version, the identifiers and the settings as a JSON object. To change some, change this object and pass it to
        /// ``Administration/changeBackend(_:to:)``.
        public let json: Data

        init(_ json: AnswerObject) throws {
            (id, name, version) = (try json.string("id"), try json.string("name"), try json.string("version"))
            (clientID, backendID) = (try json.string("client_id"), try json.string("backend_id"))
            (created, advice) = (try json.optionalDate("created"), json["advice"]?.texts ?? [])
            let others: Set = ["id", "created", "advice", "client_secret", "anonymous_key", "former_secrets"]
            self.json = Data(JSONValue.object(json.value.members.filter { !others.contains($0.name) }).bytes)
        }
    }

    /// The secrets of a backend, which are shown once.
    public struct BackendSecrets: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// `client_secret`; nil for a public client.
        public let secret: String?
        /// The key for calls without a signed-in user; nil if the key stays as it is.
        public let anonymousKey: String?

        init(_ json: AnswerObject) {
            (secret, anonymousKey) = (json["client_secret"]?.text, json["anonymous_key"]?.text)
        }

        /// A text without the secrets.
        public var description: String { "secrets of a backend" }
        /// A mirror without the secrets.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A secret of a backend that was replaced, and is still good.
    public struct FormerSecret: Sendable, Hashable {
        /// The time when a new secret replaced it.
        public let replaced: Date
        /// Its end.
        public let expires: Date

        init(_ json: AnswerObject) throws {
            (replaced, expires) = (try json.date("replaced"), try json.date("expires"))
        }
    }

    /// The use of a backend by a user.
    public struct BackendUse: Sendable, Hashable {
        /// The user.
        public let user: UserID
        /// The user's name.
        public let uid: String
        /// The user's name for people, or the `uid` of a user without one.
        public let label: String
        /// The last time at which the app got a token, exact to a minute.
        public let used: Date
        /// Whether the app has tokens of the user.
        public let hasTokens: Bool
        /// Whether the app is told of the end of a session of the user.
        public let hasSession: Bool

        init(_ json: AnswerObject) throws {
            guard let user = UserID(try json.string("id")) else { throw DirectoryError.unread("id") }
            (self.user, uid, label) = (user, try json.string("uid"), try json.string("name"))
            (used, hasTokens, hasSession) = (try json.date("used"), try json.bool("tokens"), try json.bool("session"))
        }
    }

    /// Lists the backends.
    public func backends() async throws -> [Backend] {
        try await ask(ListBackends()).list("backends") { try Backend($0) }
    }

    /// Makes a backend.
    ///
    /// - Parameter description: A JSON object with a `name`, and `version` and settings where they are not the standard ones. The settings
    ///   are those of `BackendSettings` in RosterSignIn, by the names of its `json`.
    /// - Returns: The backend, and its secrets, which are not stored.
    /// - Throws: `invalidInput`, which names the setting; `alreadyExists`, and the errors of ``Administration``.
    public func makeBackend(_ description: Data) async throws -> (backend: Backend, secrets: BackendSecrets) {
        let made = try await ask(MakeBackend(JSONDocument(description)))
        return (try Backend(made), BackendSecrets(made))
    }

    /// Changes the name, the version and the settings of a backend. The identifiers and the secrets stay.
    ///
    /// - Parameters:
    ///   - id: The identifier of the backend.
    ///   - description: The whole description. Settings that it leaves out get their standard values.
    /// - Throws: `invalidInput`, which names the setting, and the errors of ``Administration``.
    @discardableResult
    public func changeBackend(_ id: String, to description: Data) async throws -> Backend {
        try Backend(try await ask(ChangeBackend(id, to: JSONDocument(description))))
    }

    /// Gives a backend a new secret.
    ///
    /// - Parameters:
    ///   - id: The identifier of the backend.
    ///   - time: The time for which the old secret stays good, one second to 90 days; the anonymous key stays then. Nil to end the
    ///     old secret, and to replace the anonymous key.
    /// - Throws: `invalidInput`, and the errors of ``Administration``.
    public func renewSecrets(ofBackend id: String, keepingOldFor time: Duration? = nil) async throws -> BackendSecrets {
        BackendSecrets(try await ask(RenewBackendSecrets(of: id, keptSeconds: time?.components.seconds)))
    }

    /// Lists the former secrets of a backend that are still good. The list has their times, and not the secrets.
    ///
    /// - Parameter id: The identifier of the backend.
    public func formerSecrets(ofBackend id: String) async throws -> [FormerSecret] {
        try await ask(ListFormerSecrets(of: id)).list("former_secrets") { try FormerSecret($0) }
    }

    /// Ends the former secrets of a backend at once.
    ///
    /// - Parameter id: The identifier of the backend.
    public func endFormerSecrets(ofBackend id: String) async throws { _ = try await run(EndFormerSecrets(of: id)) }

    /// Deletes a backend, and with it the tokens that it holds.
    ///
    /// - Parameter id: The identifier of the backend.
    public func deleteBackend(_ id: String) async throws { _ = try await run(DeleteBackend(id)) }

    /// Lists the users for whom a backend has tokens, or is told of the end of a session, latest use first. Cost: a request for each 200
    /// users.
    ///
    /// - Parameters:
    ///   - id: The identifier of the backend.
    ///   - limit: The largest number of users to return.
    public func users(ofBackend id: String, limit: Int = 100) async throws -> [BackendUse] {
        try await elements("users", limit) { try await run(ListBackendUsers(of: id, count: $0, after: $1)) }
            .map { try BackendUse(AnswerObject($0)) }
    }
}
