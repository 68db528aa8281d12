import RosterStore

/// A part of the change feed, newest first.
package struct LatestChanges: Sendable {
    package let changes: [Change]
    /// The entries before this number are still to be searched; nil if there are none.
    package let next: Int64?
}

extension TransactionFeed {
    /// The numbers of entries that one page searches, so that its cost does not grow with the feed.
    private static let searched: Int64 = 20_000

    /// The latest entries of the change feed that a filter selects, newest first. A page can have fewer entries than `limit`
    /// although there are more.
    ///
    /// - Parameter before: The number before which entries are searched; nil for the end of the feed.
    /// - Throws: `notPermitted` for everybody but administrators.
    package func latestChanges(_ filter: ChangeFilter, before: Int64?, limit: Int) throws -> LatestChanges {
        try transaction.checkAdministrator(to: "read all changes")
        let last = try lastSequence()
        let end = min(before ?? .max, last &+ 1)
        // The entries of a batch are found by an index.
        let start = filter.batch == nil ? max(end &- Self.searched, 1) : 1
        let id = filter.subject.flatMap { UserID($0)?.rawValue }
        let changes = try transaction.connection.all(
            filter.batch == nil ? ChangeStatements.latest : ChangeStatements.latestOfBatch,
            [
                .integer(end), .integer(start), .integer(filter.kind?.rawValue), .integer(filter.entity?.rawValue),
                .text(filter.subject), .integer(id), .text(filter.actor), .integer(Int64(limit)),
            ] + (filter.batch.map { [.integer($0)] } ?? [])
        ) { try Change($0) }
        let next = changes.count == limit ? changes.last?.sequence : start
        return LatestChanges(changes: changes, next: next.flatMap { $0 > 1 ? $0 : nil })
    }
}
