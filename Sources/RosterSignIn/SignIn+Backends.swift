public import Roster
package import RosterText

/// Backends: the apps and programs that get tokens, the clients of OAuth.
extension SignIn {
    /// The identifiers and secrets of a backend. They are shown only once.
    public struct BackendSecrets: Sendable, Hashable, CustomStringConvertible {
        /// The client identifier of OAuth (`client_id`).
        public let clientID: String
        /// The identifier for the header field `Oracle-Mobile-Backend-ID`.
        public let backendID: String
        /// The client secret (`client_secret`); nil for a public client. The directory stores a digest of the secret.
        public let secret: String?
        /// The key for calls of the backend without a signed-in user. The directory stores a digest of the key.
        public let anonymousKey: String

        /// The backend's name and version.
        package let title: String

        /// The secrets as JSON; a public client has no `client_secret`.
        package var json: JSONValue {
            .members(["client_secret": secret.map { .string($0) }, "anonymous_key": .string(anonymousKey)])
        }

        init(_ backend: Backend, _ secret: String?, anonymousKey: String) {
            (clientID, backendID, title) = (backend.clientID, backend.backendID, backend.title)
            (self.secret, self.anonymousKey) = (secret, anonymousKey)
        }

        /// The client identifier, without the secrets.
        public var description: String { "secrets of \(clientID)" }
    }

    /// A stored backend.
    public struct BackendDescription: Sendable, Hashable {
        /// The client identifier of OAuth (`client_id`).
        public let clientID: String
        /// The name.
        public let name: String
        /// The version. The name and the version together are unique.
        public let version: String
        /// The settings, without secrets. To change some, change this value and pass it to ``SignIn/changeBackend(_:settings:in:)``.
        public let settings: BackendSettings
    }

    /// Lists all backends.
    ///
    /// - Parameter view: The view of an administrator.
    /// - Throws: `DirectoryError` `notPermitted`.
    public func backends(in view: DirectoryView) async throws -> [BackendDescription] {
        try await view.awaitRead { try $0.backends.all() }.map {
            BackendDescription(
                clientID: $0.clientID, name: $0.name, version: $0.version, settings: $0.settings)
        }
    }

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - name: The name. No other backend has the same name and version.
    ///   - version: The version of that name.
    ///   - settings: The rights of the backend; by default those of a confidential backend with the standard scopes.
    ///   - view: The view of an administrator.
    /// - Returns: The ids and the secrets, which are shown this once.
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting; `alreadyExists`, `notPermitted`.
    public func createBackend(
        named name: String, version: String = "1.0", settings: BackendSettings = BackendSettings(),
        in view: DirectoryView
    ) async throws -> BackendSecrets {
        let description = Backend.Description(name: name, version: version, settings: settings)
        return try await Backend.create(description, keys: oauth.keys, in: view).secrets
    }

    /// Loads a seed with its backends. After an error, nothing of the seed is stored. Existing backends get the settings in the
    /// seed.
    ///
    /// For tests, the `password` of a person may be plain text: a text that does not begin with `$`, `{SCHEME}` or `pbkdf2_sha`,
    /// as hashes do. The password is hashed first. It must satisfy the rules of ``setPassword(_:of:replacing:in:from:)``. If the
    /// person already has this password, the stored hash stays. Cost: a hash for each plain password, before the directory is
    /// changed.
    ///
    /// - Parameters:
    ///   - seed: The document.
    ///   - grants: The rights that the seed may give.
    ///   - view: The view of an administrator.
    /// - Returns: The report, and the backends for which the seed has no secret, each with a generated secret.
    /// - Throws: `DirectoryError` `invalidInput`, which names file, line and field; `notPermitted`.
    @discardableResult
    public func load(
        _ seed: Seed, grants: Grants = .roles, in view: DirectoryView
    ) async throws -> (report: LoadReport, backends: [BackendSecrets]) {
        let seed = try await seed.hashingPasswords(passwords.parameters, for: oauth.directory, in: view)
        return try await Backend.loadAll(of: seed, grants: grants, keys: oauth.keys, in: view)
    }

    /// Makes the backends of a seed. Existing backends get the settings in the seed.
    ///
    /// - Returns: The backends for which the seed has no secret, each with a generated secret.
    /// - Throws: `DirectoryError` `invalidInput`, which names file and line.
    @discardableResult
    public func loadBackends(of seed: Seed, in view: DirectoryView) async throws -> [BackendSecrets] {
        try await Backend.load(seed, keys: oauth.keys, in: view)
    }

    /// Replaces the settings of a backend. The identifiers and secrets stay. Disabling a backend ends its tokens.
    ///
    /// - Parameters:
    ///   - clientID: The backend.
    ///   - settings: All settings. Begin with those of ``backends(in:)`` to change only some.
    ///   - view: The view of an administrator.
    /// - Throws: `DirectoryError` `notFound`, `invalidInput`, `notPermitted`.
    public func changeBackend(
        _ clientID: String, settings: BackendSettings, in view: DirectoryView
    ) async throws {
        let backend = try await backend(clientID, view)
        let description = Backend.Description(name: backend.name, version: backend.version, settings: settings)
        _ = try await Backend.change(backend.id, to: description, keys: oauth.keys, in: view)
    }

    /// Gives a backend a new secret and a new anonymous key. The old ones, and the backend's own tokens, end at once.
    ///
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`.
    public func renewSecrets(ofBackend clientID: String, in view: DirectoryView) async throws -> BackendSecrets {
        try await Backend.renewSecrets(backend(clientID, view).id, keys: oauth.keys, in: view)
    }

    /// Gives a backend a new secret, and keeps the present one for a while, so that the app can take the new one without a stop. Former
    /// secrets stay until their ends, and the anonymous key stays.
    ///
    /// - Parameters:
    ///   - clientID: The backend.
    ///   - time: The time for which the present secret stays good: one second to 90 days.
    ///   - view: The view of an administrator.
    /// - Returns: The new secret, which is shown this once.
    /// - Throws: `DirectoryError` `notFound`, `invalidInput`, `notPermitted`.
    public func addSecret(
        toBackend clientID: String, keepingOldFor time: Duration, in view: DirectoryView
    ) async throws -> String {
        let id = try await backend(clientID, view).id
        return try await Backend.addSecret(to: id, keepingOldFor: time, keys: oauth.keys, in: view).secret
    }

    /// Deletes a backend, and with it the tokens that it holds.
    ///
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`.
    public func deleteBackend(_ clientID: String, in view: DirectoryView) async throws {
        let id = try await backend(clientID, view).id
        try await view.awaitWrite { try $0.asPresentAdministrator(to: "delete backends").backends.delete(id) }
    }

    private func backend(_ clientID: String, _ view: DirectoryView) async throws -> Backend {
        let all = try await view.awaitRead { try $0.backends.all() }
        guard let backend = all.first(where: { $0.clientID == clientID }) else {
            throw DirectoryError(
                .notFound, "There is no backend '\(clientID.prefix(64))'.",
                advice: "Call backends(in:) to list all backends.")
        }
        return backend
    }
}
