import Foundation
import RosterStore
import RosterText

/// What an administrator should look at.
package struct Attention: Sendable {
    /// The users without a manager, at most ``most``.
    package let withoutManager: Int
    /// The users without a mail address, at most ``most``.
    package let withoutMail: Int
    /// Users with a disabled account to whom others report: at most ``mostNamed`` of the last 1,000 users who were disabled.
    package let disabledManagers: [UserID]
    /// The refused sign-ins of the last 24 hours, among the latest 5,000 entries of the change feed.
    package let refused: Int

    /// The largest number that is counted.
    package static let most = 1_000
    package static let mostNamed = 50
    /// The entries of the change feed that one look reads.
    fileprivate static let entries: Int64 = 5_000
}

extension TransactionFeed {
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
            withoutManager: try count(AttentionStatements.withoutManager, [most]),
            withoutMail: try count(AttentionStatements.withoutMail, [most, .text(UserKeys.noEmails)]),
            disabledManagers: try transaction.connection.all(
                AttentionStatements.disabledManagers,
                [.integer(Int64(Attention.most)), .integer(Int64(Attention.mostNamed + 1))]
            ) { UserID(rawValue: $0.integer(0)) },
            refused: try count(
                AttentionStatements.refused, [.integer(try lastSequence() - Attention.entries), .integer(day)]))
    }
}

/// A user who is new, or whose manager, title or department has changed.
package struct PersonNews: Sendable {
    /// The user as the caller may read the user at present.
    package let user: User
    /// The latest change; ``Change/Kind/created`` for a new user.
    package let change: Change
}

extension TransactionFeed {
    /// The attributes whose change means that somebody has moved.
    private static let moves: Set<AttributeName> = ["manager", "title", "department"]
    private static let rowsOfNews = 200

    /// The users who are new, or have moved, as far as the caller may read it, latest first. A user who is changed within an hour after
    /// the creation is new. Cost: reads at most 200 of the latest 5,000
    /// entries of the change feed.
    package func news(limit: Int) throws -> [PersonNews] {
        var reader = ChangeReader(transaction, since: 0, limit: Self.rowsOfNews)
        try transaction.connection.forEach(
            AttentionStatements.people,
            [.integer(try lastSequence() - Attention.entries), .integer(Int64(Self.rowsOfNews))]
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
