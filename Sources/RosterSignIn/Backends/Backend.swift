package import Foundation
package import Roster
import RosterStore
package import RosterText

/// The permanent identifier of a backend.
package typealias BackendID = Identifier<Backend>

/// A backend, the client of OAuth: a row of the table `backend`, with its settings read.
package struct Backend: Sendable, Hashable {
    package let id: BackendID
    /// The name. No other backend has the same name and version.
    package internal(set) var name: String
    /// The version of that name.
    package internal(set) var version: String
    /// `client_id`, which names the backend at the token endpoint.
    package let clientID: String
    /// The text that apps send as `Oracle-Mobile-Backend-ID`.
    package let backendID: String
    /// SHA-256 of the secret, in hexadecimal; nil for a client that cannot keep one.
    package internal(set) var secretDigest: String?
    /// The secret itself, encrypted; nil unless the secret signs tokens.
    var sealedSecret: String?
    /// SHA-256 of the anonymous key, in hexadecimal.
    package internal(set) var anonymousDigest: String?
    package internal(set) var settings: BackendSettings
    package let created: Date
    /// The key of its maker, see ``RemainingAccess``; nil for the command line, a linked app and backends of older versions.
    let maker: String?
    /// The name of its maker; nil for backends of older versions.
    package let makerName: String?
    /// The directory's sign-in epoch, in which the backend's own tokens are good.
    package let epoch: Int64

    /// The columns by which backends are looked up.
    package enum Key: Sendable {
        case all
        case id(BackendID)
        case clientID(String)
        case backendID(String)
        case name(String, version: String)

        /// The values for ``BackendStatements/select``.
        var bindings: [Binding] {
            var bindings = [Binding](repeating: .null, count: 6)
            switch self {
            case .all: bindings.replaceSubrange(0..<2, with: [.integer(Int64(0)), .integer(Int64.max)])
            case .id(let id): bindings.replaceSubrange(0..<2, with: [.integer(id.rawValue), .integer(id.rawValue)])
            case .clientID(let text): bindings[2] = .text(text)
            case .backendID(let text): bindings[3] = .text(text)
            case .name(let name, let version): bindings.replaceSubrange(4..<6, with: [.text(name), .text(version)])
            }
            return bindings
        }
    }

    /// The name and the version, as the log and the change feed show them.
    package var title: String { "\(name) \(version)" }

    /// All properties except the secrets, as text for people.
    package var json: JSONValue {
        .object(
            [
                .init("id", .string(id.description)), .init("name", .string(name)), .init("version", .string(version)),
                .init("client_id", .string(clientID)), .init("backend_id", .string(backendID)),
            ] + settings.document.members)
    }

    /// The properties with the time at which the backend was made, and the advice about its settings.
    package var listed: JSONValue {
        .object(json.members + [.init("created", .time(created)), .init("advice", .texts(advice))])
    }

    /// The properties with the secrets, which are shown once.
    package func json(with secrets: Secrets) -> JSONValue { .object(json.members + secrets.json.members) }

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

    /// The values of the columns that can be changed.
    fileprivate var bindings: [Binding] {
        [
            .integer(id.rawValue), .text(name), .text(version), .text(clientID), .text(backendID), .text(secretDigest),
            .text(sealedSecret), .text(anonymousDigest), .text(settings.document.written),
        ]
    }

    /// The properties for the change feed. A secret appears only as the fact that it was changed.
    fileprivate func told(beside other: Backend? = nil) -> AttributeSet {
        var told: AttributeSet = [
            "name": .string(name), "version": .string(version), "clientId": .string(clientID),
            "backendId": .string(backendID), "settings": .string(settings.document.written),
        ]
        if let other, other.secretDigest != secretDigest { told["secretChanged"] = true }
        if let other, other.anonymousDigest != anonymousDigest { told["anonymousKeyChanged"] = true }
        return told
    }
}

extension Backend {
    init(
        _ row: borrowing Row,
        _ read: (BackendID, String) throws -> BackendSettings = { try BackendSettings(stored: $1) }
    ) throws {
        id = BackendID(rawValue: row.integer(0))
        name = row.text(1)
        version = row.text(2)
        clientID = row.text(3)
        backendID = row.text(4)
        secretDigest = row.optionalText(5)
        sealedSecret = row.optionalText(6)
        anonymousDigest = row.optionalText(7)
        settings = try read(id, row.text(8))
        created = Date(milliseconds: row.integer(9))
        maker = row.optionalText(10)
        makerName = row.optionalText(11)
        epoch = row.integer(12)
    }
}

extension TransactionBackends {
    /// All backends, by name and version.
    package func all() throws -> [Backend] {
        try transaction.checkAdministrator(to: "list backends")
        return try transaction.connection.all(BackendStatements.select, Backend.Key.all.bindings) { try Backend($0) }
    }

    /// The names of at most 51 backends that were made before a time, and to which no token has been given as far as grants and the
    /// change feed tell. Cost: one look-up in two indexes for each backend.
    package func unused(since time: Date) throws -> [String] {
        try transaction.checkAdministrator(to: "list backends")
        return try transaction.connection.all(BackendStatements.unused, [.integer(time.milliseconds), .integer(51)]) {
            $0.text(0)
        }
    }

    private func backend(_ key: Backend.Key) throws -> Backend? {
        try transaction.connection.first(BackendStatements.select, key.bindings) { try Backend($0) }
    }

    /// A backend that must be there.
    ///
    /// - Throws: `notFound`.
    func backend(_ id: BackendID) throws -> Backend {
        guard let found = try backend(.id(id)) else {
            throw DirectoryError(
                .notFound, "There is no such backend.", advice: "List them to see which there are.")
        }
        return found
    }

    /// Stores a new backend.
    ///
    /// - Throws: `alreadyExists`, `invalidName`, `notPermitted`.
    func store(new backend: Backend) throws -> Backend {
        try transaction.access.checkPresentAdministrator(to: "create backends")
        try check(backend)
        let (time, maker) = (transaction.now(), try transaction.access.maker)
        try transaction.connection.run(
            BackendStatements.insert,
            backend.bindings + [.integer(time.milliseconds), .text(maker.key), .text(maker.name)])
        try transaction.feed.record(
            .created, .backend, id: backend.id.rawValue, name: backend.name, before: nil, after: backend.told(),
            at: time)
        return try self.backend(backend.id)
    }

    /// Stores a changed backend. Tokens that the backend has issued stay valid.
    func store(_ changed: Backend) throws -> Backend {
        try transaction.access.checkPresentAdministrator(to: "change backends")
        let old = try backend(changed.id)
        guard old != changed else { return old }
        try check(changed)
        let time = transaction.now()
        try transaction.connection.run(BackendStatements.update, changed.bindings + [.integer(time.milliseconds)])
        try transaction.feed.record(
            .modified, .backend, id: changed.id.rawValue, name: changed.name, before: old.told(),
            after: changed.told(beside: old), at: time)
        return changed
    }

    /// Deletes a backend, and with it the tokens that it holds.
    package func delete(_ id: BackendID) throws {
        try transaction.access.checkPresentAdministrator(to: "delete backends")
        let old = try backend(id)
        try transaction.connection.run(BackendStatements.delete, [.integer(id.rawValue)])
        try transaction.feed.record(.deleted, .backend, id: id.rawValue, name: old.name, before: old.told(), after: nil)
    }

    /// Refuses names that no backend can have, and those of other backends.
    private func check(_ backend: Backend) throws {
        _ = try EntityName(backend.name)
        _ = try EntityName(backend.version)
        for id in [backend.clientID, backend.backendID] {
            // The id of an app that describes itself is the address of its document.
            let isAddress = id.hasPrefix("https://")
            guard (1...128).contains(id.utf8.count),
                id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && ($0 != 0x3A || isAddress) })
            else {
                throw DirectoryError(
                    .invalidName, "\(EntityName.shown(id)) is not a client or backend id.",
                    advice: "Use up to 128 letters, digits and punctuation of ASCII without colons.")
            }
        }
        let taken = try transaction.connection.first(BackendStatements.taken, Array(backend.bindings.prefix(5))) {
            $0.boolean(0) ? "name and version" : $0.boolean(1) ? "client id" : "backend id"
        }
        if let taken {
            throw DirectoryError(
                .alreadyExists, "There is a backend with that \(taken) already.", advice: "Choose another one.")
        }
    }
}
