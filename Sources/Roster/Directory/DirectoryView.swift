package import Foundation
package import RosterStore
import RosterText
import Synchronization

/// The directory as one caller may see and change it: what ``Directory/acting(as:)`` and ``Directory/unrestricted``
/// hand out. A value; cheap to make and to pass on.
public struct DirectoryView: Sendable {
    let core: DirectoryCore
    /// On whose behalf the view asks.
    public let caller: Caller
    /// What is known of the caller beside the name.
    package var presence = Presence.local

    /// Users, and who reports to whom.
    public var users: UserManager { UserManager(view: self) }
    /// Roles, their members and owners.
    public var roles: RoleManager { RoleManager(view: self) }
    /// The vocabulary, and the attributes that the app declares.
    public var attributes: AttributeManager { AttributeManager(view: self) }
    /// What has changed. For administrators.
    public var changes: ChangeFeed { ChangeFeed(view: self) }

    /// Refuses those who may not read the server's figures.
    package func checkMonitoring() throws {
        try core.store.read { try Rights(caller, on: $0).checkMonitoring() }
    }

    /// Reads with the caller's rights, on the caller's thread, from one snapshot.
    ///
    /// - Parameter isBrief: Whether it is a look-up of some microseconds. Whatever may take longer is a search, which
    ///   waits for one of the readers that searches may use.
    /// - Throws: `overloaded` where a user has too many searches under way.
    package func read<Value>(isBrief: Bool = true, _ body: (Transaction) throws -> Value) throws -> Value {
        try core.store.read(for: purpose(isBrief)) { connection in
            try body(try Transaction(connection, self))
        }
    }

    /// Reads as the synchronous form does, without occupying the caller's thread; ends when its task is cancelled.
    package func awaitRead<Value: Sendable>(
        isBrief: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await core.store.awaitRead(for: purpose(isBrief)) { connection in
            try body(try Transaction(connection, self))
        }
    }

    /// Runs a look-up with the caller's rights on the caller's thread.
    ///
    /// - Returns: Nil where the look-up meets a user's record that is too large for it; run a search instead.
    package func lookUp<Value>(_ body: (Transaction) throws -> Value) throws -> Value? {
        do {
            return try core.store.read { connection in
                var transaction = try Transaction(connection, self)
                transaction.largestRecord = Transaction.smallRecord
                return try body(transaction)
            }
        } catch is LargeRecord {
            return nil
        }
    }

    /// Works for the caller on a thread of a search, within the same limits: for what takes long without reading much.
    package func awaitTurn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.store.awaitReader(for: purpose(false), body)
    }

    private func purpose(_ isBrief: Bool) -> ReaderPool.Purpose { isBrief ? .lookUp : .search(caller.requester) }

    /// Changes with the caller's rights, in one transaction: all of it or, on an error, nothing.
    package func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) throws -> Value {
        try core.store.write(for: caller.requester) { connection in try body(try Transaction(connection, self)) }
    }

    /// Changes as the synchronous form does, without occupying the caller's thread.
    package func awaitWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await core.store.awaitWrite(for: caller.requester) { connection in
            try body(try Transaction(connection, self))
        }
    }
}

/// What all views of a directory share.
final class DirectoryCore: Sendable {
    let store: Store
    let clock: @Sendable () -> Date
    private let currentVocabulary: Locked<Vocabulary>
    let searches = SearchMemory()
    let standings = StandingMemory()
    let passwordCosts = StoredPasswordCosts()

    init(store: Store, clock: @escaping @Sendable () -> Date) throws {
        self.store = store
        self.clock = clock
        currentVocabulary = Locked(try store.read { try AttributeManager.vocabulary(on: $0) })
    }

    var vocabulary: Vocabulary { currentVocabulary.withLock { $0 } }
    /// Takes a vocabulary that a change has made. Of two changes at once the later one may be told first.
    func adopt(_ vocabulary: Vocabulary) {
        currentVocabulary.withLock { if $0.revision < vocabulary.revision { $0 = vocabulary } }
    }
}

/// A user's record is too large to be read within a look-up.
struct LargeRecord: Error {}

/// One operation at work: a connection, and for whom. The verbs of users, roles and search are methods of it.
package struct Transaction {
    /// Where the statements run.
    package let connection: Connection
    package let view: DirectoryView
    let rights: Rights
    /// Set where attributes were declared in this very transaction.
    var declaredVocabulary: Vocabulary?
    /// The size in bytes of the largest user record that this session decodes.
    fileprivate(set) var largestRecord = Int.max
    /// The largest record, in bytes, that is read within a look-up.
    static let smallRecord = 16_384
    /// Whether nothing has to be taken away from what is read; found out once, not for every row.
    private let readsAll: Bool
    var seesEverything: Bool { readsAll && declaredVocabulary == nil }

    /// Lets in nobody who is not signed in.
    @inline(__always)
    init(_ connection: Connection, _ view: DirectoryView) throws {
        self.connection = connection
        self.view = view
        rights = try Rights(view.caller, on: connection, view.core.standings)
        try rights.checkReading()
        readsAll = rights.readsEverything && !view.core.vocabulary.hasSecrets
    }

    /// Refuses everyone but administrators.
    package func checkAdministrator(to action: String) throws { try rights.checkAdministrator(to: action) }

    /// Refuses a caller who may not look at a user's sessions: they are the user's and the administrators'.
    package func checkSessions(of user: UserID) throws { try rights.checkSessions(of: user) }

    /// Whether a user is an administrator, directly or through nested roles.
    package func isAdministrator(_ user: UserID) throws -> Bool {
        try Rights.isAdministrator(user, on: connection)
    }

    /// Whether the caller manages the accounts of other users: an administrator or a provisioning client.
    package var keepsAccounts: Bool { rights.keepsAccounts }

    /// The attributes that there are.
    package var vocabulary: Vocabulary { declaredVocabulary ?? view.core.vocabulary }

    /// The time of a change: now, but never before `earliest`, wherever the clock has jumped to.
    package func now(notBefore earliest: Date = .distantPast) -> Date {
        let now = Date(milliseconds: view.core.clock().milliseconds)
        return max(now, earliest)
    }

    /// An identifier that was never given before.
    package func nextID() throws -> Int64 {
        let id = (try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0) + 1
        try connection.run(DirectoryStatements.setLastID, [.integer(id)])
        return id
    }
}
