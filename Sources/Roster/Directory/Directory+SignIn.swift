package import Foundation
package import RosterStore

/// What sign-in, which keeps its own records in the same store, needs of a directory.
extension Directory {
    /// The store of the directory's records, and of sign-in's.
    package var store: Store { core.store }

    /// The time of the directory's clock.
    package var now: Date { core.clock() }

    /// The key that signs what must come back unaltered.
    package func signingKey() throws -> String {
        try core.store.read { connection in try connection.first(AccessStatements.signingKey) { $0.text(0) } ?? "" }
    }

    /// The number of changes that this process has made. While the number is the same, what was read is still so: no other
    /// process changes the directory.
    package var changeCount: UInt64 { core.store.commitCount }

    /// Whether somebody can administer the directory.
    package func hasAdministrator() throws -> Bool {
        try core.store.read { connection in
            try connection.first(AccessStatements.hasAdministrator) { _ in true } == true
        }
    }

    /// Ends a user's sessions and grants, at once.
    package func endSignIns(of user: UserID) async throws {
        try await core.store.awaitWrite { try $0.run(AccessStatements.endSignIns, [.integer(user.rawValue)]) }
    }

    /// Runs `body`, which looks things up but does nothing that takes longer, on the caller's thread without waiting.
    ///
    /// - Returns: Nil if no reader is free at this moment; `body` has not begun then.
    package func lookUpAtOnce<Value>(_ body: () throws -> Value) rethrows -> Value? {
        try core.store.lookUpAtOnce(body)
    }

    /// Runs `body`, which looks things up but does nothing that takes longer, on another thread when a reader is free.
    package func awaitLookUp<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.store.awaitReader(for: .lookUp, body)
    }
}
