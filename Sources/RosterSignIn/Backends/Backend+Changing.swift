import Foundation
package import Roster
import RosterCrypto
import RosterStore
package import RosterText

extension Backend {
    /// Secrets that are shown once.
    package typealias Secrets = SignIn.BackendSecrets

    /// The text with which people make or change a backend: name, version, client id, backend id and settings.
    package struct Description: Sendable {
        var name: String
        var version: String
        var clientID: String?
        var backendID: String?
        /// The secret, of at least 32 characters; nil for a generated one.
        var secret: String?
        var settings: BackendSettings

        package init(
            name: String, version: String = "1.0", clientID: String? = nil,
            settings: BackendSettings = BackendSettings()
        ) {
            (self.name, self.version, self.clientID, self.settings) = (name, version, clientID, settings)
        }

        /// Reads the JSON of a description from the bytes of a file.
        ///
        /// - Parameters:
        ///   - name: Overrides the name in the file.
        package static func json(_ bytes: [UInt8], name: String?, version: String?) throws -> JSONValue {
            var json = try JSONValue(strictly: bytes)
            guard case .object = json else { throw DocumentObject.mismatch("", "an object", json) }
            // `backend show` prints the id as well, which cannot be set.
            json = .object(json.members.filter { $0.name != "id" })
            if let name { json["name"] = .string(name) }
            if let version { json["version"] = .string(version) }
            return json
        }

        /// Reads a description: the settings with `name`, `version`, `client_id`, `backend_id` and `client_secret` beside
        /// them.
        package init(_ json: JSONValue) throws {
            var members = try DocumentObject(json, at: "")
            name = try members.required(try members.text("name"), "name")
            version = try members.text("version") ?? "1.0"
            clientID = try members.text("client_id")
            backendID = try members.text("backend_id")
            secret = try members.text("client_secret")
            let own: Set = ["name", "version", "client_id", "backend_id", "client_secret"]
            settings = try BackendSettings(.object(json.members.filter { !own.contains($0.name) }))
        }
    }

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - keys: The keys that encrypt the secret of a backend whose tokens it signs, and that sign the tokens of all others.
    ///   - view: The view of an administrator.
    /// - Returns: The backend, and its secrets, which are shown once.
    package static func create(
        _ description: Description, keys: KeyRing, in view: DirectoryView
    ) async throws -> (backend: Backend, secrets: Secrets) {
        let made = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "create backends").backends.create(description, keys)
        }
        try keys.prepare(for: made.backend.settings.signing)
        return made
    }

    /// Changes name, version and settings of a backend; its ids and secrets stay.
    package static func change(
        _ id: BackendID, to description: Description, keys: KeyRing, in view: DirectoryView
    ) async throws -> Backend {
        let changed = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "change backends").backends.change(id, to: description, keys)
        }
        try keys.prepare(for: changed.settings.signing)
        return changed
    }

    /// Gives a backend a new secret and a new anonymous key; the old ones end at once.
    package static func renewSecrets(
        _ id: BackendID, keys: KeyRing, in view: DirectoryView
    ) async throws -> Secrets {
        try await view.awaitWrite { transaction in
            let backends = try transaction.asPresentAdministrator(to: "change backends").backends
            var backend = try transaction.backends.backend(id)
            let secret = try backend.settings.isPublic ? nil : SecureRandom.token()
            let anonymousKey = try SecureRandom.token()
            if let secret {
                backend.secretDigest = try SHA256.hex(secret)
                backend.sealedSecret = try keys.seal(secret, backend.clientID)
            }
            backend.anonymousDigest = try SHA256.hex(anonymousKey)
            try backends.endFormerSecrets(of: id)
            return Secrets(try backends.store(backend), secret, anonymousKey: anonymousKey)
        }
    }

    /// Loads a seed with its backends and its organization in one transaction. An error undoes the whole load. The settings in the seed
    /// replace those of a backend that exists already.
    ///
    /// - Returns: The report, and the secrets of the backends that were made without a secret of the seed's.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func loadAll(
        of seed: Seed, grants: Grants = .roles, keys: KeyRing, in view: DirectoryView
    ) async throws -> (report: LoadReport, backends: [Secrets]) {
        let (report, loaded) = try await view.load(seed, grants: grants) {
            transaction -> [(settings: BackendSettings, secrets: Secrets?)] in
            let policies = try transaction.settings.changes(by: seed.organization)
            // A seed that changes nothing of sign-in needs no recent sign-in.
            guard !policies.isEmpty || !seed.backends.isEmpty else { return [] }
            let administrator = try transaction.asPresentAdministrator(to: "load a seed")
            try administrator.settings.store(policies, keys)
            return try administrator.backends.load(seed.backends, keys)
        }
        for backend in loaded { try keys.prepare(for: backend.settings.signing) }
        return (report, loaded.compactMap(\.secrets))
    }

    /// Loads the backends of a seed alone, in one transaction.
    ///
    /// - Returns: The secrets of the backends that were made without a secret of the seed's.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func load(_ seed: Seed, keys: KeyRing, in view: DirectoryView) async throws -> [Secrets] {
        guard !seed.backends.isEmpty else { return [] }
        let loaded = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "load backends").backends.load(seed.backends, keys)
        }
        for backend in loaded { try keys.prepare(for: backend.settings.signing) }
        return loaded.compactMap(\.secrets)
    }
}

extension LoadReport {
    /// The numbers for programs, with the secrets of the backends that were made.
    package func json(with backends: [Backend.Secrets]) -> JSONValue {
        var json = json
        json["backends"] = .array(
            backends.map { secrets in
                .object(
                    [.init("name", .string(secrets.title)), .init("client_id", .string(secrets.clientID))]
                        + secrets.json.members)
            })
        return json
    }
}
