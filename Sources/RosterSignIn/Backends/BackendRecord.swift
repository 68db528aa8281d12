package import Foundation
package import Roster
import RosterStore
import RosterText

/// The permanent identifier of a backend.
package typealias BackendID = Identifier<BackendRecord>

/// A backend, the client of OAuth, as the directory keeps it. What its settings mean is sign-in's business.
package struct BackendRecord: Sendable, Hashable {
    /// Its permanent identifier.
    package let id: BackendID
    /// Its name and version: together they are no other one's.
    package var name: String
    package var version: String
    /// By which it is known at the token endpoint.
    package var clientID: String
    /// What `Oracle-Mobile-Backend-ID` names.
    package var backendID: String
    /// SHA-256 of the secret, in hexadecimal; nil for a client that cannot keep one.
    package var secretDigest: String?
    /// The secret itself, encrypted, where it signs tokens.
    package var sealedSecret: String?
    /// SHA-256 of the anonymous key, in hexadecimal.
    package var anonymousDigest: String?
    /// JSON.
    package var settings: String
    /// When it was made.
    package let created: Date
    /// When it was last changed.
    package let modified: Date
    /// Who made it: the maker's key, see ``Made``; nil for the command line, a linked app and backends of older versions.
    package let maker: String?
    /// What the maker was called; nil for backends of older versions.
    package let makerName: String?
    /// The directory's sign-in epoch, in which the backend's own tokens are good.
    package let epoch: Int64

    /// Describes a backend that is to be made; its identifier is given by the directory.
    package init(
        name: String, version: String, clientID: String, backendID: String, secretDigest: String? = nil,
        sealedSecret: String? = nil, anonymousDigest: String? = nil, settings: String
    ) {
        id = BackendID(rawValue: 0)
        self.name = name
        self.version = version
        self.clientID = clientID
        self.backendID = backendID
        self.secretDigest = secretDigest
        self.sealedSecret = sealedSecret
        self.anonymousDigest = anonymousDigest
        self.settings = settings
        created = .distantPast
        modified = .distantPast
        maker = nil
        makerName = nil
        epoch = 0
    }

    init(_ row: borrowing Row) {
        id = BackendID(rawValue: row.integer(0))
        name = row.text(1)
        version = row.text(2)
        clientID = row.text(3)
        backendID = row.text(4)
        secretDigest = row.optionalText(5)
        sealedSecret = row.optionalText(6)
        anonymousDigest = row.optionalText(7)
        settings = row.text(8)
        created = Date(milliseconds: row.integer(9))
        modified = Date(milliseconds: row.integer(10))
        maker = row.optionalText(11)
        makerName = row.optionalText(12)
        epoch = row.integer(13)
    }

    fileprivate var bindings: [Binding] {
        [
            .text(name), .text(version), .text(clientID), .text(backendID), .text(secretDigest), .text(sealedSecret),
            .text(anonymousDigest), .text(settings),
        ]
    }

    /// What the change feed tells of it: nothing of its secrets but whether they are others now.
    fileprivate func told(beside other: BackendRecord?) -> AttributeSet {
        var told: AttributeSet = [
            "name": .string(name), "version": .string(version), "clientId": .string(clientID),
            "backendId": .string(backendID), "settings": .string(settings),
        ]
        if let other, other.secretDigest != secretDigest { told["secretChanged"] = true }
        if let other, other.anonymousDigest != anonymousDigest { told["anonymousKeyChanged"] = true }
        return told
    }
}

extension Directory {
    /// By what a backend is looked up.
    package enum BackendKey: Sendable, Hashable {
        case id(BackendID)
        case clientID(String)
        case backendID(String)
        case anonymousDigest(String)
    }

    /// A backend; nil where there is none. Cost: some microseconds.
    package func backend(_ key: BackendKey) throws -> BackendRecord? {
        try store.read { connection in
            switch key {
            case .id(let id):
                try connection.first(BackendStatements.byNumber, [.integer(id.rawValue)]) { BackendRecord($0) }
            case .clientID(let text):
                try connection.first(BackendStatements.byClientID, text: text) { BackendRecord($0) }
            case .backendID(let text):
                try connection.first(BackendStatements.byBackendID, text: text) { BackendRecord($0) }
            case .anonymousDigest(let text):
                try connection.first(BackendStatements.byAnonymousDigest, text: text) { BackendRecord($0) }
            }
        }
    }
}

extension Transaction {
    /// All backends, by name and version.
    package func backends() throws -> [BackendRecord] {
        try checkAdministrator(to: "list backends")
        return try connection.all(BackendStatements.all) { BackendRecord($0) }
    }

    /// A backend by name and version, or by its client id.
    ///
    /// - Throws: `notFound`, `notPermitted`.
    package func backend(named name: String, version: String?) throws -> BackendRecord {
        try checkAdministrator(to: "read backends")
        let named = try connection.first(BackendStatements.byName, [.text(name), .text(version ?? "1.0")]) {
            BackendRecord($0)
        }
        if let named { return named }
        if version == nil,
            let found = try connection.first(BackendStatements.byClientID, text: name, { BackendRecord($0) })
        {
            return found
        }
        throw DirectoryError(
            .notFound, "There is no backend \(EntityName.shown(name))\(version.map { " " + $0 } ?? "").",
            advice: "List them to see which there are.")
    }

    /// Makes a backend.
    ///
    /// - Throws: `alreadyExists`, `invalidName`, `notPermitted`.
    package func createBackend(_ new: BackendRecord) throws -> BackendRecord {
        try checkPresentAdministrator(to: "create backends")
        try check(new)
        let number = try nextID()
        let time = now()
        try connection.run(
            BackendStatements.insert,
            [.integer(number)] + new.bindings + [.integer(time.milliseconds), .text(maker.key), .text(maker.name)])
        try record(
            .created, .backend, id: number, name: new.name, before: nil, after: new.told(beside: nil), at: time)
        return try stored(number)
    }

    /// Changes a backend. Its tokens live on.
    package func modifyBackend(_ changed: BackendRecord) throws -> BackendRecord {
        try checkPresentAdministrator(to: "change backends")
        let old = try stored(changed.id.rawValue)
        guard old != changed else { return old }
        try check(changed)
        let time = now()
        try connection.run(
            BackendStatements.update,
            [.integer(changed.id.rawValue)] + changed.bindings + [.integer(time.milliseconds)])
        try record(
            .modified, .backend, id: changed.id.rawValue, name: changed.name, before: old.told(beside: nil),
            after: changed.told(beside: old), at: time)
        return try stored(changed.id.rawValue)
    }

    /// Ends whatever tokens of users a backend holds.
    package func endGrants(of backend: BackendID) throws {
        try checkPresentAdministrator(to: "end a backend's tokens")
        try connection.run(GrantStatements.deleteOfBackend, [.integer(backend.rawValue)])
    }

    /// Deletes a backend, and with it whatever tokens it holds.
    package func deleteBackend(_ id: BackendID) throws {
        try checkPresentAdministrator(to: "delete backends")
        let old = try stored(id.rawValue)
        try connection.run(BackendStatements.delete, [.integer(id.rawValue)])
        try record(
            .deleted, .backend, id: id.rawValue, name: old.name, before: old.told(beside: nil), after: nil)
    }

    private func stored(_ number: Int64) throws -> BackendRecord {
        guard let found = try connection.first(BackendStatements.byNumber, [.integer(number)], { BackendRecord($0) })
        else {
            throw DirectoryError(
                .notFound, "There is no such backend any more.", advice: "List them to see which there are.")
        }
        return found
    }

    private func check(_ backend: BackendRecord) throws {
        _ = try EntityName(backend.name)
        _ = try EntityName(backend.version)
        for id in [backend.clientID, backend.backendID] {
            guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A })
            else {
                throw DirectoryError(
                    .invalidName, "\(EntityName.shown(id)) is no client or backend id.",
                    advice: "Use up to 128 letters, digits and punctuation of ASCII without colons.")
            }
        }
        let taken = try connection.first(
            BackendStatements.taken,
            [
                .text(backend.name), .text(backend.version), .text(backend.clientID), .text(backend.backendID),
                .integer(backend.id.rawValue),
            ]
        ) { $0.boolean(0) ? "name and version" : $0.boolean(1) ? "client id" : "backend id" }
        if let taken {
            throw DirectoryError(
                .alreadyExists, "There is a backend with that \(taken) already.", advice: "Choose another one.")
        }
    }
}
