package import Foundation
package import RosterStore
import RosterText
import Synchronization

/// The directory with the rights of one caller, as returned by ``Directory/acting(as:)`` and
/// ``Directory/unrestricted``. A view is a value that is cheap to create and to copy.
///
/// A view of a server has the same members as a view of an embedded directory. Members that need the file, such as `export`
/// and `transaction`, throw `notOffered` there.
public struct DirectoryView: Sendable {
    /// The back end: a directory in this process, or a server. Copying a view copies one reference.
    enum Source: Sendable {
        case embedded(EmbeddedView)
        case remote(RemoteView)
    }

    let source: Source
    /// Keeps the file open; nil in the views of users and roles, which do not keep the file open, and of servers.
    var lease: DirectoryLease?

    init(shared: EmbeddedView, lease: DirectoryLease?) {
        source = .embedded(shared)
        self.lease = lease
    }

    /// Makes the view of a server.
    package init(_ remote: RemoteView) {
        source = .remote(remote)
        lease = nil
    }

    /// The caller whose rights apply.
    public var caller: Caller {
        switch source {
        case .embedded(let shared): shared.caller
        case .remote(let remote): remote.caller
        }
    }

    /// The proof of the request that a person is present or that a program acts. A server finds that out by itself.
    package var presence: Presence {
        switch source {
        case .embedded(let shared): shared.presence
        case .remote: .person(nil)
        }
    }

    /// The users and their reporting lines.
    public var users: UserManager { UserManager(view: self) }
    /// The roles, their members and their owners.
    public var roles: RoleManager { RoleManager(view: self) }
    /// The vocabulary, and the attributes that the app declares.
    public var attributes: AttributeManager { AttributeManager(view: self) }
    /// The change feed. An administrator sees every entry, any other caller the readable entries.
    public var changes: ChangeFeed { ChangeFeed(view: self) }

    /// The known attributes.
    var vocabulary: Vocabulary {
        switch source {
        case .embedded(let shared): shared.vocabulary
        case .remote(let remote): remote.vocabulary
        }
    }

    /// The embedded directory.
    ///
    /// - Throws: `notOffered` if the view is of a server.
    func embedded() throws -> EmbeddedView {
        guard case .embedded(let shared) = source else {
            throw DirectoryError(
                .notOffered, "A server does not offer this operation to its clients.",
                advice:
                    "Use the view of a directory that this process has opened, or the program 'roster' on the server.")
        }
        return shared
    }

    /// Refuses callers who may not read the server's metrics.
    package func checkMonitoring() throws {
        let shared = try embedded()
        try shared.core.store.read { try Rights(shared.caller, on: $0, shared.core.standings).checkMonitoring() }
    }

    /// Reads from one snapshot with the caller's rights, on the caller's thread.
    ///
    /// - Parameter isBrief: Whether the read is a look-up of some microseconds. A longer read is a search, which waits
    ///   for one of the readers reserved for searches.
    /// - Parameter once: Whether the body is expected to run one statement. On a server, the body may run again if it runs several.
    /// - Throws: `overloaded` if a user has too many running searches.
    package func read<Value>(
        isBrief: Bool = true, once: Bool = false, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        return try shared.core.store.read(for: shared.purpose(isBrief), once: once) { connection in
            try body(try Transaction(connection, shared, known))
        }
    }

    /// Reads as the synchronous form does, without blocking the caller's thread. Cancelling the task ends the read.
    package func awaitRead<Value: Sendable>(
        isBrief: Bool = false, once: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        return try await shared.core.store.awaitRead(for: shared.purpose(isBrief), once: once) { connection in
            try body(try Transaction(connection, shared, known))
        }
    }

    /// Runs a look-up with the caller's rights on the caller's thread.
    ///
    /// - Returns: Nil if a user's record is too large for a look-up; run a search instead.
    package func lookUp<Value>(_ body: (Transaction) throws -> Value) throws -> Value? {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        do {
            return try shared.core.store.read { connection in
                var transaction = try Transaction(connection, shared, known)
                transaction.largestRecord = Transaction.smallRecord
                return try body(transaction)
            }
        } catch is LargeRecord {
            return nil
        }
    }

    /// Runs long work that reads little on a search thread, within the caller's search limits.
    package func awaitTurn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let shared = try embedded()
        return try await shared.core.store.awaitReader(for: shared.purpose(false), body)
    }

    /// Runs a transaction with the caller's rights. An error rolls it back.
    ///
    /// - Parameter expectations: The reads that the transaction is expected to make before its first change.
    package func write<Value: Sendable>(
        expecting expectations: [Expectation] = [], _ body: @escaping @Sendable (Transaction) throws -> Value
    ) throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.change(for: shared, body) }
        return try shared.core.store.write(
            for: shared.caller.requester, expecting: shared.core.readsOfChange(expectations, by: shared.caller)
        ) {
            connection in
            try Transaction.changing(connection, shared, body)
        }
    }

    /// Runs a transaction as the synchronous form does, without blocking the caller's thread.
    package func awaitWrite<Value: Sendable>(
        expecting expectations: [Expectation] = [], _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.change(for: shared, body) }
        return try await shared.core.store.awaitWrite(
            for: shared.caller.requester, expecting: shared.core.readsOfChange(expectations, by: shared.caller)
        ) { connection in
            try Transaction.changing(connection, shared, body)
        }
    }

    /// The same view within a transaction.
    func within(_ open: OpenTransaction) throws -> DirectoryView {
        let shared = try embedded()
        return DirectoryView(
            shared: EmbeddedView(core: shared.core, caller: shared.caller, presence: shared.presence, open: open),
            lease: lease)
    }
}

/// The embedded directory and the caller of a view.
final class EmbeddedView: Sendable {
    let core: DirectoryCore
    let caller: Caller
    /// The proof of the request that a person is present or that a program acts.
    let presence: Presence
    /// The transaction in which the view reads and changes; nil for a view of the committed directory.
    let open: OpenTransaction?

    init(core: DirectoryCore, caller: Caller, presence: Presence = .local, open: OpenTransaction? = nil) {
        self.core = core
        self.caller = caller
        self.presence = presence
        self.open = open
    }

    /// The known attributes.
    var vocabulary: Vocabulary { open?.vocabulary ?? core.vocabulary }

    /// Takes over a changed vocabulary, at once or with the commit of the open transaction.
    func adopt(_ vocabulary: Vocabulary) {
        if let open { open.vocabulary = vocabulary } else { core.adopt(vocabulary) }
    }

    func purpose(_ isBrief: Bool) -> ReaderPool.Purpose { isBrief ? .lookUp : .search(caller.requester) }

    /// Refuses to erase within a transaction, because erasing writes the file anew after the transaction.
    func checkMayErase() throws {
        guard open != nil else { return }
        throw DirectoryError(
            .reentrantCall, "Nothing can be erased within a transaction, since the file is written anew afterwards.",
            advice: "Erase after the transaction.")
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
    private let known: Locked<(vocabulary: Vocabulary, number: Int64?)>
    let searches = SearchMemory()
    let rates = RateMemory()
    let commitWaits = CommitWaits()
    let standings: StandingMemory
    let passwordCosts = StoredPasswordCosts()
    /// Whether any role contained another one at the last look. Expectations depend on it, and no answer does.
    private let nestedRoles = Atomic<Bool>(false)
    /// A random number, so that the commit counts of two processes are never taken for one another.
    let startNumber = UInt64.random(in: 0...UInt64.max)
    /// The number of changes of the vocabulary that have begun, and whose vocabulary is not adopted yet.
    fileprivate let vocabularyChanges = Atomic<Int>(0)

    init(store: Store, clock: @escaping @Sendable () -> Date) throws {
        self.store = store
        self.clock = clock
        standings = StandingMemory(clock)
        known = Locked((try store.read { try AttributeManager.vocabulary(on: $0) }, nil))
    }

    var mayHaveNestedRoles: Bool { nestedRoles.load(ordering: .relaxed) }

    func noteNestedRoles(_ isAny: Bool) {
        // A value that is only read stays in the caches of all processors.
        if mayHaveNestedRoles != isAny { nestedRoles.store(isAny, ordering: .relaxed) }
    }

    var vocabulary: Vocabulary { known.withLock { $0.vocabulary } }

    /// The vocabulary, and its number in a database that several servers change: how often the vocabulary has changed there. The number
    /// is nil for a file, and after a change by this process until a read tells the number.
    fileprivate var numberedVocabulary: (vocabulary: Vocabulary, number: Int64?) { known.withLock { $0 } }

    /// Replaces the vocabulary by the vocabulary of a snapshot of a database that several servers change. Ignores an older vocabulary,
    /// because the snapshot can have been taken before the last change.
    fileprivate func adopt(_ vocabulary: Vocabulary, number: Int64) {
        let isNew = known.withLock { known in
            guard known.vocabulary.revision <= vocabulary.revision else { return false }
            defer { known = (vocabulary, number) }
            return known.number != number
        }
        if isNew { store.wakeFollowers() }
    }

    /// Whether the stored vocabulary may differ from ``vocabulary``.
    var isVocabularyChanging: Bool { vocabularyChanges.load(ordering: .sequentiallyConsistent) > 0 }

    /// Replaces the vocabulary after a change. Ignores an older vocabulary, because two concurrent changes can be reported in
    /// the other order. Wakes the followers, who may have read with the old vocabulary after the commit.
    func adopt(_ vocabulary: Vocabulary) {
        let isNewer = known.withLock { known in
            guard known.vocabulary.revision < vocabulary.revision else { return false }
            known = (vocabulary, nil)
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

    init(_ core: DirectoryCore, isSet: Bool = false) {
        self.core = core
        if isSet { set() }
    }

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
    let shared: EmbeddedView
    let rights: Rights
    /// The vocabulary of this transaction's snapshot, if a change made it another one than that of the view; nil otherwise.
    var declaredVocabulary: Vocabulary?
    /// The vocabulary when the transaction began. A later vocabulary could apply the readers of another attribute of the same name.
    private let firstVocabulary: Vocabulary
    /// The reporting lines above users that this transaction has followed; nil if the transaction can change them.
    let lines: LineMemory?
    /// Counts the changes of this transaction for the caller's rate; nil if the caller has no rate, and in a read.
    let countedChanges: CountedChanges?
    /// The size in bytes of the largest user record that this transaction decodes.
    fileprivate(set) var largestRecord = Int.max
    /// The limits for an operation that came from a client of the server; nil for an operation of this process.
    var clientLimits: ClientLimits?
    /// The limit for the work of a change; nil for a read, and for callers without a limit.
    let share: WriterShare?
    static let smallRecord = 16_384  // the bytes of the largest record that a look-up decodes
    /// Whether the caller may read everything. Stored, so that it is not computed for every row.
    private let readsAll: Bool
    var seesEverything: Bool { readsAll && declaredVocabulary == nil }

    /// Refuses callers who are not signed in.
    ///
    /// - Parameter known: The vocabulary before the snapshot was taken; nil for a transaction that nothing can change but
    ///   itself.
    @inline(__always)
    init(_ connection: Connection, _ shared: EmbeddedView, _ known: Vocabulary? = nil) throws {
        self.connection = connection
        self.shared = shared
        rights = try Rights(shared.caller, source: shared.presence.source, on: connection, shared.core.standings)
        try rights.checkReading()
        countedChanges = known == nil ? CountedChanges(shared.core, rights) : nil
        lines = known != nil && rights.person != nil ? LineMemory() : nil
        share = known == nil ? rights.writerShare : nil
        if share != nil { connection.stepsLeft = WriterShare.maximumSteps }
        let isChanging = shared.core.isVocabularyChanging
        let current = shared.core.numberedVocabulary
        let vocabulary = shared.open?.vocabulary ?? current.vocabulary
        firstVocabulary = vocabulary
        readsAll = rights.readsEverything && !vocabulary.hasSecrets
        if isChanging || known.map(vocabulary.isSame) == false {
            declaredVocabulary = try AttributeManager.vocabulary(on: connection)
        } else if let stored = connection.storedVocabulary, stored != current.number {
            // Another server has changed the vocabulary, or this process has changed the vocabulary after the snapshot was taken.
            let ofSnapshot = try AttributeManager.vocabulary(on: connection)
            shared.core.adopt(ofSnapshot, number: stored)
            declaredVocabulary = ofSnapshot
        }
    }

    /// The view of the users and roles that the transaction reads. They do not keep the file open.
    package var view: DirectoryView { DirectoryView(shared: shared, lease: nil) }
    var core: DirectoryCore { shared.core }

    /// Refuses everyone but administrators.
    package func checkAdministrator(to action: String) throws { try rights.checkAdministrator(to: action) }

    /// Refuses callers who may not see a user's sessions. Only the user and callers who may help the user may.
    package func checkSessions(of user: UserID) throws { try rights.checkSessions(of: user, in: self) }

    /// Refuses callers who may not help a user to sign in again: all but administrators, and the help desk for users without
    /// a power.
    package func checkHelping(_ user: UserID, to action: String) throws {
        try rights.checkHelping(user, to: action, in: self)
    }

    /// Whether a user is an administrator or has another power, directly or through nested roles.
    package func hasPower(_ user: UserID) throws -> Bool { try !Rights.powers(of: user, on: connection).isEmpty }

    /// The powers that the caller's roles give.
    package var powers: Set<Power> { rights.powers }
    /// Whether the caller manages other users' accounts: an administrator or a provisioning client.
    package var keepsAccounts: Bool { rights.keepsAccounts }

    /// The known attributes.
    package var vocabulary: Vocabulary { declaredVocabulary ?? firstVocabulary }

    /// The time for a change: now, but not before `earliest`, in case the clock was set back.
    package func now(notBefore earliest: Date = .distantPast) -> Date {
        let now = Date(milliseconds: core.clock().milliseconds)
        return max(now, earliest)
    }

    /// A new identifier, which was never assigned before.
    package func nextID() throws -> Int64 {
        let id = (try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0) + 1
        try connection.run(DirectoryStatements.setLastID, [.integer(id)])
        return id
    }
}
