import RosterStore

/// A user in a walk down reporting lines.
package struct ReportingStep: Sendable {
    package let user: User
    /// How many levels the user is below the first one.
    package let depth: Int
    /// Whether the walk comes to no further reportee of the same manager.
    package let isLast: Bool
    /// The number of users below the user whom the walk leaves out, because they are too deep.
    package let hidden: Int
}

/// Walks down reporting lines: each user before the user's reportees. Reads ahead in sets, so that a server is not asked for each user,
/// and forgets what it has passed, so that memory does not grow with the directory.
struct ReportingWalk {
    /// Reportees of a manager that are not visited yet.
    private struct Group {
        /// The manager; nil for the users without one.
        let manager: UserID?
        var users: [User] = []
        /// Whether the manager may have further reportees after these.
        var mayGoOn = false
        var next = 0
    }

    private static let pageSize = 1_000
    /// The number of managers whose reportees are read together.
    private static let managersAtOnce = 256
    /// The number of users after which no further level is read ahead.
    private static let enoughAhead = 500

    private let transaction: Transaction
    private let selection: Selection
    private let attributes: AttributeSelection
    private let levels: Int
    private let body: (ReportingStep) throws -> Void
    /// What was read ahead, by the manager.
    private var ahead: [Int64: Group] = [:]

    /// - Parameter levels: The number of levels below the first users; nil for all.
    init(
        _ transaction: Transaction, _ attributes: AttributeSelection, levels: Int?,
        _ body: @escaping (ReportingStep) throws -> Void
    ) throws {
        self.transaction = transaction
        self.attributes = attributes
        selection = try Selection(attributes, of: .user, transaction.vocabulary)
        self.levels = levels ?? .max
        self.body = body
    }

    /// Walks from a user down, or from all users without a manager.
    mutating func run(from start: UserReference?) throws {
        let first: Group
        if let start {
            first = Group(manager: nil, users: [try transaction.users.user(start, attributes)])
        } else {
            first = try page(of: nil, after: nil)
        }
        var open = [first]
        while var group = open.popLast() {
            guard group.next < group.users.count else { continue }
            let user = group.users[group.next]
            group.next += 1
            if group.next == group.users.count, group.mayGoOn {
                group = try page(of: group.manager, after: user.id)
            }
            let isLast = group.next == group.users.count
            let depth = open.count
            open.append(group)
            let reportees = try reportees(of: user, before: open)
            // A damaged directory can have a cycle, in which the first user comes again.
            let isRepeated = depth > 0 && user.id == first.users.first?.id && start != nil
            let isCut = depth >= levels && !reportees.users.isEmpty
            let hidden = isCut ? try transaction.lines.reporteeCounts(of: .id(user.id)).all : 0
            try body(ReportingStep(user: user, depth: depth, isLast: isLast, hidden: hidden))
            if !isCut, !isRepeated { open.append(reportees) }
        }
    }

    /// The next reportees of a manager.
    private func page(of manager: UserID?, after last: UserID?) throws -> Group {
        let users =
            if let manager {
                try transaction.lines.reportees(of: manager, selection, limit: Self.pageSize, after: last)
            } else {
                try transaction.lines.withoutManager(attributes, limit: Self.pageSize, after: last)
            }
        return Group(manager: manager, users: users, mayGoOn: users.count == Self.pageSize)
    }

    /// The reportees of a user.
    ///
    /// - Parameter open: The groups whose users come next, the last group first.
    private mutating func reportees(of user: User, before open: [Group]) throws -> Group {
        if let known = ahead.removeValue(forKey: user.id.rawValue) { return known }
        var managers = [(user.id.rawValue, depth: open.count - 1)]
        for (depth, group) in open.enumerated().reversed() {
            addUnread(group.users[group.next...], depth, to: &managers)
        }
        try readAhead(managers)
        return ahead.removeValue(forKey: user.id.rawValue) ?? Group(manager: user.id)
    }

    /// Collects managers whose reportees the walk needs next and has not read yet, in the order of the walk.
    private func addUnread(_ users: ArraySlice<User>, _ depth: Int, to managers: inout [(Int64, depth: Int)]) {
        guard depth <= levels else { return }
        for user in users {
            guard managers.count < Self.managersAtOnce else { return }
            if let known = ahead[user.id.rawValue] {
                addUnread(known.users[...], depth + 1, to: &managers)
            } else {
                managers.append((user.id.rawValue, depth))
            }
        }
    }

    /// Reads the reportees of several managers, and the levels below while they are small and are walked through.
    private mutating func readAhead(_ list: [(Int64, depth: Int)]) throws {
        var managers = list
        var count = 0
        while !managers.isEmpty, count < Self.enoughAhead {
            let part = managers.prefix(Self.pageSize)
            let users = try transaction.connection.all(
                ReportingStatements.recordsOfReportees,
                [transaction.connection.array(part.map(\.0)), .integer(Int64(Self.pageSize))]
            ) { try transaction.lines.listed($0, selection) }
            let isCut = users.count == Self.pageSize
            // The managers after the last one that was found have not been read.
            let lastRead = isCut ? users.last?.managerID?.rawValue : nil
            for (manager, _) in part {
                ahead[manager] = Group(manager: UserID(rawValue: manager), mayGoOn: manager == lastRead)
                if manager == lastRead { break }
            }
            for user in users { ahead[user.managerID?.rawValue ?? 0]?.users.append(user) }
            count += users.count
            if isCut { return }
            let depths = Dictionary(part.map { ($0.0, $0.depth) }, uniquingKeysWith: min)
            managers = users.compactMap { user in
                let depth = (depths[user.managerID?.rawValue ?? 0] ?? 0) + 1
                return depth <= levels && ahead[user.id.rawValue] == nil ? (user.id.rawValue, depth) : nil
            }
        }
    }
}

extension UserManager {
    /// Whether the users are those of a server, whom ``walkDown(from:attributes:levels:_:)`` cannot read.
    package var areRemote: Bool { if case .remote = view.source { true } else { false } }

    /// Walks down reporting lines, in one snapshot: each user before the user's reportees.
    ///
    /// - Parameters:
    ///   - start: The first user; nil for all users without a manager, one after the other.
    ///   - attributes: The attributes to fetch.
    ///   - levels: The number of levels below the first users; nil for all.
    ///   - body: Receives each user. The walk holds no reader of others meanwhile.
    /// - Throws: The errors of `body`; `notFound`; `notOffered` for a view of a server; `CancellationError`.
    package func walkDown(
        from start: UserReference?, attributes: AttributeSelection, levels: Int?,
        _ body: @escaping @Sendable (ReportingStep) throws -> Void
    ) async throws {
        let shared = try view.embedded()
        try await Directory.cancellable { isCancelled in
            try shared.core.store.readAlone(mayUseReplica: true) { connection in
                let transaction = try Transaction(connection, shared, shared.vocabulary)
                var walk = try ReportingWalk(transaction, attributes, levels: levels) { step in
                    if isCancelled() { throw CancellationError() }
                    try body(step)
                }
                try walk.run(from: start)
            }
        }
    }
}
