import RosterStore
import RosterText

/// The values that the empty cells of a document remove, and the values that its columns have in the directory.
///
/// The number of removed values is limited, because a column that was emptied by mistake would take the values of everybody away.
struct Clearing: Sendable {
    private struct Count: Sendable {
        var before = 0
        var cleared = 0
        var line = 0
    }
    private var counts: [AttributeName: Count] = [:]

    /// Counts the values of an existing user, before a row changes the user.
    ///
    /// - Parameters:
    ///   - sets: The attributes that the row gives values.
    ///   - clears: The attributes that the row empties.
    ///   - manager: What the row has in the manager's column; nil without such a column.
    mutating func note(
        sets: some Sequence<AttributeName>, clears: some Sequence<AttributeName>, manager: ImportRow.Text?,
        of old: User, line: Int
    ) {
        for name in sets { note(name, isThere: old.attributes[name] != nil, isCleared: false, line) }
        for name in clears { note(name, isThere: old.attributes[name] != nil, isCleared: true, line) }
        if let manager { note("manager", isThere: old.managerID != nil, isCleared: manager.text.isEmpty, line) }
    }

    private mutating func note(_ name: AttributeName, isThere: Bool, isCleared: Bool, _ line: Int) {
        guard isThere else { return }
        var count = counts[name] ?? Count()
        count.before += 1
        if isCleared {
            if count.cleared == 0 { count.line = line }
            count.cleared += 1
        }
        counts[name] = count
    }

    /// Checks the limit of every column.
    ///
    /// - Throws: `limitExceeded` for a column from which more values would go than `most`, or than a tenth, rounded up.
    func check(atMost most: Int?, _ fields: [AttributeName: String]) throws {
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            let most = most ?? (count.before + 9) / 10
            guard count.cleared <= most else {
                throw DirectoryError(
                    .limitExceeded,
                    "Empty cells of the column \(EntityName.shown(fields[name] ?? name.rawValue)) would remove \(count.cleared) of "
                        + "\(count.before) values, and at most \(most) may go.",
                    advice: "Check the column, keep the values of empty cells, or allow \(count.cleared).",
                    attribute: name)
            }
        }
    }

    /// The removed values by the names of the fields, in the order of the document.
    func cleared(_ fields: [AttributeName: String]) -> [ImportReport.Field] {
        counts.filter { $0.value.cleared > 0 }
            .map { .init(name: fields[$0.key] ?? $0.key.rawValue, count: $0.value.cleared, line: $0.value.line) }
            .sorted { ($0.line, $0.name) < ($1.line, $1.name) }
    }
}

extension Clearing {
    /// Counts what a whole document would remove, without changing anything. An import in steps needs the number before its first step.
    static func counted(_ rows: some Sequence<ImportItem>, in view: DirectoryView) async throws -> Clearing {
        var clearing = Clearing()
        var chunk: [ImportRow] = []
        func count(_ rows: [ImportRow]) async throws {
            let before = clearing
            clearing = try await view.awaitRead { transaction in
                var clearing = before
                var users: [String: User] = [:]
                let keys = transaction.connection.array(Set(rows.map { TextKey.of($0.name.text) }).sorted())
                try transaction.connection.forEach(UserStatements.byNames, [keys]) {
                    users[$0.text(8)] = try User($0, view: transaction.view)
                }
                for row in rows {
                    guard let old = users[TextKey.of(row.name.text)] else { continue }
                    clearing.note(
                        sets: row.values.map(\.name), clears: row.clears, manager: row.manager, of: old, line: row.line)
                }
                return clearing
            }
        }
        for case .row(let row) in rows {
            chunk.append(row)
            if chunk.count == 1_000 {
                try await count(chunk)
                chunk = []
            }
        }
        try await count(chunk)
        return clearing
    }
}
