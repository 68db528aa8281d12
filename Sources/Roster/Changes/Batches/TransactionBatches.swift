import Foundation
import RosterStore
import RosterText

/// The batches of changes in a transaction: changes that belong together, and can be undone together.
struct TransactionBatches {
    let transaction: Transaction

    func begin() throws -> Int64 {
        try transaction.countedChanges?.add()
        let number = try transaction.nextID()
        try transaction.connection.run(
            BatchStatements.insert,
            [.integer(number), .text(transaction.shared.caller.description), .integer(transaction.now().milliseconds)],
            changing: .none)
        return number
    }

    /// Adds an entry to the transaction's batch, if it has one.
    ///
    /// - Parameter sequence: The number of the entry; nil for the last one.
    func note(of sequence: Int64? = nil) throws {
        guard let batch = transaction.batch else { return }
        let added = try transaction.connection.all(
            BatchStatements.add,
            [.integer(batch), .text(transaction.shared.caller.description), .integer(sequence)]
        ) { $0.integer(0) }
        guard !added.isEmpty else { throw Self.noBatch(batch) }
    }

    private static func noBatch(_ number: Int64) -> DirectoryError {
        DirectoryError(
            .notFound, "You have no batch \(number).", advice: "Begin a batch, and give its number with each change.")
    }

    /// Removes the entries of a range of the change feed from their batches and from the users' histories, and counts those entries for
    /// each batch. The report of an undone batch tells the number. The caller then removes the range from the feed.
    func lose(from first: Int64, through last: Int64) throws {
        let range: [Binding] = [.integer(first), .integer(last)]
        try transaction.connection.run(BatchStatements.countLost, range)
        try transaction.connection.run(BatchStatements.remove, range)
        try transaction.connection.run(MembershipStatements.remove, range)
    }

    // MARK: Undoing

    /// The entries that one transaction undoes, so that other changes do not wait long.
    private static let entriesOfStep = 100

    /// Ends the savepoint of a preview.
    private struct PreviewEnds: Error {}

    func undo(_ call: UndoBatch) throws -> UndoStep {
        let found = try transaction.connection.first(BatchStatements.actor, [.integer(call.batch)]) {
            ($0.text(0), $0.integer(1))
        }
        guard let (actor, lost) = found,
            actor == transaction.shared.caller.description || transaction.rights.seesAllChanges
        else { throw Self.noBatch(call.batch) }
        let entries = try transaction.connection.all(
            BatchStatements.entries,
            [.integer(call.batch), .integer(call.before ?? .max), .integer(Int64(Self.entriesOfStep))]
        ) { try Change($0) }
        var step = UndoStep()
        if call.before == nil, lost > 0 {
            step.leftOut.append(
                .init(
                    entity: .feed, subjectID: "", name: "",
                    reason: "\(lost) changes of the batch are no longer in the change feed"))
        }
        if entries.count == Self.entriesOfStep { step.next = entries.last?.sequence }
        guard call.isPreview else {
            if !entries.isEmpty { step.batch = try call.opposite ?? begin() }
            transaction.batch = step.batch
            defer { transaction.batch = transaction.shared.batch }
            for entry in entries { try undo(entry, &step) }
            return step
        }
        transaction.batch = nil
        defer { transaction.batch = transaction.shared.batch }
        do {
            try savepoint {
                for entry in entries { try undo(entry, &step) }
                throw PreviewEnds()
            }
        } catch is PreviewEnds {}
        return step
    }

    private func savepoint(_ body: () throws -> Void) throws {
        var failure: (any Error)?
        do {
            try transaction.connection.savepoint(body) { failure = $0 }
        } catch {
            throw failure ?? error
        }
    }

    /// The errors that concern one change of a batch only.
    private static let refusals: Set<DirectoryError.Code> = [
        .notFound, .alreadyExists, .invalidName, .invalidAttribute, .invalidInput, .circle, .hasReportees,
        .lastAdministrator, .notPermitted,
    ]

    /// Undoes an entry, or leaves it out.
    private func undo(_ entry: Change, _ step: inout UndoStep) throws {
        do {
            var tried = step
            try savepoint { try EntryUndoing(transaction, entry).run(&tried) }
            step = tried
        } catch let error as DirectoryError where Self.refusals.contains(error.code) {
            try EntryUndoing(transaction, entry).leaveOut(error.message, &step)
        }
    }
}
