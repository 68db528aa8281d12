package import Foundation
package import RosterStore
import RosterText
import Synchronization

/// The directory with the rights of one caller, as returned by ``Directory/acting(as:)`` and
/// ``Directory/unrestricted``. A view is a value that is cheap to create and to copy.
public struct DirectoryView: Sendable {
    /// The state that the copies of the view share. Copying one reference is quicker than copying the parts.
    let shared: SharedView
    /// Keeps the file open; nil in the views of users and roles, which do not keep the file open.
    var lease: DirectoryLease?

    /// The caller whose rights apply.
    public var caller: Caller { shared.caller }
    /// The proof of the request that a person is present or that a program acts.
    package var presence: Presence { shared.presence }
    var core: DirectoryCore { shared.core }
    /// The transaction in which the view reads and changes; nil for a view of the committed directory.
    var open: OpenTransaction? { shared.open }

    /// The users and their reporting lines.
    public var users: UserManager { UserManager(view: self) }
    /// The roles, their members and their owners.
    public var roles: RoleManager { RoleManager(view: self) }
    /// The vocabulary, and the attributes that the app declares.
    public var attributes: AttributeManager { AttributeManager(view: self) }
    /// The change feed. An administrator sees every entry, any other caller the readable entries.
    public var changes: ChangeFeed { ChangeFeed(view: self) }

    /// Refuses callers who may not read the server's metrics.
    package func checkMonitoring() throws {
        try core.store.read { try Rights(caller, on: $0).checkMonitoring() }
    }

    /// Reads from one snapshot with the caller's rights, on the caller's thread.
    ///
    /// - Parameter isBrief: Whether the read is a look-up of some microseconds. A longer read is a search, which waits
    ///   for one of the readers reserved for searches.
    /// - Throws: `overloaded` if a user has too many running searches.
    package func read<Value>(isBrief: Bool = true, _ body: (Transaction) throws -> Value) throws -> Value {
        if let open, let value = try open.read(for: self, body) { return value }
        let known = vocabulary
        return try core.store.read(for: purpose(isBrief)) { connection in
            try body(try Transaction(connection, self, known))
        }
    }

    /// Reads as the synchronous form does, without blocking the caller's thread. Cancelling the task ends the read.
    package func awaitRead<Value: Sendable>(
        isBrief: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        if let open, let value = try open.read(for: self, body) { return value }
        let known = vocabulary
        return try await core.store.awaitRead(for: purpose(isBrief)) { connection in
            try body(try Transaction(connection, self, known))
        }
    }

    /// Runs a look-up with the caller's rights on the caller's thread.
    ///
    /// - Returns: Nil if a user's record is too large for a look-up; run a search instead.
    package func lookUp<Value>(_ body: (Transaction) throws -> Value) throws -> Value? {
        if let open, let value = try open.read(for: self, body) { return value }
        let known = vocabulary
        do {
            return try core.store.read { connection in
                var transaction = try Transaction(connection, self, known)
                transaction.largestRecord = Transaction.smallRecord
                return try body(transaction)
            }
        } catch is LargeRecord {
            return nil
        }
    }

    /// Runs long work that reads little on a search thread, within the caller's search limits.
    package func awaitTurn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.store.awaitReader(for: purpose(false), body)
    }

    private func purpose(_ isBrief: Bool) -> ReaderPool.Purpose { isBrief ? .lookUp : .search(caller.requester) }

    /// Runs a transaction with the caller's rights. An error rolls it back.
    package func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) throws -> Value {
        if let open { return try open.change(for: self, body) }
        return try core.store.write(for: caller.requester) { connection in
            try body(try Transaction(connection, self))
        }
    }

    /// Runs a transaction as the synchronous form does, without blocking the caller's thread.
    package func awaitWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        if let open { return try open.change(for: self, body) }
        return try await core.store.awaitWrite(for: caller.requester) { connection in
            try body(try Transaction(connection, self))
        }
    }

    /// Refuses to erase within a transaction, because erasing writes the file anew after the transaction.
    func checkMayErase() throws {
        guard open != nil else { return }
        throw DirectoryError(
            .reentrantCall, "Nothing can be erased within a transaction, since the file is written anew afterwards.",
            advice: "Erase after the transaction.")
    }

    /// The same view for values that outlive it, such as users.
    var withoutLease: DirectoryView { DirectoryView(shared: shared, lease: nil) }

    /// The same view within a transaction.
    func within(_ open: OpenTransaction) -> DirectoryView {
        DirectoryView(
            shared: SharedView(core: core, caller: caller, presence: presence, open: open), lease: lease)
    }

    /// The known attributes.
    var vocabulary: Vocabulary { open?.vocabulary ?? core.vocabulary }

    /// Takes over a changed vocabulary, at once or with the commit of the open transaction.
    func adopt(_ vocabulary: Vocabulary) {
        if let open { open.vocabulary = vocabulary } else { core.adopt(vocabulary) }
    }
}

/// The directory and the caller of a view.
final class SharedView: Sendable {
    let core: DirectoryCore
    let caller: Caller
    let presence: Presence
    let open: OpenTransaction?

    init(core: DirectoryCore, caller: Caller, presence: Presence = .local, open: OpenTransaction? = nil) {
        self.core = core
        self.caller = caller
        self.presence = presence
        self.open = open
    }
}

/// Closes the store when the directory and all views of it are gone.
final class DirectoryLease: Sendable {
    private let store: Store
    init(_ store: Store) { self.store = store }
    deinit { store.close(waits: false) }
}

/// The state shared by all views of a directory.
final class DirectoryCore: Sendable {
    let store: Store
    let clock: @Sendable () -> Date
    private let currentVocabulary: Locked<Vocabulary>
    let searches = SearchMemory()
    let standings = StandingMemory()
    let passwordCosts = StoredPasswordCosts()
    /// The number of changes of the vocabulary that have begun, and whose vocabulary is not adopted yet.
    fileprivate let vocabularyChanges = Atomic<Int>(0)

    init(store: Store, clock: @escaping @Sendable () -> Date) throws {
        self.store = store
        self.clock = clock
        currentVocabulary = Locked(try store.read { try AttributeManager.vocabulary(on: $0) })
    }

    var vocabulary: Vocabulary { currentVocabulary.withLock { $0 } }

    /// Whether the stored vocabulary may differ from ``vocabulary``.
    var isVocabularyChanging: Bool { vocabularyChanges.load(ordering: .sequentiallyConsistent) > 0 }

    /// Replaces the vocabulary after a change. Ignores an older vocabulary, because two concurrent changes can be reported in
    /// the other order. Wakes the followers, who may have read with the old vocabulary after the commit.
    func adopt(_ vocabulary: Vocabulary) {
        let isNewer = currentVocabulary.withLock { current in
            guard current.revision < vocabulary.revision else { return false }
            current = vocabulary
            return true
        }
        if isNewer { store.wakeFollowers() }
    }
}

/// Marks the time from the beginning of a change of the vocabulary until the new vocabulary is adopted. Meanwhile all reads
/// and changes use the vocabulary of their snapshot, because the change may be in it already. Releasing the mark ends this
/// time.
final class VocabularyMark: Sendable {
    private let core: DirectoryCore
    private let isSet = Atomic<Bool>(false)

    init(_ core: DirectoryCore) { self.core = core }

    func set() {
        guard !isSet.exchange(true, ordering: .sequentiallyConsistent) else { return }
        core.vocabularyChanges.add(1, ordering: .sequentiallyConsistent)
    }

    deinit {
        guard isSet.load(ordering: .sequentiallyConsistent) else { return }
        core.vocabularyChanges.subtract(1, ordering: .sequentiallyConsistent)
    }
}

/// Signals that a user's record is too large for a look-up.
struct LargeRecord: Error {}

/// A running operation with its connection and its caller's rights. The operations on users, roles and searches are its
/// methods.
package struct Transaction {
    package let connection: Connection
    package let view: DirectoryView
    let rights: Rights
    /// The vocabulary of this transaction's snapshot; nil if it is the vocabulary of the view. The two differ after a change
    /// in this transaction, or in another one whose vocabulary is not adopted yet.
    var declaredVocabulary: Vocabulary?
    /// The vocabulary at the beginning. A later one would show values of the snapshot to the readers of another attribute that
    /// has got the name meanwhile.
    private let firstVocabulary: Vocabulary
    /// The size in bytes of the largest user record that this transaction decodes.
    fileprivate(set) var largestRecord = Int.max
    /// The size in bytes of the largest record that a look-up decodes.
    static let smallRecord = 16_384
    /// Whether the caller may read everything. Stored, so that it is not computed for every row.
    private let readsAll: Bool
    var seesEverything: Bool { readsAll && declaredVocabulary == nil }

    /// Refuses callers who are not signed in.
    ///
    /// - Parameter known: The vocabulary before the snapshot was taken; nil for a transaction that nothing can change but
    ///   itself.
    @inline(__always)
    init(_ connection: Connection, _ view: DirectoryView, _ known: Vocabulary? = nil) throws {
        self.connection = connection
        self.view = view.withoutLease
        rights = try Rights(view.caller, on: connection, view.core.standings)
        try rights.checkReading()
        let isChanging = view.core.isVocabularyChanging
        let vocabulary = view.vocabulary
        firstVocabulary = vocabulary
        readsAll = rights.readsEverything && !vocabulary.hasSecrets
        if isChanging || known.map(vocabulary.isSame) == false {
            declaredVocabulary = try AttributeManager.vocabulary(on: connection)
        }
    }

    /// Refuses everyone but administrators.
    package func checkAdministrator(to action: String) throws { try rights.checkAdministrator(to: action) }

    /// Refuses callers who may not see a user's sessions. Only the user and administrators may.
    package func checkSessions(of user: UserID) throws { try rights.checkSessions(of: user) }

    /// Whether a user is an administrator, directly or through nested roles.
    package func isAdministrator(_ user: UserID) throws -> Bool {
        try Rights.isAdministrator(user, on: connection)
    }

    /// Whether the caller manages other users' accounts: an administrator or a provisioning client.
    package var keepsAccounts: Bool { rights.keepsAccounts }

    /// The known attributes.
    package var vocabulary: Vocabulary { declaredVocabulary ?? firstVocabulary }

    /// The time for a change: now, but not before `earliest`, in case the clock was set back.
    package func now(notBefore earliest: Date = .distantPast) -> Date {
        let now = Date(milliseconds: view.core.clock().milliseconds)
        return max(now, earliest)
    }

    /// A new identifier, which was never assigned before.
    package func nextID() throws -> Int64 {
        let id = (try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0) + 1
        try connection.run(DirectoryStatements.setLastID, [.integer(id)])
        return id
    }
}
