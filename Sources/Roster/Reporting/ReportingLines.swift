import Foundation
import RosterStore
import RosterText

extension Transaction {
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
        try connection.all(sql, bindings) { row in
            var user = try User(row, view: view, isListed: true)
            try present(&user, selection)
            return user
        }
    }

    func manager(of reference: UserReference, _ attributes: AttributeSelection) throws -> User? {
        guard let manager = try stored(reference).managerID else { return nil }
        return try user(.id(manager), attributes)
    }

    /// The direct reportees of a user.
    package func reportees(
        of reference: UserReference, _ attributes: AttributeSelection, limit: Int?, after last: UserID?
    )
        throws
        -> [User]
    {
        try checkPage(limit)
        let selection = try Selection(attributes, of: .user, vocabulary)
        if case .id(let id) = reference {
            // A user with reportees exists, so that no further check is needed.
            let found = try reportees(of: id, selection, limit: limit, after: last)
            if !found.isEmpty { return found }
        }
        return try reportees(of: id(of: reference), selection, limit: limit, after: last)
    }

    func reportees(of manager: UserID, _ selection: Selection, limit: Int?, after last: UserID?) throws -> [User] {
        try users(
            ReportingStatements.reportees,
            [.integer(manager.rawValue), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))], selection)
    }

    func withoutManager(_ attributes: AttributeSelection, limit: Int?, after last: UserID?) throws -> [User] {
        try checkPage(limit)
        return try users(
            ReportingStatements.top, [.integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))],
            Selection(attributes, of: .user, vocabulary))
    }

    /// The managers above a user, up to the top.
    package func chain(of reference: UserReference, _ attributes: AttributeSelection, levels: Int?, upTo end: ChainEnd?)
        throws
        -> [User]
    {
        let bindings: [Binding] = [.integer(try id(of: reference).rawValue), .integer(try self.levels(levels))]
        let chain = try users(ReportingStatements.chain, bindings, Selection(attributes, of: .user, vocabulary))
        let last: Int?
        switch end {
        case nil: return chain
        case .user(let user)?:
            let id = try id(of: user)
            last = chain.firstIndex { $0.id == id }
        case .title(let title)?:
            // The requested attributes may not include the title.
            let key = FoldedText.of(title)
            last = try chain.firstIndex { user in
                try stored(.id(user.id)).title.map(FoldedText.of) == key
            }
        }
        return last.map { Array(chain[...$0]) } ?? chain
    }

    /// Everyone below a user, nearest level first.
    package func below(
        _ reference: UserReference, _ attributes: AttributeSelection, levels: Int?, limit: Int?, offset: Int
    )
        throws
        -> [Subordinate]
    {
        try checkPage(limit, offset: offset)
        let selection = try Selection(attributes, of: .user, vocabulary)
        if connection.engine == .postgreSQL {
            return try belowByLevels(reference, selection, self.levels(levels), limit ?? .max, offset)
        }
        let bindings: [Binding] = [
            .integer(try id(of: reference).rawValue), .integer(try self.levels(levels)), .integer(Int64(limit ?? .max)),
            .integer(Int64(offset)),
        ]
        return try connection.all(ReportingStatements.below, bindings) { try subordinate($0, selection, $0.integer(8)) }
    }

    private func subordinate(_ row: borrowing Row, _ selection: Selection, _ depth: Int64) throws -> Subordinate {
        var user = try User(row, view: view, isListed: true)
        try present(&user, selection)
        return Subordinate(user: user, depth: Int(depth))
    }

    /// Reads one level after the other, because PostgreSQL's recursive queries find everyone before they answer anyone.
    private func belowByLevels(
        _ reference: UserReference, _ selection: Selection, _ levels: Int64, _ limit: Int, _ offset: Int
    ) throws -> [Subordinate] {
        // A user with reportees exists, so that only others are looked up.
        let top: UserID = if case .id(let id) = reference { id } else { try id(of: reference) }
        var found: [Subordinate] = []
        var toSkip = offset
        var managers = [top.rawValue]
        // The reporting lines of a damaged database can form a cycle, so each user is visited once.
        var seen: Set<Int64> = [top.rawValue]
        var depth: Int64 = 1
        while depth <= levels, !managers.isEmpty, found.count < limit {
            let list = Binding.array(managers)
            managers = []
            if toSkip > 0 {
                managers = try connection.all(ArrayStatements.reporteeIDs, [list]) { $0.integer(0) }
            }
            if toSkip == 0 || toSkip < managers.count {
                let wanted: Int64 = limit == .max ? .max : Int64(limit - found.count)
                try connection.forEach(ArrayStatements.reportees, [list, .integer(wanted), .integer(Int64(toSkip))]) {
                    let next = try subordinate($0, selection, depth)
                    if toSkip == 0 { managers.append(next.user.id.rawValue) }
                    if !seen.contains(next.user.id.rawValue) { found.append(next) }
                }
                toSkip = 0
            } else {
                toSkip -= managers.count
            }
            managers = managers.filter { seen.insert($0).inserted }
            depth += 1
        }
        if found.isEmpty, case .id = reference { _ = try id(of: reference) }
        return found
    }

    func reporteeCounts(of reference: UserReference) throws -> (direct: Int, all: Int) {
        let id = Binding.integer(try id(of: reference).rawValue)
        let direct = try connection.first(ReportingStatements.reporteeCount, [id]) { Int($0.integer(0)) }
        let all = try connection.first(ReportingStatements.belowCount, [id]) { Int($0.integer(0)) }
        return (direct ?? 0, all ?? 0)
    }

    func lowestCommonManager(of references: [UserReference]) throws -> User? {
        let found = try findIDs(of: references)
        let users = try references.map { reference in
            guard let id = found[reference] else { throw noSuch(reference) }
            return id.rawValue
        }
        guard let first = users.first else { return nil }
        // One statement reads the managers of all users above these users, each once.
        let managers = Dictionary(
            try connection.all(ReportingStatements.managersAbove, [connection.array(users)]) {
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
        return try user(.id(UserID(rawValue: chain[lowest])))
    }

    /// Whether `manager` is `user` or is above `user`.
    func isAbove(_ manager: UserID, _ user: UserID) throws -> Bool {
        let bindings: [Binding] = [.integer(manager.rawValue), .integer(user.rawValue)]
        return try connection.first(ReportingStatements.isAbove, bindings) { _ in true } ?? false
    }

    /// Whether the caller is, or is above, a user. A read runs ``isAbove(_:_:)`` once for each user at most, and never if nobody reports
    /// to the caller, because each statement costs a round trip to a server.
    func isAboveRemembering(_ caller: UserID, _ user: UserID) throws -> Bool {
        guard let lines else { return try isAbove(caller, user) }
        if let answer = lines.answers[user] { return answer }
        let hasReportees =
            try lines.hasReportees
            ?? connection.first(ReportingStatements.hasReportees, [.integer(caller.rawValue)]) { _ in true } ?? false
        lines.hasReportees = hasReportees
        let answer = try hasReportees && isAbove(caller, user)
        lines.answers[user] = answer
        return answer
    }

    // MARK: Changing

    /// Sets or clears a user's manager.
    package func setManager(_ manager: UserReference?, of user: UserReference, ifVersion version: Int64?) throws -> User
    {
        let change: AttributeChange =
            if let manager { .set("manager", .string(try id(of: manager).description)) } else { .clear("manager") }
        return try modify(user, [change], ifVersion: version)
    }

    /// Refuses a reporting line that closes a cycle. Runs in the transaction that stores the line, so that two
    /// concurrent changes cannot close a cycle together.
    func checkManager(_ manager: UserID, of user: UserID, _ name: String) throws {
        guard try isAbove(user, manager) else { return }
        throw DirectoryError(
            .circle, "\(EntityName.shown(name)) cannot report to somebody who reports to them.",
            advice: manager == user ? "Choose another manager." : "Move that person first.", attribute: "manager")
    }

    /// The rows for which a reportee counts who gets another manager.
    private static let rowsOfReportee = 4

    /// Applies the policy to the reportees of a user who is deleted.
    func settleReportees(of user: User, _ policy: ReporteePolicy) throws {
        let size = share == nil ? DirectoryLimits.maximumPageSize : WriterShare.maximum / Self.rowsOfReportee + 1
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
        let manager = [vocabulary.definition(of: "manager")].compactMap { $0 }
        var page = first
        while !page.isEmpty {
            try takeShare(rows: page.count * Self.rowsOfReportee)
            for reportee in page {
                // The caller changes the reportee's line, so that the caller needs the same rights as to set the manager.
                try rights.checkWriting(manager, of: reportee.id, in: self)
                let time = now(notBefore: reportee.modified)
                try connection.run(
                    ReportingStatements.setManager,
                    [.integer(reportee.id.rawValue), .integer(heir?.rawValue), .integer(time.milliseconds)])
                try record(
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
