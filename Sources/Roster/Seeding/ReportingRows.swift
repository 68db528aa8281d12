/// The reporting lines that a document names. Only lines that could not be set at once are kept with all their details,
/// because a document of a million rows can have a million lines.
struct ReportingRows {
    /// A reporting line that still has to be checked or set.
    struct Row {
        let user: UserID
        let uid: String
        let line: Int
        /// The manager; nil if the user is to have none.
        var manager: UserID?
        /// The error for a manager who does not exist, or who cannot be told from others; nil otherwise.
        var unknownManager: DirectoryError?
        /// Whether the manager is stored already.
        let isSet: Bool
        /// The previous manager of a user who existed before the import.
        let oldManager: UserID?
        /// Whether the rest of the row changed nothing.
        let isUnchanged: Bool
    }
    private struct Pending {
        let row: Row
        let managerKey: String?
        let managerName: String
    }
    private enum Entry {
        /// The line of a new user whose manager existed, so that the line was set at once.
        case set(UserID, line: Int32)
        case pending
    }
    /// The attribute by which the document names managers.
    private let managersBy: AttributeName
    private var entries: [Entry] = []
    private var pending: [Pending] = []

    init(managersBy: AttributeName) { self.managersBy = managersBy }

    /// The numbers of lines at the end of a step.
    struct Mark {
        var entries = 0
        var pending = 0
    }
    var mark: Mark { Mark(entries: entries.count, pending: pending.count) }

    /// Forgets the lines after a mark.
    mutating func cut(to mark: Mark) {
        entries.removeLast(entries.count - mark.entries)
        pending.removeLast(pending.count - mark.pending)
    }

    /// Whether some lines are not set yet.
    var areAnyLeft: Bool { !pending.isEmpty }

    /// Adds the line of a new or an existing user.
    ///
    /// - Parameter endsLine: Whether the user is to have no manager.
    mutating func add(
        _ user: UserID, _ row: PreparedUserRow, isSet: Bool = false, endsLine: Bool = false, oldManager: UserID? = nil,
        isUnchanged: Bool
    ) {
        guard let manager = row.manager else { return }
        guard !isSet else {
            entries.append(.set(user, line: Int32(clamping: manager.line)))
            return
        }
        entries.append(.pending)
        pending.append(
            .init(
                row: Row(
                    user: user, uid: row.name.text, line: manager.line, isSet: false, oldManager: oldManager,
                    isUnchanged: isUnchanged),
                managerKey: endsLine ? nil : row.managerKey, managerName: manager.text))
    }

    /// The lines to check, in the order of the document: all lines that are not set, and those set lines that can close a
    /// cycle. A set line can close a cycle only if its user is the manager in a line that is not set.
    func rows(in transaction: Transaction) throws -> [Row] {
        var found: [String: Result<UserID, DirectoryError>] = [:]
        let rows = try pending.map { entry in
            var row = entry.row
            guard let key = entry.managerKey else { return row }
            let result = try found[entry.managerName] ?? manager(entry.managerName, key, in: transaction)
            // Look-ups by name are quick, and would fill the memory.
            if managersBy != "uid" { found[entry.managerName] = result }
            switch result {
            case .success(let manager): row.manager = manager
            case .failure(let error): row.unknownManager = error
            }
            return row
        }
        let managers = Set(rows.compactMap(\.manager))
        var index = 0
        return try entries.compactMap { entry in
            switch entry {
            case .pending:
                defer { index += 1 }
                return rows[index]
            case .set(let user, let line):
                guard managers.contains(user) else { return nil }
                return Row(
                    user: user, uid: try transaction.exporting.name(of: user.rawValue), line: Int(line),
                    manager: try transaction.importing.storedManager(of: user.rawValue).map { UserID(rawValue: $0) },
                    isSet: true,
                    oldManager: nil, isUnchanged: false)
            }
        }
    }

    /// Finds a manager as the document names them.
    private func manager(
        _ name: String, _ key: String, in transaction: Transaction
    ) throws -> Result<UserID, DirectoryError> {
        func failure(_ problem: String, _ advice: String) -> Result<UserID, DirectoryError> {
            .failure(DirectoryError(.notFound, problem, advice: advice, attribute: "manager"))
        }
        let shown = EntityName.shown(name)
        guard managersBy != "uid" else {
            return try transaction.importing.findUserID(key: key).map { .success($0) }
                ?? failure("There is no user \(shown) to report to.", "Check the spelling, or give the manager a row.")
        }
        var search = Search(.compare(AttributePath(managersBy), .equal, .string(name)), pageSize: 2)
        search.attributes = .only(["uid"])
        let users = try transaction.search.users(search).elements
        guard let user = users.first else {
            return failure(
                "There is no user with the \(managersBy) \(shown) to report to.",
                "Check the spelling, or give the manager a row.")
        }
        guard users.count == 1 else {
            return failure(
                "Several users have the \(managersBy) \(shown), so that it is unknown to whom to report.",
                "Name managers by their uid.")
        }
        return .success(user.id)
    }
}
