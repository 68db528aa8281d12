import Foundation
import RosterStore
import RosterText

/// The reporting lines in a transaction.
package struct TransactionLines {
    package let transaction: Transaction
}

extension TransactionLines {
    /// - Parameter limit: The size of a page; nil for all.
    func checkPage(_ limit: Int?, offset: Int = 0) throws {
        let size = limit ?? DirectoryLimits.maximumPageSize
        guard (1...DirectoryLimits.maximumPageSize).contains(size), offset >= 0 else {
            throw DirectoryError(
                .invalidPage, "A page of \(size) from \(offset) is not possible.",
                advice: "Ask for 1 to \(DirectoryLimits.maximumPageSize), from 0 up.")
        }
    }

    private func levels(_ levels: Int?) throws -> Int64 {
        guard let levels else { return Int64(Int32.max) }
        guard levels >= 1 else {
            throw DirectoryError(
                .invalidPage, "\(levels) levels are not possible.",
                advice: "Ask for 1 or more, or leave it out for all.")
        }
        return Int64(min(levels, Int(Int32.max)))
    }

    private func users(_ sql: SQL, _ bindings: [Binding], _ selection: Selection) throws -> [User] {
        var users = try transaction.connection.all(sql, bindings) {
            try User($0, view: transaction.view, isListed: true)
        }
        try transaction.users.present(&users, selection)
        return users
    }

    /// Decodes a row as an element of a list.
    func listed(_ row: borrowing Row, _ selection: Selection) throws -> User {
        var user = try User(row, view: transaction.view, isListed: true)
        try transaction.users.present(&user, selection)
        return user
    }

    func manager(of reference: UserReference, _ attributes: AttributeSelection) throws -> User? {
        guard let manager = try transaction.users.stored(reference).managerID else { return nil }
        return try transaction.users.user(.id(manager), attributes)
    }

    /// The direct reportees of a user.
    package func reportees(
        of reference: UserReference, _ attributes: AttributeSelection, limit: Int?, after last: UserID?
    )
        throws
        -> [User]
    {
        try checkPage(limit)
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        if case .id(let id) = reference {
            // A user with reportees exists, so that no further check is needed.
            let found = try reportees(of: id, selection, limit: limit, after: last)
            if !found.isEmpty { return found }
        }
        return try reportees(of: transaction.users.id(of: reference), selection, limit: limit, after: last)
    }

    func reportees(of manager: UserID, _ selection: Selection, limit: Int?, after last: UserID?) throws -> [User] {
        // A reading program finds reportees by a search for their manager, because a search obeys the narrow view.
        guard transaction.narrowView == nil else { return [] }
        return try users(
            ReportingStatements.reportees,
            [.integer(manager.rawValue), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))], selection)
    }

    func withoutManager(_ attributes: AttributeSelection, limit: Int?, after last: UserID?) throws -> [User] {
        try checkPage(limit)
        return try users(
            ReportingStatements.top, [.integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))],
            Selection(attributes, of: .user, transaction.vocabulary))
    }

    /// The managers above a user, up to the top.
    package func chain(of reference: UserReference, _ attributes: AttributeSelection, levels: Int?, upTo end: ChainEnd?)
        throws
        -> [User]
    {
        let bindings: [Binding] = [
            .integer(try transaction.users.id(of: reference).rawValue), .integer(try self.levels(levels)),
        ]
        let chain = try users(
            ReportingStatements.chain, bindings, Selection(attributes, of: .user, transaction.vocabulary))
        let last: Int?
        switch end {
        case nil: return chain
        case .user(let user)?:
            let id = try transaction.users.id(of: user)
            last = chain.firstIndex { $0.id == id }
        case .title(let title)?:
            // The requested attributes may not include the title.
            let key = FoldedText.of(title)
            last = try chain.firstIndex { user in
                try transaction.users.stored(.id(user.id)).title.map(FoldedText.of) == key
            }
        }
        return last.map { Array(chain[...$0]) } ?? chain
    }

    /// The number of managers whose reportees one statement reads, so that a page reads few more than it shows.
    private static let managersAtOnce = 256
    /// The number of users that one statement reads.
    private static let usersAtOnce = 1_000

    /// Everyone below a user, nearest level first. The users of a level come in the order of their managers, and those of one manager in
    /// the order of creation, so that a page far down need not put a whole level in order.
    package func below(
        _ reference: UserReference, _ attributes: AttributeSelection, levels: Int?, limit: Int?, offset: Int
    )
        throws
        -> [Subordinate]
    {
        try checkPage(limit, offset: offset)
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        // A user with reportees exists, so that only others are looked up.
        let top: UserID = if case .id(let id) = reference { id } else { try transaction.users.id(of: reference) }
        let places = try placesBelow(top, levels: self.levels(levels), limit: limit, offset: offset)
        if places.isEmpty, case .id = reference { _ = try transaction.users.id(of: reference) }
        var found: [Subordinate] = []
        found.reserveCapacity(places.count)
        for start in stride(from: 0, to: places.count, by: Self.usersAtOnce) {
            let part = places[start..<min(start + Self.usersAtOnce, places.count)]
            let users = Dictionary(
                try users(ReportingStatements.records, [transaction.connection.array(part.map(\.id))], selection)
                    .map { ($0.id.rawValue, $0) }
            ) { $1 }
            for place in part {
                if let user = users[place.id] { found.append(Subordinate(user: user, depth: place.depth)) }
            }
        }
        return found
    }

    /// The identifiers and depths of a page of the users below a user. Reads an index, and no record.
    private func placesBelow(
        _ top: UserID, levels: Int64, limit: Int?, offset: Int
    ) throws -> [(id: Int64, depth: Int)] {
        var found: [(id: Int64, depth: Int)] = []
        var skipped = 0
        var managers = [top.rawValue]
        // The reporting lines of a damaged directory can form a cycle, so each user is visited once.
        var seen: Set<Int64> = [top.rawValue]
        var depth = 1
        while depth <= levels, !managers.isEmpty {
            var next: [Int64] = []
            for start in stride(from: 0, to: managers.count, by: Self.managersAtOnce) {
                let list = transaction.connection.array(
                    Array(managers[start..<min(start + Self.managersAtOnce, managers.count)]))
                // One more for a user who was seen before, in a cycle.
                let wanted = limit.map { limit in (offset - skipped).addingReportingOverflow(limit - found.count + 1) }
                let most = wanted.flatMap { $0.overflow ? nil : Int64($0.partialValue) } ?? .max
                let ids = try transaction.connection.all(
                    ReportingStatements.reporteesOfSeveral, [list, .integer(most)]
                ) {
                    $0.integer(0)
                }
                for id in ids where seen.insert(id).inserted {
                    next.append(id)
                    if skipped < offset {
                        skipped += 1
                        continue
                    }
                    found.append((id, depth))
                    if found.count == limit { return found }
                }
            }
            managers = next
            depth += 1
        }
        return found
    }

    func reporteeCounts(of reference: UserReference) throws -> (direct: Int, all: Int) {
        let id = Binding.integer(try transaction.users.id(of: reference).rawValue)
        let direct = try transaction.connection.first(ReportingStatements.reporteeCount, [id]) { Int($0.integer(0)) }
        let all = try transaction.connection.first(ReportingStatements.belowCount, [id]) { Int($0.integer(0)) }
        return (direct ?? 0, all ?? 0)
    }

    func lowestCommonManager(of references: [UserReference]) throws -> User? {
        let found = try transaction.references.ids(of: references)
        let users = try references.map { reference in
            guard let id = found[reference] else { throw transaction.users.noSuch(reference) }
            return id.rawValue
        }
        guard let first = users.first else { return nil }
        // One statement reads the managers of all users above these users, each once.
        let managers = Dictionary(
            try transaction.connection.all(ReportingStatements.managersAbove, [transaction.connection.array(users)]) {
                ($0.integer(0), $0.integer(1))
            }
        ) { $1 }
        var chain = [first]
        var places = [first: 0]
        while let next = managers[chain[chain.count - 1]], places[next] == nil {
            places[next] = chain.count
            chain.append(next)
        }
        var lowest = 0
        for user in users.dropFirst() {
            var (current, passed) = (user, [user])
            while places[current] == nil {
                // The line of this user ends without meeting the chain of the first user. In a damaged database, it can be a cycle.
                guard let next = managers[current], passed.count <= managers.count else { return nil }
                current = next
                passed.append(current)
            }
            guard let place = places[current] else { return nil }
            // All users on this line meet the chain at the same place, so the place is stored for each of them.
            for user in passed { places[user] = place }
            lowest = max(lowest, place)
        }
        return try transaction.users.user(.id(UserID(rawValue: chain[lowest])))
    }

    /// Whether a user is below another one.
    func isBelow(_ user: UserReference, _ manager: UserReference) throws -> Bool {
        let bindings: [Binding] = [
            .integer(try transaction.users.id(of: user).rawValue),
            .integer(try transaction.users.id(of: manager).rawValue),
        ]
        return try transaction.connection.first(ReportingStatements.isBelow, bindings) { _ in true } ?? false
    }

    /// Whether `manager` is `user` or is above `user`.
    func isAbove(_ manager: UserID, _ user: UserID) throws -> Bool {
        let bindings: [Binding] = [.integer(manager.rawValue), .integer(user.rawValue)]
        return try transaction.connection.first(ReportingStatements.isAbove, bindings) { _ in true } ?? false
    }

    /// Whether the caller is, or is above, a user. A read runs ``isAbove(_:_:)`` once for each user at most, and never if nobody reports
    /// to the caller, because each statement costs a round trip to a server.
    func isAboveRemembering(_ caller: UserID, _ user: UserID) throws -> Bool {
        guard let memory = transaction.lineMemory else { return try isAbove(caller, user) }
        if let answer = memory.answers[user] { return answer }
        let hasReportees =
            try memory.hasReportees
            ?? transaction.connection.first(ReportingStatements.hasReportees, [.integer(caller.rawValue)]) { _ in true }
            ?? false
        memory.hasReportees = hasReportees
        let answer = try hasReportees && isAbove(caller, user)
        memory.answers[user] = answer
        return answer
    }

    // MARK: Changing

    /// Sets or clears a user's manager.
    package func setManager(_ manager: UserReference?, of user: UserReference, ifVersion version: Int64?) throws -> User
    {
        let change: AttributeChange =
            if let manager { .set("manager", .string(try transaction.users.id(of: manager).description)) } else {
                .clear("manager")
            }
        return try transaction.users.modify(user, [change], ifVersion: version)
    }

    /// The rows for which a reportee counts who gets another manager.
    private static let rowsOfReportee = 4

    /// Applies the policy to the reportees of a user who is deleted.
    func settleReportees(of user: User, _ policy: ReporteePolicy) throws {
        let size =
            transaction.share == nil ? DirectoryLimits.maximumPageSize : WriterShare.maximum / Self.rowsOfReportee + 1
        let first = try reportees(of: user.id, Selection.everything, limit: size, after: nil)
        guard !first.isEmpty else { return }
        let heir: UserID?
        switch policy {
        case .refuse:
            throw DirectoryError(
                .hasReportees, "\(EntityName.shown(user.uid)) has reportees.",
                advice: "Choose the policy 'reassign' or 'leave' for them.")
        case .reassign: heir = user.managerID
        case .leave: heir = nil
        }
        let manager = [transaction.vocabulary.definition(of: "manager")].compactMap { $0 }
        var page = first
        while !page.isEmpty {
            try transaction.takeShare(rows: page.count * Self.rowsOfReportee)
            for reportee in page {
                // The caller changes the reportee's line, so that the caller needs the same rights as to set the manager.
                try transaction.rights.checkWriting(manager, of: reportee.id, in: transaction)
                let time = transaction.now(notBefore: reportee.modified)
                try transaction.connection.run(
                    ReportingStatements.setManager,
                    [.integer(reportee.id.rawValue), .integer(heir?.rawValue), .integer(time.milliseconds)])
                try transaction.feed.record(
                    .modified, .user, id: reportee.id.rawValue, name: reportee.uid,
                    before: ["manager": .string(user.id.description)],
                    after: heir.map { ["manager": .string($0.description)] } ?? [:], at: time)
            }
            page = try reportees(of: user.id, Selection.everything, limit: size, after: nil)
        }
    }
}

/// The reporting lines that one read has followed to find out whether the caller is above other users.
final class LineMemory {
    /// Whether anybody reports to the caller; nil before the first question.
    var hasReportees: Bool?
    /// Whether the caller is, or is above, each of these users.
    var answers: [UserID: Bool] = [:]
}
