package import Foundation
import RosterStore
import RosterText

/// The change feed in a transaction.
package struct TransactionFeed {
    package let transaction: Transaction

    // MARK: Adding

    /// Adds an entry for a change to the change feed. The entry and the change are one transaction.
    package func record(
        _ kind: Change.Kind, _ entity: Change.Entity, id: Int64, name: String, before: AttributeSet?,
        after: AttributeSet?, at time: Date? = nil
    ) throws {
        var before = before
        var after = after
        if kind == .modified, let old = before, let new = after {
            before = old.filtered { old[$0] != new[$0] }
            after = new.filtered { old[$0] != new[$0] }
        }
        let owner: AttributeDefinition.Entity = entity == .role ? .role : .user
        before = before?.withoutSecrets(transaction.vocabulary, of: owner).shrunk
        after = after?.withoutSecrets(transaction.vocabulary, of: owner).shrunk
        try write(
            kind, entity, id: id, name: name, before: before?.record, after: after?.record,
            at: time ?? transaction.now())
    }

    /// Adds an entry to the change feed. The caller has removed secrets from the entry's records, and has shortened large values.
    func write(
        _ kind: Change.Kind, _ entity: Change.Entity, id: Int64, name: String, before: String?, after: String?,
        at time: Date
    ) throws {
        try transaction.countedChanges?.add()
        try transaction.connection.run(
            ChangeStatements.append,
            [
                .integer(time.milliseconds), .text(transaction.shared.caller.description),
                .integer(kind.rawValue), .integer(entity.rawValue), .integer(id), .text(name), .text(before),
                .text(after),
            ], changing: .none)
        try transaction.batches.note()
    }

    /// Records a user's creation in the change feed.
    func writeCreation(sequence: Int64, actor: String, id: Int64, name: String, after: String, at time: Date) throws {
        try transaction.connection.run(ChangeStatements.insert) { statement in
            try statement.bind(sequence, at: 1)
            try statement.bind(time.milliseconds, at: 2)
            try statement.bind(actor, at: 3)
            try statement.bind(Change.Kind.created.rawValue, at: 4)
            try statement.bind(Change.Entity.user.rawValue, at: 5)
            try statement.bind(id, at: 6)
            try statement.bind(name, at: 7)
            try statement.bind(.null, at: 8)
            try statement.bind(after, at: 9)
        }
    }

    // MARK: Reading

    /// Refuses callers who are not administrators, if the feed is for administrators only.
    func check(_ isForAdministrators: Bool) throws {
        if isForAdministrators { try transaction.checkAdministrator(to: "read all changes") }
    }

    /// The number of the latest entry; 0 for an empty feed.
    func lastSequence() throws -> Int64 {
        try transaction.connection.first(ChangeStatements.last) { $0.integer(0) } ?? 0
    }

    /// Reads a page of the changes that the caller may see.
    func changes(since sequence: Int64, limit: Int) throws -> ChangePage {
        try transaction.lines.checkPage(limit)
        let compacted = try transaction.connection.first(ChangeStatements.compacted) { $0.integer(0) } ?? 0
        guard sequence >= compacted else {
            throw Self.gone(from: 1, through: compacted)
        }
        // A follower from before a restore may know a later number. Without this error it would wait and miss new
        // changes.
        let last = try lastSequence()
        guard sequence <= last else {
            throw DirectoryError(
                .notFound, "There is no change \(sequence) yet; the latest is \(last).",
                advice: "Read the directory as a whole, then follow from \(last).")
        }
        var reader = ChangeReader(transaction, since: sequence, limit: limit)
        try transaction.connection.forEach(ChangeStatements.since, [.integer(sequence), .integer(Int64(reader.rows))]) {
            row in
            let first = ChangeReader.first(of: row)
            // A follower within a pruned range has missed a part of it. A follower before the range receives its entry.
            if first <= sequence { throw Self.gone(from: first, through: row.integer(0)) }
            try reader.read(row)
        }
        return reader.page
    }

    private static func gone(from first: Int64, through last: Int64) -> DirectoryError {
        DirectoryError(
            .changesCompacted,
            "The changes from \(first) to \(last) are gone; the first that there is afterwards is \(last + 1).",
            advice: "Read the directory as a whole, then follow from \(last).")
    }
}
