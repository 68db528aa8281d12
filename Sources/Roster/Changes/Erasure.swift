import Foundation
import RosterStore
import RosterText

extension UserManager {
    /// Erases the remaining data of deleted users: their values and names in the change feed, the client addresses of
    /// their sign-ins, and refused sign-ins under their names. The entries keep their numbers, times and identifiers.
    /// What the data have left in the file and its log is then overwritten, between the changes of others, which wait for some hundredths
    /// of a second at most. Backups keep their data.
    ///
    /// - Parameter users: The identifiers of deleted users, or of virtual users, who are deleted as well.
    /// - Returns: The number of emptied entries.
    /// - Throws: `invalidInput` for a user who still exists, `notFound` for an unknown identifier, `notPermitted`
    ///   unless the caller is an administrator; `overloaded` if somebody reads an old state of the file for half a minute, such as a
    ///   backup. In the last case the values are already out of the feed, and erasing again overwrites the rest.
    @discardableResult
    public func erase(_ users: [UserID]) throws -> Int {
        try view.change(EraseUsers(users: users))
    }

    /// Erases the remaining data of deleted users, as the synchronous form does.
    @discardableResult
    public func erase(_ users: [UserID]) async throws -> Int {
        try await view.change(EraseUsers(users: users))
    }

    /// Lists the identifiers of the deleted users with a name, latest first. Erased users are not included.
    public func deleted(_ name: String) throws -> [UserID] { try view.read(DeletedUsers(user: name)) }
    /// Lists the identifiers of the deleted users with a name, as the synchronous form does.
    public func deleted(_ name: String) async throws -> [UserID] {
        try await view.read(DeletedUsers(user: name))
    }
}

extension TransactionFeed {
    func deletedUsers(_ name: String) throws -> [UserID] {
        try transaction.rights.checkAdministrator(to: "look for deleted users")
        let key = FoldedText.of(name)
        return try transaction.connection.all(ChangeStatements.deletedUsers) {
            (UserID(rawValue: $0.integer(0)), $0.text(1))
        }
        .filter { FoldedText.of($0.1) == key }.map(\.0)
    }

    /// - Returns: The number of emptied entries.
    func erase(_ users: [UserID]) throws -> Int {
        try transaction.access.checkPresentAdministrator(to: "erase what is known of users")
        let rows = transaction.connection.totalChangedRows
        var names: Set<String> = []
        var others = 0
        // Only the entries since the look are searched while others wait.
        let looked = try transaction.found?.entries ?? entries(about: users, after: 0)
        let since = try transaction.found.map { try entries(about: users, after: $0.through) } ?? [:]
        for user in users {
            let id = Binding.integer(user.rawValue)
            guard try transaction.connection.first(UserStatements.isActive, [id], { _ in true }) == nil else {
                throw DirectoryError(
                    .invalidInput, "User \(user) is still there.", advice: "Delete the user first.")
            }
            let (entries, later) = (looked[user] ?? FoundEntries.Entries(), since[user] ?? FoundEntries.Entries())
            names.formUnion(entries.names.union(later.names))
            for sequence in Set(entries.sequences + later.sequences) {
                try transaction.connection.run(ChangeStatements.eraseEntry, [.integer(sequence)])
            }
            let before = transaction.connection.totalChangedRows
            let isVirtual = try transaction.connection.first(ChangeStatements.virtualUser, [id], { _ in true }) ?? false
            guard isVirtual || !entries.isEmpty || !later.isEmpty else {
                throw DirectoryError(
                    .notFound, "The user \(user) is unknown.", advice: "See the change feed for the identifier.")
            }
            for sequence in Set(entries.acted + later.acted) {
                try transaction.connection.run(ChangeStatements.eraseActor, [.integer(sequence)])
            }
            if let actor = looked[user]?.actor ?? since[user]?.actor {
                try transaction.connection.run(BatchStatements.eraseActor, [.text(actor)])
            }
            try transaction.connection.run(ChangeStatements.deleteVirtualUser, [id])
            try transaction.connection.run(AccessStatements.forgetSubject, [id])
            others += transaction.connection.totalChangedRows - before
        }
        let isKnown = transaction.found.map { names.isSubset(of: $0.names) } ?? false
        var refusals = try self.refusals(of: names, after: isKnown ? transaction.found?.through ?? 0 : 0)
        if isKnown { refusals += transaction.found?.refusals ?? [] }
        for sequence in refusals { try transaction.connection.run(ChangeStatements.eraseEntry, [.integer(sequence)]) }
        let count = transaction.connection.totalChangedRows - rows - others
        _ = try mergeTextIndex(isFirst: true)
        return count
    }

    /// Merges a part of the text index and of the word index, which removes deleted text from the file instead of only marking it.
    ///
    /// - Returns: Whether another part is left.
    func mergeTextIndex(isFirst: Bool) throws -> Bool {
        if transaction.connection.engine == .postgreSQL {
            if isFirst { try transaction.connection.run(TextIndexStatements.merge) }
            return false
        }
        var isLeft = false
        for statement in isFirst ? TextIndexStatements.beginMerging : TextIndexStatements.goOnMerging {
            let before = transaction.connection.totalChangedRows
            try transaction.connection.run(statement)
            // An index changes one row of its own even if nothing is left to merge.
            if transaction.connection.totalChangedRows - before >= 2 { isLeft = true }
        }
        return isLeft
    }

    /// Finds the entries about users, after an entry.
    fileprivate func entries(about users: [UserID], after last: Int64) throws -> [UserID: FoundEntries.Entries] {
        var found: [UserID: FoundEntries.Entries] = [:]
        let list = transaction.connection.array(users.map(\.rawValue))
        try transaction.connection.forEach(ChangeStatements.valuesOf, [list, .integer(last)]) { row in
            let names = try Self.names(row.text(2), row.optionalText(3), row.optionalText(4))
            let user = UserID(rawValue: row.integer(0))
            found[user, default: .init()].sequences.append(row.integer(1))
            found[user, default: .init()].names.formUnion(names)
        }
        for user in users {
            let origin = try transaction.connection.first(ChangeStatements.virtualUser, [.integer(user.rawValue)]) {
                ($0.text(0), $0.text(1))
            }
            guard let origin else { continue }
            let actor = Caller.virtualUser(issuer: origin.0, subject: origin.1).description
            found[user, default: .init()].actor = actor
            found[user, default: .init()].acted = try transaction.connection.all(
                ChangeStatements.entriesBy, [.text(actor), .integer(last)]
            ) { $0.integer(0) }
        }
        return found
    }

    /// Finds the entries about users to erase.
    fileprivate func found(of references: [UserReference]) throws -> FoundEntries? {
        // The change itself refuses other callers, in its own words.
        guard (try? transaction.rights.checkAdministrator(to: "erase what is known of users")) != nil else {
            return nil
        }
        var found = FoundEntries(through: try lastSequence())
        let users = try references.compactMap { reference -> UserID? in
            if case .id(let id) = reference { id } else { try transaction.users.findID(of: reference) }
        }
        found.entries = try entries(about: users, after: 0)
        found.names = found.entries.values.reduce(into: []) { $0.formUnion($1.names) }
        found.refusals = try refusals(of: found.names, after: 0)
        return found
    }

    /// The names and addresses that sign-ins of the user may have used.
    private static func names(_ name: String, _ before: String?, _ after: String?) throws -> [String] {
        var names = [name]
        for text in [before, after] {
            guard let text, let set = try? AttributeSet(stored: text) else { continue }
            names += [set["uid"]?.text].compactMap(\.self)
            names += set["emails"]?.elements.compactMap { $0.part("value")?.text } ?? []
        }
        return names.filter { !$0.isEmpty }.map(FoldedText.of)
    }

    /// Finds the entries about refused sign-ins under names that matched no user, after an entry.
    private func refusals(of names: Set<String>, after last: Int64) throws -> [Int64] {
        try transaction.connection.all(ChangeStatements.namedSignIns, [.integer(last)]) { ($0.integer(0), $0.text(1)) }
            .filter { names.contains(FoldedText.of($0.1)) }.map(\.0)
    }
}

extension EmbeddedView {
    /// Refuses to erase within a transaction, because what erased values have left in the file is overwritten after the transaction.
    func checkMayErase() throws {
        guard open != nil else { return }
        throw DirectoryError(
            .reentrantCall, "Nothing can be erased within a transaction, since the file is overwritten afterwards.",
            advice: "Erase after the transaction.")
    }
}

/// The entries of the change feed about users to erase, as a look before the change found them. The look reads the whole feed, so that
/// the change need not while others wait for it.
struct FoundEntries: Sendable {
    /// What is known of one user.
    struct Entries: Sendable {
        /// The entries about the user.
        var sequences: [Int64] = []
        /// The entries whose actor is the user, who is a virtual one.
        var acted: [Int64] = []
        /// The name under which the feed shows the user, who is a virtual one, as an actor.
        var actor: String?
        /// The names and addresses that sign-ins of the user may have used.
        var names: Set<String> = []
        var isEmpty: Bool { sequences.isEmpty && acted.isEmpty }
    }

    /// The last entry at the time of the look.
    let through: Int64
    var entries: [UserID: Entries] = [:]
    var names: Set<String> = []
    /// The entries about refused sign-ins under one of the names.
    var refusals: [Int64] = []
}

extension DirectoryView {
    /// Looks for the entries about users to erase; returns nil for a caller who may not erase.
    func foundEntries(of users: [UserReference]) throws -> FoundEntries? {
        try read(isBrief: false) { try $0.feed.found(of: users) }
    }

    /// Looks for the entries as the synchronous form does.
    func awaitFoundEntries(of users: [UserReference]) async throws -> FoundEntries? {
        try await awaitRead { try $0.feed.found(of: users) }
    }
}
