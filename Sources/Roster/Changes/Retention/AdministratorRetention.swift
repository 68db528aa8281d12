import Foundation
import RosterStore
import RosterText

/// The columns of an entry that pruning reads.
private struct PrunableRow {
    let sequence: Int64
    let kind: Change.Kind?
    let first: Int64
    let time: Int64

    init(_ row: borrowing Row) {
        sequence = row.integer(0)
        kind = Change.Kind(rawValue: row.integer(1))
        first = kind == .pruned ? row.integer(2) : sequence
        time = row.integer(3)
    }
}

/// The retention in a transaction: the time for which the directory keeps the entries of the change feed.
struct AdministratorRetention {
    let administrator: Administrator
    private var transaction: Transaction { administrator.transaction }

    /// Reads the retention.
    func read() throws -> Retention {
        try transaction.connection.first(RetentionStatements.retention) { row in
            Retention(
                changes: row.optionalInteger(0).map { Int($0) }, signIns: row.optionalInteger(1).map { Int($0) })
        } ?? Retention()
    }

    /// The rows that one transaction examines, so that other changes do not wait long.
    private static let pruningBatch: Int64 = 1_000

    func prune() throws -> (count: Int, isLast: Bool) {
        try transaction.removeOldIdempotentChanges()
        try transaction.users.writeWordChanges()
        let retention = try read()
        let now = transaction.now().milliseconds
        var (count, isLast) = (0, true)
        for (days, isSignIn) in [(retention.changes, false), (retention.signIns, true)] {
            guard let days else { continue }
            let step = try prune(before: now - Int64(days) * 86_400_000, signIns: isSignIn)
            count += step.count
            if !step.isLast { isLast = false }
        }
        return (count, isLast)
    }

    private func prune(before time: Int64, signIns: Bool) throws -> (count: Int, isLast: Bool) {
        let marks =
            try transaction.connection.first(RetentionStatements.prunedMarks) { ($0.integer(0), $0.integer(1)) } ?? (
                0, 0
            )
        let mark = signIns ? marks.1 : marks.0
        let rows = try transaction.connection.all(
            RetentionStatements.prunable, [.integer(mark), .integer(Self.pruningBatch)]
        ) { PrunableRow($0) }
        // Entries are in order of time unless the clock was set back. An old entry after a younger one waits for that
        // one.
        let old = rows.prefix { $0.time < time }
        var run: (numbers: ClosedRange<Int64>, time: Int64)?
        var count = 0
        for row in old where row.kind.map({ $0 != .pruned && $0.isSignIn == signIns }) ?? false {
            count += 1
            if let begun = run?.numbers, begun.upperBound + 1 == row.sequence {
                run = (begun.lowerBound...row.sequence, row.time)
            } else {
                if let run { try takeOut(run.numbers, last: run.time) }
                run = (row.sequence...row.sequence, row.time)
            }
        }
        if let run { try takeOut(run.numbers, last: run.time) }
        if let last = old.last {
            try transaction.connection.run(
                RetentionStatements.setPrunedMarks,
                [.integer(signIns ? marks.0 : last.sequence), .integer(signIns ? last.sequence : marks.1)])
        }
        return (count, old.count < rows.count || rows.count < Self.pruningBatch)
    }

    /// Removes a run of entries. Leaves an entry about it, or moves the beginning of the feed.
    ///
    /// - Parameter time: The time of the run's last entry.
    private func takeOut(_ run: ClosedRange<Int64>, last time: Int64) throws {
        var (first, last, time) = (run.lowerBound, run.upperBound, time)
        try transaction.batches.lose(from: first, through: last)
        try transaction.connection.run(RetentionStatements.deleteRange, [.integer(first), .integer(last)])
        try transaction.connection.run(RetentionStatements.deleteNumbers, [.integer(first), .integer(last)])
        if let before = try transaction.connection.first(
            RetentionStatements.rowBefore, [.integer(first)], { PrunableRow($0) }),
            before.kind == .pruned, before.sequence + 1 == first
        {
            first = before.first
            try transaction.connection.run(
                RetentionStatements.deleteRange, [.integer(before.sequence), .integer(before.sequence)])
        }
        if let after = try transaction.feed.prunedRow(after: last), after.first == last + 1 {
            (last, time) = (after.sequence, after.time)
            try transaction.connection.run(RetentionStatements.deleteRange, [.integer(last), .integer(last)])
        }
        if first <= (try transaction.connection.first(ChangeStatements.compacted) { $0.integer(0) } ?? 0) + 1 {
            return try transaction.connection.run(RetentionStatements.setCompacted, [.integer(last)])
        }
        try transaction.connection.run(
            ChangeStatements.insert,
            [
                .integer(last), .integer(time), .text("retention"), .integer(Change.Kind.pruned.rawValue),
                .integer(Change.Entity.feed.rawValue), .integer(first), .text(""), .null, .null,
            ])
    }
}

extension PresentAdministrator {
    /// Sets the periods for which the change feed keeps its entries.
    func setRetention(_ retention: Retention) throws {
        for days in [retention.changes, retention.signIns] {
            guard days.map((1...Retention.maximumDays).contains) ?? true else {
                throw DirectoryError(
                    .limitExceeded, "The change feed can be kept for 1 to \(Retention.maximumDays) days, or forever.",
                    advice: "Choose a number of days in between, or none.")
            }
        }
        try transaction.connection.run(
            RetentionStatements.setRetention,
            [.integer(retention.changes.map { Int64($0) }), .integer(retention.signIns.map { Int64($0) })])
    }

    /// Removes the entries of the change feed up to a number.
    func compactChanges(through sequence: Int64) throws {
        let through = try transaction.feed.endOfCompaction(min(sequence, transaction.feed.lastSequence()))
        try transaction.batches.lose(from: 0, through: through)
        try transaction.connection.run(RetentionStatements.compact, [.integer(through)])
        try transaction.connection.run(RetentionStatements.deleteNumbers, [.integer(0), .integer(through)])
        try transaction.connection.run(RetentionStatements.setCompacted, [.integer(through)])
    }
}

extension TransactionFeed {
    /// The next entry if it represents pruned numbers.
    fileprivate func prunedRow(after sequence: Int64) throws -> PrunableRow? {
        let row = try transaction.connection.first(RetentionStatements.prunable, [.integer(sequence), .integer(1)]) {
            PrunableRow($0)
        }
        return row?.kind == .pruned ? row : nil
    }

    /// The last number that is removed together with this one, because a pruned range is removed as a whole.
    fileprivate func endOfCompaction(_ sequence: Int64) throws -> Int64 {
        guard let pruned = try prunedRow(after: sequence), pruned.first <= sequence + 1 else { return sequence }
        return pruned.sequence
    }
}
