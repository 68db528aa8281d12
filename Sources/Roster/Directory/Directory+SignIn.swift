package import Foundation
package import RosterStore
import RosterText

/// Access for the sign-in module, which keeps its records in the same store.
extension Directory {
    /// Finds the accounts with which users sign in, and counts sign-ins and changes against their rates.
    package var accounts: DirectoryAccounts { DirectoryAccounts(directory: self) }
    /// Tells the state of the directory's file or database.
    package var storage: DirectoryStorage { DirectoryStorage(directory: self) }

    /// The store of the directory and of sign-in.
    package var store: Store { core.store }

    /// The time of the directory's clock.
    package var now: Date { core.clock() }

    /// The key that signs values which clients return, such as cookies.
    package func signingKey() throws -> String {
        try core.store.read { connection in try connection.first(AccessStatements.signingKey) { $0.text(0) } ?? "" }
    }

    /// The number of finished commits: those of this process for a file, of all processes on a server, where each call costs a round
    /// trip. Values cached under a number stay valid while the number is the same.
    package var commitCount: UInt64 { core.store.commitCount }

    /// Whether there is an active administrator.
    package func hasAdministrator() throws -> Bool {
        let now = now.milliseconds
        return try core.store.read { connection in
            try connection.first(AccessStatements.hasAdministrator, [.integer(now)]) { _ in true } == true
        }
    }

    package func endSignIns(of user: UserID) async throws {
        try await core.store.awaitWrite { try $0.run(AccessStatements.endSignIns, [.integer(user.rawValue)]) }
    }

    /// Runs a look-up on the caller's thread without waiting.
    ///
    /// - Returns: Nil if no reader is free; `body` has not begun then.
    package func lookUpAtOnce<Value>(_ body: () throws -> Value) rethrows -> Value? {
        try core.store.lookUpAtOnce(body)
    }

    /// Runs a look-up on another thread once a reader is free.
    ///
    /// - Parameters:
    ///   - expectations: The reads that `body` is expected to make after the caller's sign-in.
    ///   - caller: The caller who is expected to sign in; `nobody` if the caller is not known.
    ///   - signIn: The reads that the caller's sign-in is expected to make.
    package func awaitLookUp<Value: Sendable>(
        expecting expectations: [Expectation] = [], by caller: Caller = .nobody, signIn: [Expectation] = [],
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let reads = core.reads(expectations, by: caller, signIn: signIn)
        guard !reads.isEmpty else { return try await core.store.awaitReader(for: .lookUp, body) }
        return try await core.store.awaitSharedReader(expecting: reads, body)
    }
}
