import RosterStore

/// Changes of a user's words that the word index does not have yet.
///
/// SQLite's index writes pages of its own at each commit, which costs single changes most, so that changes wait in a table until there
/// are many. PostgreSQL's index has such a list of its own.
struct WordChange {
    private(set) var removed: [String]
    private(set) var added: [String]

    /// The most changes that wait.
    static let most: Int64 = 64

    init(_ removed: String = "", _ added: String = "") {
        self.removed = Self.words(removed)
        self.added = Self.words(added)
    }

    static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// The change that takes this one back.
    var reversed: WordChange {
        var change = WordChange()
        (change.removed, change.added) = (added, removed)
        return change
    }

    /// Adds the change that came next.
    mutating func append(_ next: WordChange) {
        removed += next.removed.filter { !added.contains($0) && !removed.contains($0) }
        added.removeAll { next.removed.contains($0) }
        added += next.added.filter { !removed.contains($0) && !added.contains($0) }
        removed.removeAll { next.added.contains($0) }
    }
}

extension TransactionUsers {
    /// Adds a new user to the word index.
    func insertWords(_ words: String, id: Int64) throws {
        try transaction.connection.run(TextIndexStatements.insertWords) { statement in
            try statement.bind(id, at: 1)
            try statement.bind(words, at: 2)
        }
    }

    /// Removes words of a user from the word index, and adds others, on a file at the latest when there are many changes.
    func updateWords(of id: UserID, removing removed: [String], adding added: [String]) throws {
        guard !removed.isEmpty || !added.isEmpty else { return }
        if transaction.connection.kind == .postgreSQL {
            return try writeWords(of: id.rawValue, WordChange(UserWords.text(removed), UserWords.text(added)))
        }
        try transaction.connection.run(
            TextIndexStatements.insertWordChange,
            [.integer(id.rawValue), .text(UserWords.text(removed)), .text(UserWords.text(added))], changing: .none)
        // The numbers of waiting changes begin with 1, so that the last number is their count.
        if transaction.connection.engine.insertedRow >= WordChange.most { try writeWordChanges() }
    }

    /// Removes a user from the word index.
    func deleteWords(_ words: UserWords, of id: UserID) throws {
        var indexed = WordChange("", words.text)
        if transaction.connection.kind == .sqlite {
            let changes = try transaction.connection.all(
                TextIndexStatements.wordChangesOfUser, [.integer(id.rawValue)]
            ) { WordChange($0.text(1), $0.text(2)) }
            // The index has what the user had before the changes.
            for change in changes.reversed() { indexed.append(change.reversed) }
            if !changes.isEmpty {
                try transaction.connection.run(
                    TextIndexStatements.deleteWordChangesOfUser, [.integer(id.rawValue)], changing: .none)
            }
        }
        try transaction.connection.run(
            TextIndexStatements.deleteWords, [.integer(id.rawValue), .text(UserWords.text(indexed.added))],
            changing: .none)
    }

    /// Writes all waiting changes to the word index.
    func writeWordChanges() throws {
        guard transaction.connection.kind == .sqlite else { return }
        var changes: [Int64: WordChange] = [:]
        try transaction.connection.forEach(TextIndexStatements.wordChanges) { row in
            changes[row.integer(0), default: WordChange()].append(WordChange(row.text(1), row.text(2)))
        }
        guard !changes.isEmpty else { return }
        // SQLite's index writes its pages once, if the users come in the order of their identifiers.
        for (id, change) in changes.sorted(by: { $0.key < $1.key }) { try writeWords(of: id, change) }
        try transaction.connection.run(TextIndexStatements.deleteWordChanges, changing: .none)
    }

    private func writeWords(of id: Int64, _ change: WordChange) throws {
        // SQLite's index counts its rows: one less for what is removed, and one more for what is added, even if that is nothing.
        for (statement, words) in [
            (TextIndexStatements.deleteWords, change.removed), (TextIndexStatements.insertWords, change.added),
        ] {
            try transaction.connection.run(
                statement, [.integer(id), .text(UserWords.text(words))], changing: .none)
        }
    }

    /// The users to whom waiting changes add a word that was asked for.
    func usersWithNewWords(for asked: AskedWords) throws -> [Int64] {
        guard transaction.connection.kind == .sqlite else { return [] }
        var ids: [Int64] = []
        try transaction.connection.forEach(TextIndexStatements.wordChanges) { row in
            if WordChange.words(row.text(2)).contains(where: asked.mayBegin) { ids.append(row.integer(0)) }
        }
        return ids
    }
}
