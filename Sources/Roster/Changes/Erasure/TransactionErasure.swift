import Foundation
import RosterStore
import RosterText

/// Looks for what is known of deleted users, in a transaction.
struct TransactionErasure {
    let transaction: Transaction

    /// Merges a part of the text index and of the word index, which removes deleted text from the file instead of only marking it.
    ///
    /// - Returns: Whether another part is left.
    func mergeTextIndex(isFirst: Bool) throws -> Bool {
        if transaction.connection.kind == .postgreSQL {
            if isFirst { try transaction.connection.run(TextIndexStatements.merge) }
            return false
        }
        var isLeft = false
        for statement in isFirst ? TextIndexStatements.beginMerging : TextIndexStatements.goOnMerging {
            let before = transaction.connection.engine.totalChangedRows
            try transaction.connection.run(statement)
            // An index changes one row of its own even if nothing is left to merge.
            if transaction.connection.engine.totalChangedRows - before >= 2 { isLeft = true }
        }
        return isLeft
    }

    /// Finds the entries about users, after an entry.
    func entries(about users: [UserID], after last: Int64) throws -> [UserID: FoundEntries.Entries] {
        var found: [UserID: FoundEntries.Entries] = [:]
        let list = transaction.connection.array(users.map(\.rawValue))
        try transaction.connection.forEach(ErasureStatements.valuesOf, [list, .integer(last)]) { row in
            let names = try Self.names(row.text(2), row.optionalText(3), row.optionalText(4))
            let user = UserID(rawValue: row.integer(0))
            found[user, default: .init()].sequences.append(row.integer(1))
            found[user, default: .init()].names.formUnion(names)
        }
        for user in users {
            let origin = try transaction.connection.first(ErasureStatements.virtualUser, [.integer(user.rawValue)]) {
                ($0.text(0), $0.text(1))
            }
            guard let origin else { continue }
            let actor = Caller.virtualUser(issuer: origin.0, subject: origin.1).description
            found[user, default: .init()].actor = actor
            found[user, default: .init()].acted = try transaction.connection.all(
                ErasureStatements.entriesBy, [.text(actor), .integer(last)]
            ) { $0.integer(0) }
        }
        return found
    }

    /// Finds the entries about users to erase.
    func found(of references: [UserReference]) throws -> FoundEntries? {
        // The change itself refuses other callers, in its own words.
        guard (try? transaction.asAdministrator(to: "erase what is known of users")) != nil else {
            return nil
        }
        var found = FoundEntries(through: try transaction.feed.lastSequence())
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
    func refusals(of names: Set<String>, after last: Int64) throws -> [Int64] {
        try transaction.connection.all(ErasureStatements.namedSignIns, [.integer(last)]) { ($0.integer(0), $0.text(1)) }
            .filter { names.contains(FoldedText.of($0.1)) }.map(\.0)
    }
}
