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
        /// The name of a manager who does not exist; nil otherwise.
        var unknownManager: String?
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
    private var entries: [Entry] = []
    private var pending: [Pending] = []

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
        let rows = try pending.map { entry in
            var row = entry.row
            guard let key = entry.managerKey else { return row }
            row.manager = try transaction.findUserID(key: key)
            if row.manager == nil { row.unknownManager = entry.managerName }
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
                    user: user, uid: try transaction.name(of: user.rawValue), line: Int(line),
                    manager: try transaction.storedManager(of: user.rawValue).map { UserID(rawValue: $0) }, isSet: true,
                    oldManager: nil, isUnchanged: false)
            }
        }
    }
}
