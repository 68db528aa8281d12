import Foundation
package import Roster
import RosterCrypto
package import RosterText

/// A backend with its settings read.
package struct Backend: Sendable, Hashable {
    /// As the directory keeps it.
    package let record: BackendRecord
    /// What it may do.
    package let settings: BackendSettings

    /// Reads the settings of a record.
    ///
    /// - Parameter serverTokens: What the server says about tokens where the backend does not.
    package init(_ record: BackendRecord, _ serverTokens: TokenSettings = TokenSettings()) throws {
        self.record = record
        var settings = try BackendSettings(stored: JSONValue(strictly: Array(record.settings.utf8)))
        settings.serverTokens = serverTokens
        self.settings = settings
    }

    /// The audiences of the tokens that a request asks for (RFC 8707). A request that names none gets all that the backend may
    /// have.
    ///
    /// - Throws: ``OAuthError`` `invalid_target`.
    func audiences(_ asked: [String], among allowed: [String]? = nil, issuer: String) throws -> [String] {
        let allowed = allowed ?? settings.audiences
        guard !asked.isEmpty else { return allowed }
        guard asked.allSatisfy((allowed.isEmpty ? [issuer] : allowed).contains) else {
            throw OAuthError(.invalidTarget, "The client may have no tokens for that resource.")
        }
        return allowed.isEmpty ? [issuer] : allowed.filter(asked.contains)
    }

    /// How the log and the change feed name it.
    package var title: String { "\(record.name) \(record.version)" }

    /// Its secrets, which are shown once and kept nowhere.
    package struct Secrets: Sendable {
        /// nil for a public client.
        package let secret: String?
        /// Stands for the backend itself where no user has signed in.
        package let anonymousKey: String
    }

    /// What people write of a backend that is to be made or changed: name, version, client id, backend id and settings.
    package struct Description: Sendable {
        package var name: String
        package var version: String
        package var clientID: String?
        package var backendID: String?
        /// A secret to be taken over, of at least 32 characters; nil to have one made.
        package var secret: String?
        package var settings: BackendSettings

        package init(
            name: String, version: String = "1.0", clientID: String? = nil, backendID: String? = nil,
            secret: String? = nil, settings: BackendSettings = BackendSettings()
        ) {
            self.name = name
            self.version = version
            self.clientID = clientID
            self.backendID = backendID
            self.secret = secret
            self.settings = settings
        }

        /// Reads a description from the bytes of a file.
        ///
        /// - Parameters:
        ///   - name: In place of what the file says, or where it says nothing.
        package init(_ bytes: [UInt8], name: String?, version: String?) throws {
            var json = try JSONValue(strictly: bytes)
            guard case .object = json else { throw DocumentObject.mismatch("", "an object", json) }
            // As `backend show` prints it, also with what cannot be set.
            json = .object(json.members.filter { $0.name != "id" })
            if let name { json["name"] = .string(name) }
            if let version { json["version"] = .string(version) }
            try self.init(json)
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
    ///   - keys: Encrypt the secret of one whose tokens it signs, and sign those of all others.
    ///   - view: An administrator's.
    /// - Returns: The backend, and what is shown once.
    package static func create(
        _ description: Description, keys: KeyRing, in view: DirectoryView
    ) async throws -> (backend: Backend, secrets: Secrets) {
        let made = try await view.awaitWrite { try create(description, keys: keys, for: view, in: $0) }
        try keys.prepare(for: made.backend.settings)
        return made
    }

    /// Makes a backend within a transaction. To be followed by ``KeyRing/prepare(for:)`` when it is committed.
    static func create(
        _ description: Description, keys: KeyRing, for view: DirectoryView, in transaction: Transaction
    ) throws -> (backend: Backend, secrets: Secrets) {
        try check(description.settings, transaction.vocabulary)
        if description.settings.isTrusted { try checkTrusting(view) }
        let (record, secrets) = try record(description, keys.seal)
        return (try Backend(transaction.createBackend(record)), secrets)
    }

    /// Changes name, version and settings of a backend; its ids and secrets stay.
    package static func change(
        _ id: BackendID, to description: Description, keys: KeyRing, in view: DirectoryView
    ) async throws -> Backend {
        let changed = try await view.awaitWrite { try change(id, to: description, keys: keys, for: view, in: $0) }
        try keys.prepare(for: changed.settings)
        return changed
    }

    /// Changes a backend within a transaction. To be followed by ``KeyRing/prepare(for:)`` when it is committed.
    static func change(
        _ id: BackendID, to description: Description, keys: KeyRing, for view: DirectoryView,
        in transaction: Transaction
    ) throws -> Backend {
        try check(description.settings, transaction.vocabulary)
        guard var record = try transaction.backends().first(where: { $0.id == id }) else { throw Self.gone }
        guard (record.secretDigest == nil) == description.settings.isPublic else {
            throw DocumentObject.problem("public", "cannot be changed.", "Make another backend.")
        }
        guard record.sealedSecret != nil || description.settings.signing != .hs256 else {
            throw DocumentObject.problem(
                "id_token_signed_response_alg", "HS256 needs a secret that was made for it.",
                "Give the backend a new secret first.")
        }
        if description.settings.isTrusted, try !Backend(record).settings.isTrusted { try checkTrusting(view) }
        record.name = description.name
        record.version = description.version
        var settings = description.settings
        settings.disabled =
            settings.isEnabled
            ? try Backend(record).settings.disabled
            : Int64(keys.directory.now.timeIntervalSince1970)
        record.settings = String(decoding: settings.json.bytes, as: UTF8.self)
        if !description.settings.isEnabled { try transaction.endGrants(of: id) }
        return try Backend(transaction.modifyBackend(record))
    }

    /// Gives a backend a new secret and a new anonymous key; the old ones end at once.
    package static func renewSecrets(
        _ id: BackendID, seal: @escaping @Sendable (String, String) throws -> String, in view: DirectoryView
    ) async throws -> Secrets {
        let secret = try SecureRandom.token()
        let anonymousKey = try SecureRandom.token()
        return try await view.awaitWrite { transaction in
            guard var record = try transaction.backends().first(where: { $0.id == id }) else { throw Self.gone }
            let isPublic = record.secretDigest == nil
            if !isPublic {
                record.secretDigest = try SHA256.hex(secret)
                record.sealedSecret = try seal(secret, record.clientID)
            }
            record.anonymousDigest = try SHA256.hex(anonymousKey)
            _ = try transaction.modifyBackend(record)
            return Secrets(secret: isPublic ? nil : secret, anonymousKey: anonymousKey)
        }
    }

    private static let gone = DirectoryError(
        .notFound, "There is no such backend.", advice: "List them to see which there are.")

    /// The backend as people read it: everything but its secrets.
    package var json: JSONValue {
        .object(
            [
                .init("id", .string(record.id.description)), .init("name", .string(record.name)),
                .init("version", .string(record.version)), .init("client_id", .string(record.clientID)),
                .init("backend_id", .string(record.backendID)),
            ] + settings.json.members)
    }

    /// The same as text.
    package var jsonText: String { String(decoding: json.bytes, as: UTF8.self) }

    /// Refuses a program that would make a backend a trusted one: a person has to, or the command line.
    private static func checkTrusting(_ view: DirectoryView) throws {
        guard case .program = view.presence else { return }
        throw DirectoryError(
            .notPermitted, "A program may not make a backend a trusted one.",
            advice: "Have an administrator sign in and set 'trusted', or set it on the command line.")
    }

    /// Refuses claim rules that would never send anything. A role may be made later.
    private static func check(_ settings: BackendSettings, _ vocabulary: Vocabulary) throws {
        for (claim, entry) in (settings.claims?.claims ?? []).enumerated() {
            for (rule, entry) in entry.rules.enumerated() {
                guard case .attribute(let name) = entry.source, !Person.hasValues(of: name, vocabulary) else {
                    continue
                }
                throw DocumentObject.problem(
                    "claims.claims[\(claim)].rules[\(rule)].attribute",
                    "is \(ShownText.quoted(name)), and users have no such attribute.",
                    "Name one as the directory does, such as displayName or mail, or declare it first.")
            }
        }
    }

    private static func record(
        _ description: Description, _ seal: (String, String) throws -> String
    ) throws -> (BackendRecord, Secrets) {
        let settings = description.settings
        if let secret = description.secret, settings.isPublic || !(32...256).contains(secret.utf8.count) {
            throw DocumentObject.problem(
                "client_secret",
                settings.isPublic ? "cannot be had by a public client." : "is not 32 to 256 characters long.",
                "Leave it out, or give a longer one.")
        }
        let secret = try settings.isPublic ? nil : description.secret ?? SecureRandom.token()
        let anonymousKey = try SecureRandom.token()
        let clientID = try description.clientID ?? Hexadecimal.text(SecureRandom.bytes(16))
        let record = BackendRecord(
            name: description.name, version: description.version, clientID: clientID,
            backendID: try description.backendID ?? Hexadecimal.text(SecureRandom.bytes(16)),
            secretDigest: try secret.map { try SHA256.hex($0) },
            sealedSecret: try secret.flatMap { settings.signing == .hs256 ? try seal($0, clientID) : nil },
            anonymousDigest: try SHA256.hex(anonymousKey),
            settings: String(decoding: settings.json.bytes, as: UTF8.self))
        return (record, Secrets(secret: secret, anonymousKey: anonymousKey))
    }
}
