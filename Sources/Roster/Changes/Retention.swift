import Foundation
import RosterStore
import RosterText

/// For how long the change feed keeps what it tells. Kept in the directory itself.
public struct Retention: Sendable, Hashable {
    /// For how many days changes to users, roles, attributes and backends are kept; nil for ever.
    public var changes: Int?
    /// For how many days sign-ins, refusals, grants, exchanges and revocations are kept; nil for ever.
    public var signIns: Int?

    /// Says for how long the change feed keeps its entries.
    ///
    /// - Parameters:
    ///   - changes: Days, from 1; nil for ever.
    ///   - signIns: Days, from 1; nil for ever.
    public init(changes: Int? = nil, signIns: Int? = 180) {
        self.changes = changes
        self.signIns = signIns
    }

    /// The most days that can be set: a thousand years.
    static let maximumDays = 365_250
}

extension ChangeFeed {
    /// For how long the feed keeps its entries: unless it was set, changes for ever and sign-ins for 180 days.
    public func retention() throws -> Retention { try view.read { try $0.retention() } }
    /// For how long the feed keeps its entries.
    public func retention() async throws -> Retention { try await view.awaitRead { try $0.retention() } }

    /// Sets for how long the feed keeps its entries. ``prune()-(_)`` takes out what is older.
    ///
    /// - Throws: `limitExceeded` for less than a day or more than 365,250 days; `notPermitted` for all but
    ///   administrators.
    public func setRetention(_ retention: Retention) throws { try view.write { try $0.setRetention(retention) } }
    /// Sets for how long the feed keeps its entries, as the synchronous form does.
    public func setRetention(_ retention: Retention) async throws {
        try await view.awaitWrite { try $0.setRetention(retention) }
    }

    /// Takes the entries out of the feed that are older than its retention. Numbers stay without gaps: what is gone at
    /// the beginning is refused with `changesCompacted`, and what is gone in the middle is told by one entry of the kind
    /// ``Change/Kind/pruned``. A server does this every ten minutes.
    ///
    /// - Returns: How many entries were taken out.
    @discardableResult
    public func prune() throws -> Int {
        var count = 0
        while true {
            let step = try view.write { try $0.pruneChanges() }
            count += step.count
            if step.isLast { return count }
        }
    }

    /// Takes old entries out of the feed, as the synchronous form does.
    @discardableResult
    public func prune() async throws -> Int {
        var count = 0
        while true {
            let step = try await view.awaitWrite { try $0.pruneChanges() }
            count += step.count
            if step.isLast { return count }
        }
    }
}

/// A row of the feed as pruning sees it.
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

extension Transaction {
    func retention() throws -> Retention {
        try rights.checkAdministrator(to: "read how long changes are kept")
        return try storedRetention()
    }

    private func storedRetention() throws -> Retention {
        try connection.first(ChangeStatements.retention) { row in
            Retention(
                changes: row.optionalInteger(0).map { Int($0) }, signIns: row.optionalInteger(1).map { Int($0) })
        } ?? Retention()
    }

    func setRetention(_ retention: Retention) throws {
        try checkPresentAdministrator(to: "set how long changes are kept")
        for days in [retention.changes, retention.signIns] {
            guard days.map((1...Retention.maximumDays).contains) ?? true else {
                throw DirectoryError(
                    .limitExceeded, "The change feed is kept for 1 to \(Retention.maximumDays) days, or for ever.",
                    advice: "Choose a number of days in between, or none.")
            }
        }
        try connection.run(
            ChangeStatements.setRetention,
            [.integer(retention.changes.map { Int64($0) }), .integer(retention.signIns.map { Int64($0) })])
    }

    /// How many rows one transaction looks at, so that other changes do not wait for long.
    private static let pruningBatch: Int64 = 1_000

    /// Prunes a part of what is old enough.
    fileprivate func pruneChanges() throws -> (count: Int, isLast: Bool) {
        try rights.checkAdministrator(to: "prune the changes")
        let retention = try storedRetention()
        let now = now().milliseconds
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
        let marks = try connection.first(ChangeStatements.prunedMarks) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        let mark = signIns ? marks.1 : marks.0
        let rows = try connection.all(
            ChangeStatements.prunable, [.integer(mark), .integer(Self.pruningBatch)]
        ) { PrunableRow($0) }
        // Times follow the numbers, but for jumps of the clock: what comes after a younger entry waits for that one.
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
            try connection.run(
                ChangeStatements.setPrunedMarks,
                [.integer(signIns ? marks.0 : last.sequence), .integer(signIns ? last.sequence : marks.1)])
        }
        return (count, old.count < rows.count || rows.count < Self.pruningBatch)
    }

    /// Deletes a run of entries and leaves one that tells so, or moves the beginning of the feed.
    ///
    /// - Parameter time: When the last entry of the run was made.
    private func takeOut(_ run: ClosedRange<Int64>, last time: Int64) throws {
        var (first, last, time) = (run.lowerBound, run.upperBound, time)
        try connection.run(ChangeStatements.deleteRange, [.integer(first), .integer(last)])
        if let before = try connection.first(ChangeStatements.rowBefore, [.integer(first)], { PrunableRow($0) }),
            before.kind == .pruned, before.sequence + 1 == first
        {
            first = before.first
            try connection.run(ChangeStatements.deleteRange, [.integer(before.sequence), .integer(before.sequence)])
        }
        if let after = try prunedRow(after: last), after.first == last + 1 {
            (last, time) = (after.sequence, after.time)
            try connection.run(ChangeStatements.deleteRange, [.integer(last), .integer(last)])
        }
        if first <= (try connection.first(ChangeStatements.compacted) { $0.integer(0) } ?? 0) + 1 {
            return try connection.run(ChangeStatements.setCompacted, [.integer(last)])
        }
        try connection.run(
            ChangeStatements.insert,
            [
                .integer(last), .integer(time), .text("retention"), .integer(Change.Kind.pruned.rawValue),
                .integer(Change.Entity.feed.rawValue), .integer(first), .text(""), .null, .null,
            ])
    }

    /// The next entry, where it tells of numbers that were pruned.
    private func prunedRow(after sequence: Int64) throws -> PrunableRow? {
        let row = try connection.first(ChangeStatements.prunable, [.integer(sequence), .integer(1)]) { PrunableRow($0) }
        return row?.kind == .pruned ? row : nil
    }

    /// The last number that goes with the one up to which the feed is compacted: a pruned range goes as a whole.
    func endOfCompaction(_ sequence: Int64) throws -> Int64 {
        guard let pruned = try prunedRow(after: sequence), pruned.first <= sequence + 1 else { return sequence }
        return pruned.sequence
    }
}
