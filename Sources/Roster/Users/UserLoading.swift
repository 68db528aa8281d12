import Foundation
import RosterStore

/// Creates many users in one transaction. User rows are written at once, because a user can manage the next one. Keys
/// and change feed entries are written in batches, each in the sort order of its table.
struct UserLoading {
    private let transaction: Transaction
    private let actor: String
    private let hasUnique: Bool
    private var time: Date
    private var id: Int64
    private var sequence: Int64
    private var pending: [(user: PreparedUser, id: Int64, manager: UserID?)] = []
    /// The latest manager, cached because neighbours in a document tend to share one.
    private var lastManager: (reference: UserReference, id: UserID)?
    /// The definitions of the dropped indexes, which ``finish()`` creates again; nil if no index was dropped.
    private var droppedIndexes: [String]?
    /// Whether the directory had no users at the start.
    let isIntoEmpty: Bool

    /// The identifier of the first new user.
    let firstID: UserID

    init(_ transaction: Transaction) throws {
        self.transaction = transaction
        actor = transaction.shared.caller.description
        hasUnique = transaction.vocabulary.hasUnique
        time = transaction.now()
        id = try transaction.lastID() + 1
        firstID = UserID(rawValue: id)
        sequence = try transaction.lastSequence()
        isIntoEmpty = try transaction.connection.first(UserStatements.afterID, [.integer(0)]) { _ in true } == nil
    }

    /// Drops the indexes that no check needs until ``finish()``, and gives SQLite more memory. Does nothing unless the
    /// directory is empty.
    mutating func prepareForMany() throws {
        guard isIntoEmpty, droppedIndexes == nil, transaction.connection.engine == .sqlite else { return }
        try flush()
        droppedIndexes = try transaction.connection.all(UserStatements.indexDefinitions) { $0.text(0) }
        for statement in UserStatements.dropIndexes { try transaction.connection.run(statement) }
        try transaction.connection.run(UserStatements.wideTextIndex)
        try transaction.connection.run(StoreStatements.bulkCache)
    }

    /// Finds the identifier of a manager.
    ///
    /// - Throws: `notFound`.
    mutating func managerID(_ reference: UserReference, of user: String) throws -> UserID {
        if let lastManager, lastManager.reference == reference { return lastManager.id }
        let id = try transaction.managerID(reference, of: user)
        lastManager = (reference, id)
        return id
    }

    /// Finds a user by the key of the name; returns nil if there is none.
    mutating func find(key: String) throws -> UserID? {
        if let lastManager, lastManager.reference == .named(key) { return lastManager.id }
        guard let id = try transaction.findUserID(key: key) else { return nil }
        lastManager = (.named(key), id)
        return id
    }

    /// Stores a user's row, after checking every rule except those for passwords and clients' identifiers.
    ///
    /// - Throws: `alreadyExists`, `notPermitted`, or the error of a refused password or client's identifier.
    mutating func insert(_ user: PreparedUser, manager: UserID?) throws -> UserID {
        let new = UserID(rawValue: id)
        if hasUnique {
            try flush()
            try transaction.checkUnique(user.keys.values, of: new)
        }
        try transaction.rights.checkAddresses(user.keys.values, of: new, in: transaction)
        do {
            try transaction.insertRow(user, id: new, manager: manager, at: time)
        } catch let error as StoreError where error.kind == .alreadyExists {
            throw transaction.nameTaken(user.name.text)
        }
        pending.append((user, id, manager))
        id += 1
        if !user.aside.isEmpty {
            try flush()
            _ = try transaction.keepAside(user.aside, of: new.rawValue)
        }
        return new
    }

    /// Stores the pending keys and change feed entries. Must run before anything else is changed.
    mutating func flush() throws {
        guard !pending.isEmpty else { return }
        for entry in pending { try transaction.insertValues(entry.user.keys, id: entry.id) }
        for entry in pending { try transaction.insertText(entry.user.keys, id: entry.id) }
        for entry in pending {
            sequence += 1
            try transaction.writeCreation(
                sequence: sequence, actor: actor, id: entry.id, name: entry.user.name.text,
                after: entry.user.history.text(manager: entry.manager), at: time)
        }
        pending.removeAll(keepingCapacity: true)
        try transaction.connection.run(DirectoryStatements.setLastID, [.integer(id - 1)])
        time = transaction.now(notBefore: time)
    }

    /// Continues after other changes in the same transaction.
    mutating func resume() throws {
        id = try transaction.lastID() + 1
        sequence = try transaction.lastSequence()
    }

    /// Stores the pending entries and creates the dropped indexes again.
    mutating func finish() throws {
        try flush()
        guard let indexes = droppedIndexes else { return }
        droppedIndexes = nil
        for index in indexes { try transaction.connection.run(script: index) }
        try transaction.connection.run(UserStatements.usualTextIndex)
        try transaction.connection.run(StoreStatements.usualCache)
    }

    /// Returns SQLite's memory after an error. The rollback restores the indexes.
    func end() {
        if droppedIndexes != nil { try? transaction.connection.run(StoreStatements.usualCache) }
    }
}

extension Transaction {
    /// The highest identifier that was ever assigned.
    fileprivate func lastID() throws -> Int64 {
        try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0
    }
}
