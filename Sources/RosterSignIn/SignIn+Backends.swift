public import Roster
import RosterText

/// Backends: the apps and programs that get tokens, the clients of OAuth.
extension SignIn {
    /// What a backend is told, once.
    public struct BackendSecrets: Sendable, Hashable, CustomStringConvertible {
        /// `client_id`.
        public let clientID: String
        /// For `Oracle-Mobile-Backend-ID`.
        public let backendID: String
        /// `client_secret`; nil for a public client. It is stored as a digest.
        public let secret: String?
        /// Stands for the backend where no user has signed in. It is stored as a digest.
        public let anonymousKey: String

        init(_ backend: Backend, _ secrets: Backend.Secrets) {
            clientID = backend.record.clientID
            backendID = backend.record.backendID
            secret = secrets.secret
            anonymousKey = secrets.anonymousKey
        }

        /// The client id, and none of the secrets.
        public var description: String { "secrets of \(clientID)" }
    }

    /// A backend as it is kept.
    public struct BackendDescription: Sendable, Hashable {
        /// `client_id`.
        public let clientID: String
        /// What it is called.
        public let name: String
        /// Of that name.
        public let version: String
        /// JSON, as `roster backend show` prints it, without secrets.
        public let settings: String
    }

    /// The backends there are.
    ///
    /// - Parameter view: An administrator's.
    public func backends(in view: DirectoryView) async throws -> [BackendDescription] {
        try await view.awaitRead { try $0.backends() }.map { record in
            BackendDescription(
                clientID: record.clientID, name: record.name, version: record.version,
                settings: String(decoding: try Backend(record).settings.json.bytes, as: UTF8.self))
        }
    }

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - settings: JSON, as `roster backend create --settings` and `POST /admin/backends` take it.
    ///   - view: An administrator's.
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting; `alreadyExists`, `notPermitted`.
    public func createBackend(
        named name: String, version: String = "1.0", settings: String = "{}", in view: DirectoryView
    ) async throws -> BackendSecrets {
        let description = try Backend.Description(Array(settings.utf8), name: name, version: version)
        let (backend, secrets) = try await Backend.create(description, keys: oauth.keys, in: view)
        return BackendSecrets(backend, secrets)
    }

    /// Loads a seed with its backends, all of it or, on an error, nothing. Backends that are there already get the settings
    /// that the seed has.
    ///
    /// - Parameters:
    ///   - seed: The document.
    ///   - grants: What the seed may give people.
    ///   - view: An administrator's.
    /// - Returns: What was loaded, and the backends for which the seed has no secret, with the one that was made up.
    /// - Throws: `DirectoryError` `invalidInput`, which names file, line and field; `notPermitted`.
    @discardableResult
    public func load(
        _ seed: Seed, grants: Grants = .roles, in view: DirectoryView
    ) async throws -> (report: LoadReport, backends: [BackendSecrets]) {
        let (report, made) = try await Backend.loadAll(of: seed, grants: grants, keys: oauth.keys, in: view)
        return (report, made.map(BackendSecrets.init))
    }

    /// Makes the backends of a seed, and gives those that are there already the settings that it has.
    ///
    /// - Returns: The backends for which the seed has no secret, with the one that was made up.
    /// - Throws: `DirectoryError` `invalidInput`, which names file and line.
    @discardableResult
    public func loadBackends(of seed: Seed, in view: DirectoryView) async throws -> [BackendSecrets] {
        try await Backend.load(seed, keys: oauth.keys, in: view).map(BackendSecrets.init)
    }

    /// Gives a backend other settings; its ids and secrets stay. Turning it off ends its tokens.
    ///
    /// - Throws: `DirectoryError` `notFound`, `invalidInput`, `notPermitted`.
    public func changeBackend(_ clientID: String, settings: String, in view: DirectoryView) async throws {
        let record = try await record(clientID, view)
        let description = try Backend.Description(Array(settings.utf8), name: record.name, version: record.version)
        _ = try await Backend.change(record.id, to: description, keys: oauth.keys, in: view)
    }

    /// Gives a backend a new secret and a new anonymous key; the old ones, and its own tokens, end at once.
    ///
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`.
    public func renewSecrets(ofBackend clientID: String, in view: DirectoryView) async throws -> BackendSecrets {
        let record = try await record(clientID, view)
        let secrets = try await Backend.renewSecrets(record.id, seal: oauth.keys.seal, in: view)
        return BackendSecrets(try Backend(record), secrets)
    }

    /// Deletes a backend, and with it the tokens that it holds.
    ///
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`.
    public func deleteBackend(_ clientID: String, in view: DirectoryView) async throws {
        let record = try await record(clientID, view)
        try await view.awaitWrite { try $0.deleteBackend(record.id) }
    }

    private func record(_ clientID: String, _ view: DirectoryView) async throws -> BackendRecord {
        let all = try await view.awaitRead { try $0.backends() }
        guard let record = all.first(where: { $0.clientID == clientID }) else {
            throw DirectoryError(
                .notFound, "There is no backend '\(clientID.prefix(64))'.",
                advice: "See backends(in:) for those there are.")
        }
        return record
    }
}
