import RosterStore
import RosterText

/// A user as an export writes it.
struct ExportedUser {
    let user: User
    /// The name of the manager; nil at the top.
    let manager: String?
    /// The names of the roles that the user is a direct member of, sorted. Empty unless they were asked for.
    let roles: [String]
}

/// The reads of an export. What belongs to users or roles is read for a page of them at once, because a trip to a server takes longer
/// than its search.
extension TransactionExport {
    /// Passes everyone to `body`, in the order of creation and without secrets.
    func forEachExportedUser(withRoles: Bool = false, _ body: (ExportedUser) throws -> Void) throws {
        let vocabulary = transaction.vocabulary
        var page: [User] = []
        try transaction.connection.forEachInPages(UserStatements.afterID) { row in
            var user = try User(row, view: transaction.view)
            user.attributes = user.attributes.withoutSecrets(vocabulary, of: .user)
            page.append(user)
        } endOfPage: {
            try Task.checkCancellation()
            var names = Dictionary(page.map { ($0.id.rawValue, $0.uid) }) { $1 }
            let others = Set(page.compactMap { $0.managerID?.rawValue }).filter { names[$0] == nil }
            if !others.isEmpty {
                try transaction.connection.forEach(
                    SeedingStatements.names, [transaction.connection.array(others.sorted())]
                ) {
                    names[$0.integer(0)] = $0.text(1)
                }
            }
            var roles: [Int64: [String]] = [:]
            if withRoles {
                let ids = transaction.connection.array(page.map(\.id.rawValue))
                try transaction.connection.forEach(SeedingStatements.rolesOfUsers, [ids]) {
                    roles[$0.integer(0), default: []].append($0.text(1))
                }
            }
            for user in page {
                try body(
                    ExportedUser(
                        user: user, manager: user.managerID.flatMap { names[$0.rawValue] },
                        roles: roles[user.id.rawValue] ?? []))
            }
            page.removeAll(keepingCapacity: true)
        }
    }

    /// Passes every role to `body`, in the order of creation and without secrets.
    ///
    /// - Parameter body: Receives the reader of the role's members and owners. The names of a link must be read to their end before
    ///   those of the next role.
    func forEachExportedRole(_ body: (Role, inout RoleSubjects) throws -> Void) throws {
        let vocabulary = transaction.vocabulary
        var page: [Role] = []
        var last: Int64 = 0
        try transaction.connection.forEachInPages(RoleStatements.afterID) { row in
            var role = try Role(row, view: transaction.view)
            role.attributes = role.attributes.withoutSecrets(vocabulary, of: .role)
            page.append(role)
        } endOfPage: {
            try Task.checkCancellation()
            let end = page.last?.id.rawValue ?? last
            var subjects = RoleSubjects(after: last, upTo: end, transaction.connection)
            for role in page { try body(role, &subjects) }
            last = end
            page.removeAll(keepingCapacity: true)
        }
    }
}

/// Reads the names of members and owners for a page of roles, a thousand at a time: a role can have all users as its members.
struct RoleSubjects {
    private struct Reader {
        var rows: [(role: Int64, member: Int64, name: String)] = []
        var next = 0
        var last: (role: Int64, member: Int64)
        var isAtEnd = false
    }
    private var readers: [RoleLink: Reader] = [:]
    private let start: Int64
    private let end: Int64
    private let connection: Connection

    /// - Parameters:
    ///   - start: The identifier of the last role before the page.
    ///   - end: The identifier of the last role of the page.
    init(after start: Int64, upTo end: Int64, _ connection: Connection) {
        (self.start, self.end, self.connection) = (start, end, connection)
    }

    /// The next name of a role's subjects, in the order of their identifiers; nil after the last one.
    mutating func next(_ link: RoleLink, of role: RoleID) throws -> String? {
        var reader = readers.removeValue(forKey: link) ?? Reader(last: (start, .max))
        defer { readers[link] = reader }
        if reader.next == reader.rows.count, !reader.isAtEnd { try fill(&reader, link) }
        guard reader.next < reader.rows.count, reader.rows[reader.next].role == role.rawValue else { return nil }
        reader.next += 1
        return reader.rows[reader.next - 1].name
    }

    private func fill(_ reader: inout Reader, _ link: RoleLink) throws {
        var rows: [(role: Int64, member: Int64, name: String)] = []
        try connection.forEach(
            SeedingStatements.subjects(link),
            [.integer(reader.last.role), .integer(reader.last.member), .integer(end)]
        ) { rows.append(($0.integer(0), $0.integer(1), $0.text(2))) }
        (reader.rows, reader.next, reader.isAtEnd) = (rows, 0, rows.count < SeedingStatements.subjectsPage)
        if let last = rows.last { reader.last = (last.role, last.member) }
    }
}
