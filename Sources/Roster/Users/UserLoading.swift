import Foundation
import RosterStore
import RosterText

/// Creates many users in one transaction.
///
/// A file gets the rows of users at once, and their keys and change feed entries in batches, each in the sort order of its table.
/// A server gets everything in batches, because it takes a batch by COPY many times faster than single rows.
struct UserLoading {
    private let editor: Editor
    private var transaction: Transaction { editor.transaction }
    private let actor: String
    private let hasUnique: Bool
    private var time: Date
    private var id: Int64
    private var sequence: Int64
    private var pending: [(user: PreparedUser, id: Int64, manager: UserID?)] = []
    /// The identifiers of the pending users by the keys of their names, where a server does not have the rows yet.
    private var pendingIDs: [String: UserID] = [:]
    /// The keys of names that nobody had when they were looked up for the next users, on a server.
    private var free: Set<String> = []
    /// Whether others have changed the transaction since the next identifier and the next change were read.
    private var isStale = false
    /// Hashes of the names of all users that were created in an empty directory on a server: 16 bytes for a user.
    private var hashes: Set<Int> = []
    /// Hashes of the mail addresses of all users that were created: 16 bytes for an address.
    private var addresses: Set<Int> = []
    /// The identifiers of managers that were found lately, because many users share a manager.
    private var managers: [UserReference: UserID] = [:]
    private static let maximumManagers = 16_384
    /// The smallest batch that is copied: COPY needs several trips to the server.
    private static let minimumCopy = 8
    private let isOnServer: Bool
    /// The definitions of the dropped indexes, which ``finish()`` creates again; nil if no index was dropped.
    private var droppedIndexes: [String]?
    /// Whether the directory had no users at the start.
    let isIntoEmpty: Bool

    /// The identifier of the first new user.
    let firstID: UserID

    /// The identifiers that were given since the start; nil if there are none.
    var given: Range<Int64>? { firstID.rawValue < id ? firstID.rawValue..<id : nil }

    init(_ editor: Editor) throws {
        self.editor = editor
        let transaction = editor.transaction
        actor = transaction.shared.caller.description
        hasUnique = transaction.vocabulary.hasUnique
        isOnServer = transaction.connection.kind == .postgreSQL
        time = transaction.now()
        id = try transaction.lastID() + 1
        firstID = UserID(rawValue: id)
        sequence = try transaction.feed.lastSequence()
        isIntoEmpty = try transaction.connection.first(UserStatements.any) { _ in true } == nil
    }

    /// Drops the indexes that no check needs until ``finish()``, and gives the engine more memory. Does nothing unless the
    /// directory is empty, because other servers cannot read users until the transaction ends.
    mutating func prepareForMany() throws {
        guard isIntoEmpty, droppedIndexes == nil else { return }
        try flush()
        let connection = transaction.connection
        droppedIndexes = try UserIndexes.drop(on: connection)
        for statement in TextIndexStatements.wide { try connection.run(statement) }
        if !isOnServer { try connection.run(StoreStatements.bulkCache) }
    }

    /// Notes that nobody has names with these keys, which are those of the next users.
    mutating func noteFree(_ keys: Set<String>) { free = keys }

    /// Notes that something else was changed in the same transaction, after ``flush()``.
    mutating func noteChange() { isStale = true }

    private mutating func readNumbers() throws {
        (isStale, id) = (false, try transaction.lastID() + 1)
        sequence = try transaction.feed.lastSequence()
    }

    /// Finds the managers of the next users at a server in one trip, by the keys of their names.
    mutating func findManagers(_ keys: some Sequence<String>) throws {
        guard isOnServer else { return }
        let new = Set(keys).filter { managers[.named($0)] == nil }
        guard new.count > 1 else { return }
        if managers.count + new.count > Self.maximumManagers { managers.removeAll(keepingCapacity: true) }
        try transaction.connection.forEach(UserStatements.idsByName, [.array(Array(new))]) { row in
            managers[.named(row.text(0))] = UserID(rawValue: row.integer(1))
        }
    }

    /// Finds the identifier of a manager.
    ///
    /// - Throws: `notFound`.
    mutating func managerID(_ reference: UserReference, of user: String) throws -> UserID {
        if let id = managers[reference] { return id }
        if case .named(let name) = reference {
            if let id = try find(key: TextKey.of(name)) { return id }
        } else if isOnServer {
            try flush()
        }
        return remember(try transaction.users.managerID(reference, of: user), reference)
    }

    /// Finds a user by the key of the name; returns nil if there is none.
    mutating func find(key: String) throws -> UserID? {
        if let id = managers[.named(key)] ?? pendingIDs[key] { return id }
        return try transaction.importing.findUserID(key: key).map { remember($0, .named(key)) }
    }

    private mutating func remember(_ id: UserID, _ reference: UserReference) -> UserID {
        if managers.count >= Self.maximumManagers { managers.removeAll(keepingCapacity: true) }
        managers[reference] = id
        return id
    }

    /// Stores a user's row, after checking every rule except those for passwords and clients' identifiers.
    ///
    /// - Throws: `alreadyExists`, `notPermitted`, `invalidAttribute`, or the error of a refused password or client's identifier.
    mutating func insert(_ user: PreparedUser, manager: UserID?) throws -> UserID {
        if isStale { try readNumbers() }
        let new = UserID(rawValue: id)
        try user.keys.checkSizes(of: user.name.text, on: transaction.connection)
        do {
            try checkOthers(user, new)
        } catch let error as DirectoryError {
            // A user who is there already is told as such on each engine, whatever else is wrong.
            throw try find(key: user.name.key) == nil ? error : transaction.users.nameTaken(user.name.text)
        }
        for value in user.keys.values where value.attribute == "emails" { addresses.insert(value.key.hashValue) }
        if isOnServer {
            guard try !isTaken(user.name.key) else { throw transaction.users.nameTaken(user.name.text) }
            pendingIDs[user.name.key] = new
            if isIntoEmpty { hashes.insert(user.name.key.hashValue) }
        } else {
            do {
                try transaction.userRows.insert(user, id: new, manager: manager, at: time)
            } catch let error as StoreError where error.kind == .alreadyExists {
                throw transaction.users.nameTaken(user.name.text)
            }
        }
        pending.append((user, id, manager))
        id += 1
        if !user.outsideRecord.isEmpty {
            try flush()
            _ = try transaction.accounts.storeOutsideRecord(user.outsideRecord, of: new.rawValue)
        }
        return new
    }

    /// Refuses a user whose values or whose name belong to others.
    private mutating func checkOthers(_ user: PreparedUser, _ new: UserID) throws {
        if hasUnique {
            try flush()
            try transaction.userRows.checkUnique(user.keys.values, of: new)
        }
        try transaction.rights.checkAddresses(user.keys.values, of: new, in: transaction)
        try checkName(user.name, of: new)
    }

    /// Refuses a name with which another user signs in. In a directory that was empty, only a name that is among the loaded addresses is
    /// looked up.
    private mutating func checkName(_ name: EntityName, of new: UserID) throws {
        guard name.key.utf8.contains(UInt8(ascii: "@")) else { return }
        let isLoaded = addresses.contains(Binding.text(name.key).hashValue)
        guard isLoaded || !isIntoEmpty else { return }
        if isLoaded { try flush() }
        try transaction.signInAddresses.checkIsNobodys(name, of: new)
    }

    /// Whether a user of a directory on a server has the name.
    private mutating func isTaken(_ key: String) throws -> Bool {
        if pendingIDs[key] != nil { return true }
        if free.remove(key) != nil { return false }
        if isIntoEmpty, !hashes.contains(key.hashValue) { return false }
        return try transaction.importing.findUserID(key: key) != nil
    }

    /// Stores the pending entries. Must run before anything else is changed.
    mutating func flush() throws {
        guard !pending.isEmpty else { return }
        try transaction.connection.run(DirectoryStatements.setLastID, [.integer(id - 1)])
        if isOnServer, pending.count >= Self.minimumCopy { try copyPending() } else { try writePending() }
        if transaction.batch != nil {
            for index in pending.indices { try transaction.batches.note(of: sequence + Int64(index) + 1) }
        }
        for entry in pending where !transaction.rights.setsPasswordsAndAddresses {
            try transaction.signInAddresses.noteFirst(of: UserID(rawValue: entry.id), entry.user.keys, at: time)
        }
        sequence += Int64(pending.count)
        pending.removeAll(keepingCapacity: true)
        pendingIDs.removeAll(keepingCapacity: true)
        time = transaction.now(notBefore: time)
    }

    private func writePending() throws {
        if isOnServer {
            for entry in pending {
                let id = UserID(rawValue: entry.id)
                try transaction.userRows.insert(entry.user, id: id, manager: entry.manager, at: time)
            }
        }
        for entry in pending { try transaction.userRows.insertValues(entry.user.keys.values, id: entry.id) }
        for entry in pending { try transaction.userRows.insertText(entry.user.text, id: entry.id) }
        for entry in pending { try transaction.users.insertWords(entry.user.words, id: entry.id) }
        for (index, entry) in pending.enumerated() {
            try transaction.feed.writeCreation(
                sequence: sequence + Int64(index) + 1, actor: actor, id: entry.id, name: entry.user.name.text,
                after: entry.user.history.text(manager: entry.manager), at: time)
        }
    }

    private func copyPending() throws {
        let connection = transaction.connection
        let milliseconds = Binding.integer(time.milliseconds)
        try connection.insert(
            pending.map { user, id, manager in
                [
                    .integer(id), .text(user.name.text), .text(user.name.key), .integer(user.isActive ? 1 : 0),
                    .integer(manager?.rawValue), .integer(1), milliseconds, milliseconds,
                ] + user.keys.columnKeys + [
                    .text(user.record), .integer(user.dates.starts), .integer(user.dates.ends),
                ]
            }, into: "users", UserStatements.insertedColumns)
        try connection.insert(
            pending.flatMap { entry in
                // A whole number and a decimal number can have the same stored form.
                Set(
                    entry.user.keys.values.map { [.text($0.attribute), connection.stored($0.key), .integer(entry.id)] })
            }, into: "attribute_value", UserStatements.insertedColumnsOfValue)
        try connection.insert(
            pending.map { [.integer($0.id)] + $0.user.text }, into: "text_index",
            TextIndexStatements.columnsOfText(on: connection.kind))
        try connection.insert(
            pending.map { [.integer($0.id), .text($0.user.words)] }, into: "word_index",
            TextIndexStatements.columnsOfWords(on: connection.kind))
        let constants: (Binding, Binding, Binding) = (
            .text(actor), .integer(Change.Kind.created.rawValue), .integer(Change.Entity.user.rawValue)
        )
        try connection.insert(
            pending.enumerated().map { index, entry in
                [
                    .integer(sequence + Int64(index) + 1), milliseconds, constants.0, constants.1, constants.2,
                    .integer(entry.id), .text(entry.user.name.text), .null,
                    .text(entry.user.history.text(manager: entry.manager)),
                ]
            }, into: "change", ChangeStatements.columns)
    }

    /// The number of new users from which on a server counts its rows again.
    private static let minimumAnalysis = 1_000

    /// Tells a server of many new users, after the last change of their memberships.
    func analyze() throws {
        if let given, given.count >= Self.minimumAnalysis { try transaction.connection.analyze() }
    }

    /// Continues after other changes in the same transaction.
    mutating func resume() throws {
        managers.removeAll()
        pending.removeAll(keepingCapacity: true)
        pendingIDs.removeAll(keepingCapacity: true)
        try readNumbers()
    }

    /// Stores the pending entries and creates the dropped indexes again.
    mutating func finish() throws {
        try flush()
        guard let indexes = droppedIndexes else { return }
        droppedIndexes = nil
        // The indexes of SQLite take the pages that merging the text index sets free. PostgreSQL builds its text index here, too, and
        // needs the memory.
        if !isOnServer { for statement in TextIndexStatements.usual { try transaction.connection.run(statement) } }
        for index in indexes { try transaction.connection.run(script: index) }
        if isOnServer { for statement in TextIndexStatements.usual { try transaction.connection.run(statement) } }
        if !isOnServer { try transaction.connection.run(StoreStatements.usualCache) }
    }

    /// Returns SQLite's memory after an error. The rollback restores the indexes.
    func end() {
        if droppedIndexes != nil, !isOnServer { try? transaction.connection.run(StoreStatements.usualCache) }
    }
}

extension UserLoading {
    /// Creates users in the order of a sequence, whose elements are prepared on another thread.
    ///
    /// - Returns: The number of created users.
    static func load(
        _ people: some Sequence<NewUser> & Sendable, as editor: Editor, _ progress: (@Sendable (Int) -> Void)?
    ) throws -> Int {
        let transaction = editor.transaction
        let vocabulary = transaction.vocabulary
        let preparation = Preparation(people) { try PreparedUser($0, vocabulary) }
        defer { preparation.stop() }
        var loading = try UserLoading(editor)
        defer { loading.end() }
        var count = 0
        while let chunk = try preparation.next(on: transaction.connection) {
            if chunk.count >= Preparation<PreparedUser>.chunkSize { try loading.prepareForMany() }
            try loading.findManagers(
                chunk.lazy.compactMap { if case .named(let name)? = $0.manager { TextKey.of(name) } else { nil } })
            for user in chunk {
                let manager = try user.manager.map { try loading.managerID($0, of: user.name.text) }
                _ = try loading.insert(user, manager: manager)
            }
            try loading.flush()
            count += chunk.count
            progress?(count)
        }
        try loading.finish()
        try loading.analyze()
        return count
    }
}
