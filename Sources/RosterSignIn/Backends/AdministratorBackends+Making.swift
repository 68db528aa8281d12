import Foundation
import Roster
import RosterCrypto
import RosterStore
import RosterText

extension AdministratorBackends {
    /// Makes a backend. To be followed by ``KeyRing/prepare(for:)`` when it is committed.
    func create(
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
    func change(
        _ id: BackendID, to new: Backend.Description, _ keys: KeyRing
    ) throws -> Backend {
        try check(new.settings)
        var backend = try transaction.backends.backend(id)
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
    func load(
        _ entries: [Seed.Entry], _ keys: KeyRing
    ) throws -> [(settings: BackendSettings, secrets: Backend.Secrets?)] {
        try entries.map { entry in
            do {
                let json = try JSONValue(strictly: Array(entry.json))
                var description = try Backend.Description(json)
                let existing = try transaction.backends.all().first {
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
