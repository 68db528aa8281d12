import RosterStore
import RosterText

/// The search for people by words, in a transaction.
///
/// The index gives users who may have the words, and each of them is looked at. Users with that name and those of the caller's own
/// department and team are looked at first, because the index gives people in the order of their creation.
struct MatchRun {
    private let transaction: Transaction
    private let limit: Int
    private let own: User?
    private let ownDepartment: [SearchWord]
    private var seen: Set<Int64> = []
    private var found: [(rank: MatchRank, user: User, attributes: [AttributeName])] = []

    /// The most users of a group: those with the name, those of the department, the caller's team.
    private static let (mostNamed, mostNear) = (40, 60)
    /// The users whom the index gives at once, and the most of them all.
    private static let (chunk, most) = (150, 1_500)

    init(_ transaction: Transaction, limit: Int) throws {
        (self.transaction, self.limit) = (transaction, limit)
        var own: User?
        if case .user(let id) = transaction.shared.caller {
            own = try transaction.connection.first(UserStatements.byID, [.integer(id.rawValue)]) {
                try User($0, view: transaction.view, isListed: true)
            }
        }
        self.own = own
        ownDepartment = own?.attributes["department"]?.text.map { SearchWord.words(of: $0) } ?? []
    }

    /// The users who match, the best first, with the attributes that matched.
    func sorted() -> [(user: User, attributes: [AttributeName])] {
        found.sorted { $0.rank < $1.rank }.prefix(limit).map { ($0.user, $0.attributes) }
    }

    var isEmpty: Bool { found.isEmpty }

    mutating func look(for asked: AskedWords) throws {
        seen = []
        try lookAtNames(asked)
        try lookAtTeam(asked)
        if let phone = asked.phone { try lookAtPhones(phone, asked) }
        try look(at: transaction.users.usersWithNewWords(for: asked), asked)
        guard let sample = asked.query(isSampling: true, on: transaction.connection.kind) else { return }
        if let own = departmentQuery { try look(at: words("(\(sample))\(conjunction)\(own)", Self.mostNear), asked) }
        let isComplete = try lookAtWords(sample, asked)
        // Those who have the first three letters were too many, and too few of them have the words.
        guard !isComplete, asked.isCutBySampling, found.count < limit,
            let whole = asked.query(isSampling: false, on: transaction.connection.kind)
        else { return }
        _ = try lookAtWords(whole, asked)
    }

    // MARK: Groups

    private mutating func lookAtNames(_ asked: AskedWords) throws {
        guard let first = asked.words.first else { return }
        // Of several words, the index of words finds those who have all.
        let isOne = asked.words.count == 1
        let isTooShort = asked.query(isSampling: true, on: transaction.connection.kind) == nil
        for form in Set(first.spellings.flatMap(\.forms)) where isOne || isTooShort {
            for column in ["name_key", "given_name_key", "family_name_key"] {
                try look(at: keys(column, from: form, to: form + (isTooShort ? "\u{10FFFF}" : "\u{3}")), asked)
            }
        }
        let full = asked.words.compactMap { $0.spellings.first?.forms.first }.joined(separator: " ")
        for column in ["display_name_key", "common_name_key"] {
            try look(at: keys(column, from: full, to: full + "\u{3}"), asked)
        }
    }

    /// Users whose key of a column begins so.
    private func keys(_ column: String, from start: String, to end: String) throws -> [Int64] {
        guard !start.isEmpty else { return [] }
        var ids: [Int64] = []
        try transaction.connection.forEach(
            dynamic: MatchStatements.inRange(of: column),
            [.text(start), .text(end), .integer(Int64(Self.mostNamed))]
        ) { row in
            ids.append(row.integer(0))
            return true
        }
        return ids
    }

    private mutating func lookAtTeam(_ asked: AskedWords) throws {
        guard let own else { return }
        var ids = own.managerID.map { [$0.rawValue] } ?? []
        for manager in [own.managerID, own.id].compactMap({ $0 }) {
            ids += try transaction.connection.all(
                MatchStatements.reportees, [.integer(manager.rawValue), .integer(Int64(Self.mostNear))]
            ) { $0.integer(0) }
        }
        try look(at: ids, asked)
    }

    private mutating func lookAtPhones(_ phone: String, _ asked: AskedWords) throws {
        let (statement, bindings) = MatchStatements.byPhone(phone, on: transaction.connection.kind)
        var ids: [Int64] = []
        try transaction.connection.forEach(dynamic: statement, bindings + [.integer(Int64(Self.chunk))]) { row in
            ids.append(row.integer(0))
            return true
        }
        try look(at: ids, asked)
    }

    private var departmentQuery: String? {
        guard !ownDepartment.isEmpty else { return nil }
        let terms = Set(ownDepartment.flatMap(\.terms)).sorted()
        return transaction.connection.kind == .sqlite
            ? terms.map { "\"\($0)\"" }.joined(separator: " AND ")
            : terms.map { "'\($0)'" }.joined(separator: " & ")
    }

    private var conjunction: String { transaction.connection.kind == .sqlite ? " AND " : " & " }

    private func words(_ query: String, _ count: Int, after last: Int64 = 0) throws -> [Int64] {
        try transaction.connection.all(
            MatchStatements.byWords, [.text(query), .integer(last), .integer(Int64(count))]
        ) { $0.integer(0) }
    }

    /// - Returns: Whether everybody was looked at whom the index finds.
    private mutating func lookAtWords(_ query: String, _ asked: AskedWords) throws -> Bool {
        var (last, count) = (Int64(0), 0)
        repeat {
            let ids = try words(query, Self.chunk, after: last)
            try look(at: ids, asked)
            guard ids.count == Self.chunk, let end = ids.last else { return true }
            (last, count) = (end, count + ids.count)
        } while found.count < limit && count < Self.most
        return false
    }

    // MARK: Users

    private mutating func look(at ids: [Int64], _ asked: AskedWords) throws {
        let new = ids.filter { seen.insert($0).inserted }
        guard !new.isEmpty else { return }
        for user in try users(new) {
            // A user's own values can be long.
            try transaction.connection.checkGoesOn()
            var readable = user
            try transaction.users.present(&readable, .everything)
            let text = MatchedText(readable)
            guard let attributes = text.match(asked) else { continue }
            let rank = MatchRank(text, asked, by: attributes, isNear: isNear(text))
            found.append((rank, user, attributes))
        }
    }

    private func users(_ ids: [Int64]) throws -> [User] {
        let (connection, view) = (transaction.connection, transaction.view)
        if connection.kind == .postgreSQL {
            return try connection.all(ArrayStatements.users, [connection.array(ids)]) {
                try User($0, view: view, isListed: true)
            }
        }
        return try ids.compactMap { id in
            try connection.first(UserStatements.byID, [.integer(id)]) { try User($0, view: view, isListed: true) }
        }
    }

    private func isNear(_ text: MatchedText) -> Bool {
        guard let own, text.user.id != own.id else { return false }
        if text.user.managerID == own.id || text.user.id == own.managerID { return true }
        if let manager = own.managerID, text.user.managerID == manager { return true }
        guard let department = text.user.attributes["department"]?.text else { return false }
        return !ownDepartment.isEmpty && SearchWord.words(of: department) == ownDepartment
    }
}
