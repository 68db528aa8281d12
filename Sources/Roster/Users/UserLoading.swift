import Foundation
import RosterStore

/// Creates many users within one transaction. The rows of the users are written at once, so that a user can be the manager
/// of the next one; their keys and their entries in the change feed are written in batches, in the order in which each
/// table is sorted.
struct UserLoading {
    private let session: Session
    private let actor: String
    private let hasUnique: Bool
    private var time: Date
    private var id: Int64
    private var sequence: Int64
    private var pending: [(user: PreparedUser, id: Int64, manager: UserID?)] = []
    /// Neighbours in a document tend to have the same manager.
    private var lastManager: (reference: UserReference, id: UserID)?
    /// The definitions of the indexes that ``finish()`` makes again; nil while all indexes are there.
    private var droppedIndexes: [String]?
    /// Whether there were no users before.
    let isIntoEmpty: Bool

    /// The identifier that the first user gets.
    let firstID: UserID

    init(_ session: Session) throws {
        self.session = session
        actor = session.view.caller.description
        hasUnique = session.vocabulary.declared.contains(where: \.isUnique)
        time = session.now()
        id = try session.lastID() + 1
        firstID = UserID(rawValue: id)
        sequence = try session.lastSequence()
        isIntoEmpty = try session.connection.first(UserStatements.afterID, [.integer(0)]) { _ in true } == nil
    }

    /// Prepares an empty directory for many users: the indexes that no check needs are dropped until ``finish()``, and
    /// SQLite gets more memory. Does nothing where there were users before.
    mutating func prepareForMany() throws {
        guard isIntoEmpty, droppedIndexes == nil else { return }
        try flush()
        droppedIndexes = try session.connection.all(UserStatements.indexDefinitions) { $0.text(0) }
        for statement in UserStatements.dropIndexes { try session.connection.run(statement) }
        try session.connection.run(UserStatements.wideTextIndex)
        try session.connection.run(StoreStatements.bulkCache)
    }

    /// The identifier of a manager.
    ///
    /// - Throws: `notFound`.
    mutating func managerID(_ reference: UserReference, of user: String) throws -> UserID {
        if let lastManager, lastManager.reference == reference { return lastManager.id }
        let id = try session.managerID(reference, of: user)
        lastManager = (reference, id)
        return id
    }

    /// The identifier of a user by the key of the name; nil where there is none.
    mutating func find(key: String) throws -> UserID? {
        if let lastManager, lastManager.reference == .named(key) { return lastManager.id }
        guard let id = try session.findUserID(key: key) else { return nil }
        lastManager = (.named(key), id)
        return id
    }

    /// Writes a user's row. Every rule is checked before anything is written, except for those of passwords and of clients'
    /// identifiers.
    ///
    /// - Throws: `alreadyExists`, `notPermitted`, and what a password or a client's identifier is refused for.
    mutating func insert(_ user: PreparedUser, manager: UserID?) throws -> UserID {
        let new = UserID(rawValue: id)
        if hasUnique {
            try flush()
            try session.checkUnique(user.keys.values, of: new)
        }
        try session.rights.checkAddresses(user.keys.values, of: new, in: session)
        do {
            try session.insertRow(user, id: new, manager: manager, at: time)
        } catch let error as StoreError where error.kind == .alreadyExists {
            throw session.nameTaken(user.name.text)
        }
        pending.append((user, id, manager))
        id += 1
        if !user.aside.isEmpty {
            try flush()
            _ = try session.keepAside(user.aside, of: new.rawValue)
        }
        return new
    }

    /// Writes what is still to be written of the users so far. Must be called before anything else is changed.
    mutating func flush() throws {
        guard !pending.isEmpty else { return }
        for entry in pending { try session.insertValues(entry.user.keys, id: entry.id) }
        for entry in pending { try session.insertText(entry.user.keys, id: entry.id) }
        for entry in pending {
            sequence += 1
            try session.writeCreation(
                sequence: sequence, actor: actor, id: entry.id, name: entry.user.name.text,
                after: entry.user.history.text(manager: entry.manager), at: time)
        }
        pending.removeAll(keepingCapacity: true)
        try session.connection.run(DirectoryStatements.setLastID, [.integer(id - 1)])
        time = session.now(notBefore: time)
    }

    /// Goes on after something else was changed.
    mutating func resume() throws {
        id = try session.lastID() + 1
        sequence = try session.lastSequence()
    }

    /// Writes what is left, and makes the indexes again.
    mutating func finish() throws {
        try flush()
        guard let indexes = droppedIndexes else { return }
        droppedIndexes = nil
        for index in indexes { try session.connection.run(script: index) }
        try session.connection.run(UserStatements.usualTextIndex)
        try session.connection.run(StoreStatements.usualCache)
    }

    /// Gives back the memory after an error; the rollback brings back the indexes.
    func end() {
        if droppedIndexes != nil { try? session.connection.run(StoreStatements.usualCache) }
    }
}

extension Session {
    /// The highest identifier that was ever given.
    fileprivate func lastID() throws -> Int64 {
        try connection.first(DirectoryStatements.lastID) { $0.integer(0) } ?? 0
    }
}
