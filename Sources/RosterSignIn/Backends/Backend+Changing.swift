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
        let made = try await view.awaitWrite { try $0.backends.create(description, keys) }
        try keys.prepare(for: made.backend.settings.signing)
        return made
    }

    /// Changes name, version and settings of a backend; its ids and secrets stay.
    package static func change(
        _ id: BackendID, to description: Description, keys: KeyRing, in view: DirectoryView
    ) async throws -> Backend {
        let changed = try await view.awaitWrite { try $0.backends.change(id, to: description, keys) }
        try keys.prepare(for: changed.settings.signing)
        return changed
    }

    /// Gives a backend a new secret and a new anonymous key; the old ones end at once.
    package static func renewSecrets(
        _ id: BackendID, keys: KeyRing, in view: DirectoryView
    ) async throws -> Secrets {
        try await view.awaitWrite { transaction in
            var backend = try transaction.backends.backend(id)
            let secret = try backend.settings.isPublic ? nil : SecureRandom.token()
            let anonymousKey = try SecureRandom.token()
            if let secret {
                backend.secretDigest = try SHA256.hex(secret)
                backend.sealedSecret = try keys.seal(secret, backend.clientID)
            }
            backend.anonymousDigest = try SHA256.hex(anonymousKey)
            try transaction.backends.endFormerSecrets(of: id)
            return Secrets(try transaction.backends.store(backend), secret, anonymousKey: anonymousKey)
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
        let (report, loaded) = try await view.load(seed, grants: grants) { transaction in
            try transaction.settings.load(seed.organization, keys)
            return try transaction.backends.load(seed.backends, keys)
        }
        for backend in loaded { try keys.prepare(for: backend.settings.signing) }
        return (report, loaded.compactMap(\.secrets))
    }

    /// Loads the backends of a seed alone, in one transaction.
    ///
    /// - Returns: The secrets of the backends that were made without a secret of the seed's.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func load(_ seed: Seed, keys: KeyRing, in view: DirectoryView) async throws -> [Secrets] {
        let loaded = try await view.awaitWrite { try $0.backends.load(seed.backends, keys) }
        for backend in loaded { try keys.prepare(for: backend.settings.signing) }
        return loaded.compactMap(\.secrets)
    }
}

extension TransactionBackends {
    /// Makes a backend. To be followed by ``KeyRing/prepare(for:)`` when it is committed.
    fileprivate func create(
        _ new: Backend.Description, _ keys: KeyRing
    ) throws -> (backend: Backend, secrets: Backend.Secrets) {
        try check(new.settings)
        if new.settings.isTrusted { try checkTrusting() }
        if let secret = new.secret, new.settings.isPublic || !(32...256).contains(secret.utf8.count) {
            throw DocumentObject.problem(
                "client_secret",
                new.settings.isPublic ? "cannot be had by a public client." : "is not 32 to 256 characters long.",
                "Leave it out, or give a longer one.")
        }
        let secret = try new.settings.isPublic ? nil : new.secret ?? SecureRandom.token()
        let anonymousKey = try SecureRandom.token()
        let clientID = try new.clientID ?? Hexadecimal.text(SecureRandom.bytes(16))
        let backend = try store(
            new: Backend(
                id: BackendID(rawValue: transaction.nextID()), name: new.name, version: new.version, clientID: clientID,
                backendID: new.backendID ?? Hexadecimal.text(SecureRandom.bytes(16)),
                secretDigest: secret.map { try SHA256.hex($0) },
                sealedSecret: secret.flatMap {
                    new.settings.signing == .clientSecret ? try keys.seal($0, clientID) : nil
                },
                anonymousDigest: SHA256.hex(anonymousKey), settings: new.settings, created: transaction.now(),
                maker: nil,
                makerName: nil,
                epoch: 0))
        return (backend, Backend.Secrets(backend, secret, anonymousKey: anonymousKey))
    }

    /// Changes a backend. To be followed by ``KeyRing/prepare(for:)`` when it is committed.
    fileprivate func change(
        _ id: BackendID, to new: Backend.Description, _ keys: KeyRing
    ) throws -> Backend {
        try check(new.settings)
        var backend = try backend(id)
        guard (backend.secretDigest == nil) == new.settings.isPublic else {
            throw DocumentObject.problem("public", "cannot be changed.", "Make another backend.")
        }
        guard backend.sealedSecret != nil || new.settings.signing != .clientSecret else {
            throw DocumentObject.problem(
                "id_token_signed_response_alg", "HS256 needs a secret that was made for it.",
                "Give the backend a new secret first.")
        }
        if new.settings.isTrusted, !backend.settings.isTrusted { try checkTrusting() }
        let disabled = backend.settings.disabled
        (backend.name, backend.version, backend.settings) = (new.name, new.version, new.settings)
        backend.settings.disabled =
            new.settings.isEnabled ? disabled : Int64(keys.directory.now.timeIntervalSince1970)
        let changed = try store(backend)
        if !new.settings.isEnabled {
            try transaction.connection.run(GrantStatements.deleteOfBackend, [.integer(id.rawValue)])
        }
        return changed
    }

    /// Makes or changes the backends of a seed.
    ///
    /// - Returns: The settings of each, and the secrets of those for which secrets were generated.
    fileprivate func load(
        _ entries: [Seed.Entry], _ keys: KeyRing
    ) throws -> [(settings: BackendSettings, secrets: Backend.Secrets?)] {
        try entries.map { entry in
            do {
                let json = try JSONValue(strictly: Array(entry.json))
                var description = try Backend.Description(json)
                let existing = try all().first {
                    $0.name == description.name && $0.version == description.version
                }
                // A seed that a server loads at each start must not change what apps of before are told.
                if existing?.settings.claims == .allRoles, json["claims"] == nil {
                    description.settings.claims = .allRoles
                }
                if let existing { return (try change(existing.id, to: description, keys).settings, nil) }
                let made = try create(description, keys)
                return (made.backend.settings, description.secret == nil ? made.secrets : nil)
            } catch let error as DirectoryError where error.code == .invalidInput {
                throw error.inDocument(at: entry.place)
            }
        }
    }

    /// Refuses to let a program make a backend a trusted one. Only a person or the command line may.
    private func checkTrusting() throws {
        guard case .program = transaction.view.presence else { return }
        throw DirectoryError(
            .notPermitted, "A program may not make a backend a trusted one.",
            advice: "Have an administrator sign in and set 'trusted', or set it on the command line.")
    }

    /// Refuses settings that contradict each other, and claim rules for attributes that do not exist. A role that a rule names may be created later.
    private func check(_ settings: BackendSettings) throws {
        try settings.check()
        for (claim, entry) in (settings.claims?.claims ?? []).enumerated() {
            for (rule, entry) in entry.rules.enumerated() {
                guard case .attribute(let name) = entry.source,
                    !Person.hasValues(of: name.rawValue, transaction.vocabulary)
                else {
                    continue
                }
                throw DocumentObject.problem(
                    "claims.claims[\(claim)].rules[\(rule)].attribute",
                    "is \(ShownText.quoted(name.rawValue)), and users have no such attribute.",
                    "Name one as the directory does, such as displayName or mail, or declare it first.")
            }
        }
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
