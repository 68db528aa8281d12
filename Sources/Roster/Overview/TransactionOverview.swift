import Foundation
import RosterStore
import RosterText

/// The overview of the directory in a transaction: the matters that need attention, and the news of people.
package struct TransactionOverview {
    package let transaction: Transaction

    /// The entries of the change feed that one look reads.
    private static let entries: Int64 = 5_000
    /// The attributes whose change means that somebody has moved.
    private static let moves: Set<AttributeName> = ["manager", "title", "department"]
    private static let rowsOfNews = 200

    /// Finds what an administrator should look at. Cost: at most some thousand entries of indexes, whatever the size of the directory.
    ///
    /// - Throws: `notPermitted` for everybody but administrators.
    package func attention() throws -> Attention {
        try transaction.checkAdministrator(to: "see what needs attention")
        let most = Binding.integer(Int64(Attention.most + 1))
        func count(_ statement: SQL, _ bindings: [Binding]) throws -> Int {
            Int(try transaction.connection.first(statement, bindings) { $0.integer(0) } ?? 0)
        }
        let day = transaction.now().milliseconds - 86_400_000
        return Attention(
            withoutManager: try count(OverviewStatements.withoutManager, [most]),
            withoutMail: try count(OverviewStatements.withoutMail, [most, .text(UserKeys.noEmails)]),
            disabledManagers: try transaction.connection.all(
                OverviewStatements.disabledManagers,
                [.integer(Int64(Attention.most)), .integer(Int64(Attention.mostNamed + 1))]
            ) { UserID(rawValue: $0.integer(0)) },
            refused: try count(
                OverviewStatements.refused,
                [.integer(try transaction.feed.lastSequence() - Self.entries), .integer(day)]))
    }

    /// The users who are new, or have moved, as far as the caller may read it, latest first. A user who is changed within an hour after
    /// the creation is new. Cost: reads at most 200 of the latest 5,000
    /// entries of the change feed.
    package func news(limit: Int) throws -> [PersonNews] {
        var reader = ChangeReader(transaction, since: 0, limit: Self.rowsOfNews)
        try transaction.connection.forEach(
            OverviewStatements.people,
            [.integer(try transaction.feed.lastSequence() - Self.entries), .integer(Int64(Self.rowsOfNews))]
        ) { try reader.read($0) }
        var order: [String] = []
        var latest: [String: Change] = [:]
        for change in reader.page.changes {
            let isNew = change.kind == .created
            let names = Set(change.before.map(\.name) + change.after.map(\.name))
            guard isNew || !names.isDisjoint(with: Self.moves) else { continue }
            if let later = latest[change.subjectID] {
                // An import gives a new user a manager after the creation.
                if isNew, later.time.timeIntervalSince(change.time) < 3_600 { latest[change.subjectID] = change }
            } else {
                order.append(change.subjectID)
                latest[change.subjectID] = change
            }
        }
        var news: [PersonNews] = []
        for id in order where news.count < limit {
            guard let change = latest[id], let subject = UserID(id),
                let user = try transaction.users.found(.id(subject), .usual, [])
            else { continue }
            news.append(PersonNews(user: user, change: change))
        }
        return news
    }
}
