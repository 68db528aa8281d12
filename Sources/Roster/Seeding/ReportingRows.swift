/// The managers that a document names. Only those that could not be set at once are kept whole: of the others a document of
/// a million rows has a million.
struct ReportingRows {
    /// A reporting line that has to be checked, or set.
    struct Row {
        let user: UserID
        let uid: String
        let line: Int
        /// The manager; nil where the user is to have none.
        var manager: UserID?
        /// The manager's name where there is no such user.
        var unknownManager: String?
        /// Whether the manager is stored already.
        let isSet: Bool
        /// The manager of a user who was there before.
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
        /// The manager of a new user was there and is set.
        case set(UserID, line: Int32)
        case pending
    }
    private var entries: [Entry] = []
    private var pending: [Pending] = []

    /// Whether there are lines that are not set.
    var areAnyLeft: Bool { !pending.isEmpty }

    /// Adds the line of a new user, or of one who was there before.
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

    /// The lines that have to be checked, in the order of the document: those that are not set, and the set ones that can
    /// be the last line of a cycle. Somebody further up in the document reports to the user of such a line, before whom the
    /// user was not there yet.
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
