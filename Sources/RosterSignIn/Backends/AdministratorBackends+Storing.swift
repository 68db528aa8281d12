import Foundation
package import Roster
import RosterStore
import RosterText

extension AdministratorBackends {
    /// Stores a new backend.
    ///
    /// - Throws: `alreadyExists`, `invalidName`.
    func store(new backend: Backend) throws -> Backend {
        try check(backend)
        let (time, maker) = (transaction.now(), try transaction.access.maker)
        try transaction.connection.run(
            BackendStatements.insert,
            backend.bindings + [.integer(time.milliseconds), .text(maker.key), .text(maker.name)])
        try transaction.feed.record(
            .created, .backend, id: backend.id.rawValue, name: backend.name, before: nil, after: backend.told(),
            at: time)
        return try transaction.backends.backend(backend.id)
    }

    /// Stores a changed backend. Tokens that the backend has issued stay valid.
    func store(_ changed: Backend) throws -> Backend {
        let old = try transaction.backends.backend(changed.id)
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
        let old = try transaction.backends.backend(id)
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

    /// Lets the present secret of a backend stay good for a while, beside the one that replaces it.
    func keepSecret(of id: BackendID, for time: Duration) throws {
        guard try transaction.backends.formerSecrets(of: id).count < FormerSecret.most else {
            throw DirectoryError(
                .invalidInput, "The backend has \(FormerSecret.most) former secrets already.",
                advice: "End them first.")
        }
        let end = transaction.now().addingTimeInterval(TimeInterval(time.components.seconds))
        try transaction.connection.run(
            BackendStatements.keepSecret,
            [.integer(id.rawValue), .integer(transaction.now().milliseconds), .integer(end.milliseconds)])
    }

    /// Ends the former secrets of a backend at once.
    package func endFormerSecrets(of id: BackendID) throws {
        try transaction.connection.run(BackendStatements.deleteFormerSecrets, [.integer(id.rawValue)])
    }
}
