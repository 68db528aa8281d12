package import Foundation
package import RosterStore
import RosterText

/// Signals that a user's record is too large for a look-up.
struct LargeRecord: Error {}

/// A running operation: its connection, its caller's rights, its vocabulary and its time.
///
/// The operations themselves are members of the transaction's nouns, such as ``users`` and ``search``. A noun holds one reference to its
/// transaction. Changes that need a right are members of the nouns of that right, such as ``Administrator``, which the transaction gives
/// after the check.
package final class Transaction {
    package let connection: Connection
    let shared: EmbeddedView
    let rights: Rights
    /// The vocabulary of this transaction's snapshot, if a change made it another one than that of the view; nil otherwise.
    var declaredVocabulary: Vocabulary?
    /// The vocabulary when the transaction began. A later vocabulary could apply the readers of another attribute of the same name.
    private let firstVocabulary: Vocabulary
    /// The reporting lines above users that this transaction has followed; nil if the transaction can change them.
    let lineMemory: LineMemory?
    /// Counts the changes of this transaction for the caller's rate; nil if the caller has no rate, and in a read.
    let countedChanges: CountedChanges?
    /// The size in bytes of the largest user record that this transaction decodes.
    var largestRecord = Int.max
    /// The limits for an operation that came from a client of the server; nil for an operation of this process.
    var clientLimits: ClientLimits?
    /// What a look before the transaction has found about users to erase; nil for other changes.
    var found: FoundEntries?
    /// The number of the batch to which the changes belong; nil for none.
    var batch: Int64?
    /// The limit for the work of a change; nil for a read, and for callers without a limit.
    let share: WriterShare?
    static let smallRecord = 16_384  // the bytes of the largest record that a look-up decodes
    /// Whether the caller may read everything. Stored, so that it is not computed for every row.
    private let readsAll: Bool
    var seesEverything: Bool { readsAll && declaredVocabulary == nil }
    /// The narrow view of a reading program; nil for all other callers.
    let narrowView: NarrowView?

    /// Refuses callers who are not signed in.
    ///
    /// - Parameter known: The vocabulary before the snapshot was taken; nil for a transaction that nothing can change but
    ///   itself.
    /// - Parameter isNarrow: Whether reading programs are let in, because each read of the transaction obeys their narrow view.
    @inline(__always)
    init(
        _ connection: Connection, _ shared: EmbeddedView, _ known: Vocabulary? = nil, isNarrow: Bool = false
    ) throws {
        self.connection = connection
        self.shared = shared
        batch = shared.batch
        rights = try Rights(shared.caller, source: shared.presence.source, on: connection, shared.core.standings)
        try rights.checkReading(isNarrow: isNarrow)
        narrowView = rights.narrowView
        countedChanges = known == nil ? CountedChanges(shared.core, rights) : nil
        lineMemory = known != nil && rights.person != nil ? LineMemory() : nil
        share = known == nil ? rights.writerShare : nil
        if share != nil { connection.stepsLeft = WriterShare.maximumSteps }
        let isChanging = shared.core.isVocabularyChanging
        let current = shared.core.numberedVocabulary
        let vocabulary = shared.open?.vocabulary ?? current.vocabulary
        firstVocabulary = narrowView.map(vocabulary.narrowed) ?? vocabulary
        readsAll = rights.readsEverything && !vocabulary.hasSecrets
        if isChanging || known.map(vocabulary.isSame) == false {
            declaredVocabulary = try AttributeManager.vocabulary(on: connection)
        } else if let stored = connection.engine.revision(), stored != current.number {
            // Another server has changed the vocabulary, or this process has changed the vocabulary after the snapshot was taken.
            let ofSnapshot = try AttributeManager.vocabulary(on: connection)
            shared.core.adopt(ofSnapshot, number: stored)
            declaredVocabulary = ofSnapshot
        }
        if let narrowView { declaredVocabulary = declaredVocabulary.map { $0.narrowed(to: narrowView) } }
    }

    /// Copies a transaction, so that the copy can have other limits, another vocabulary, or what a look before has found.
    init(_ other: Transaction) {
        connection = other.connection
        shared = other.shared
        rights = other.rights
        declaredVocabulary = other.declaredVocabulary
        firstVocabulary = other.firstVocabulary
        lineMemory = other.lineMemory
        countedChanges = other.countedChanges
        largestRecord = other.largestRecord
        clientLimits = other.clientLimits
        found = other.found
        batch = other.batch
        share = other.share
        readsAll = other.readsAll
        narrowView = other.narrowView
    }

    /// Copies the transaction, and gives the copy what a look before the transaction has found about users to erase.
    func knowing(_ found: FoundEntries?) -> Transaction {
        let transaction = Transaction(self)
        transaction.found = found
        return transaction
    }

    // MARK: Nouns

    /// Finds, reads, creates, changes and deletes users.
    package var users: TransactionUsers { TransactionUsers(transaction: self) }
    /// Finds the users and roles of many references.
    package var references: TransactionReferences { TransactionReferences(transaction: self) }
    /// The roles, managers and other records that belong to the users or the roles of a list.
    package var related: TransactionRelated { TransactionRelated(transaction: self) }
    /// The stored rows of users.
    var userRows: TransactionUserRows { TransactionUserRows(transaction: self) }
    /// The mail addresses of users, as ways of signing in.
    var signInAddresses: TransactionSignInAddresses { TransactionSignInAddresses(transaction: self) }
    /// The roles, with their members and owners.
    package var roles: TransactionRoles { TransactionRoles(transaction: self) }
    /// The reporting lines.
    package var lines: TransactionLines { TransactionLines(transaction: self) }
    /// The change feed.
    package var feed: TransactionFeed { TransactionFeed(transaction: self) }
    /// The batches of changes.
    var batches: TransactionBatches { TransactionBatches(transaction: self) }
    /// Looks for what is known of deleted users.
    var erasure: TransactionErasure { TransactionErasure(transaction: self) }
    /// The matters that need an administrator's attention, and the news of people.
    package var overview: TransactionOverview { TransactionOverview(transaction: self) }
    /// The searches for users and for roles.
    package var search: TransactionSearch { TransactionSearch(transaction: self) }
    /// What imports and seeds read.
    var importing: TransactionImport { TransactionImport(transaction: self) }
    /// The exports.
    package var exporting: TransactionExport { TransactionExport(transaction: self) }
    /// The passwords and the external identifiers of users and roles.
    package var accounts: TransactionAccounts { TransactionAccounts(transaction: self) }
    /// The powers, the presence and the rights to act of the caller.
    package var access: TransactionAccess { TransactionAccess(transaction: self) }
    /// Checks whether the tables of the directory agree with each other.
    var integrity: TransactionIntegrity { TransactionIntegrity(transaction: self) }

    // MARK: Rights

    /// The right of an administrator; refuses all others.
    ///
    /// - Parameter action: The intended action, for the message of a refusal. Like that in the other rights.
    package func asAdministrator(to action: String) throws -> Administrator { try Administrator(self, to: action) }
    /// The right of an administrator who is present; refuses all others.
    package func asPresentAdministrator(to action: String) throws -> PresentAdministrator {
        try PresentAdministrator(self, to: action)
    }
    /// The right to create and delete users; refuses callers who do not have the right.
    package func asEditor(to action: String) throws -> Editor { try Editor(self, to: action) }
    /// The right to keep roles; refuses callers who do not have the right.
    package func asProvisioning(to action: String) throws -> Provisioner { try Provisioner(self, to: action) }
    /// The right to change who is a member or an owner of a role; refuses callers who do not have the right.
    package func asRoleOwner(
        of role: RoleReference, changing relation: RoleRelation, ifVersion version: Int64? = nil
    ) throws -> RoleOwner { try RoleOwner(self, of: role, relation, ifVersion: version) }
    /// The right to help a user to sign in again; refuses callers who do not have the right.
    package func asHelper(of user: UserReference, to action: String) throws -> Helper {
        try Helper(self, of: user, to: action)
    }
    /// The right to end what a user is signed in with; refuses all but the user and who may help the user.
    package func asSelfOrHelper(of user: UserReference) throws -> SelfOrHelper { try SelfOrHelper(self, of: user) }
    /// The right of the caller over the caller's own account; nil if the user is somebody else.
    package func asSelf(of user: UserReference, to action: String) throws -> Oneself? {
        try Oneself(self, of: user, to: action)
    }

    // MARK: Checks, vocabulary and time

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

    /// Returns the time for a change: now, but not before `earliest`, in case the clock was set back.
    package func now(notBefore earliest: Date = .distantPast) -> Date {
        let now = Date(milliseconds: core.clock().milliseconds)
        return max(now, earliest)
    }

    /// Returns the highest identifier that the directory has assigned; 0 for none.
    func lastID() throws -> Int64 { try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0 }

    /// Assigns the next identifier. The directory has never assigned that identifier before.
    package func nextID() throws -> Int64 {
        let id = try lastID() + 1
        try connection.run(DirectoryStatements.setLastID, [.integer(id)])
        return id
    }
}
