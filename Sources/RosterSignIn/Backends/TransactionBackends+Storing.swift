package import Foundation
package import Roster
import RosterStore
import RosterText

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
    package func delete(_ id: Identifier<Backend>) throws {
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
