package import Foundation
import Roster
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
}
