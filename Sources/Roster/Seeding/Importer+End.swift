import RosterStore
import RosterText

/// The end of an import, which needs all users: reporting lines, memberships, and the people who have left.
extension Importer {
    /// Sets the reporting lines whose managers came later in the document. Call this after the last user.
    mutating func finishUsers() throws {
        try loading.finish()
        try setLines()
        try loading.resume()
    }

    /// Sets the remaining reporting lines and the memberships. Call this after the last row.
    mutating func finish() throws {
        try finishUsers()
        for relation in relations { try relate(relation) }
        try clearing.check(atMost: options.mostCleared, fields)
        if let missing = try missing() {
            for user in missing.users { try disable(user) }
            report.keptAdministrators = missing.kept
        }
        try loading.analyze()
        finishReport()
    }

    /// Puts the problems in the order of the document, and adds what the whole document has removed.
    mutating func finishReport() {
        report.problems.sort { $0.line < $1.line }
        report.cleared = clearing.cleared(fields)
    }

    /// Finds the users whom the document does not name; returns nil if the import leaves such users unchanged.
    mutating func missing() throws -> (users: [UserID], kept: [String])? {
        try fillImageWithScope()
        return try leavers?.missing(in: transaction)
    }

    /// Disables a user whom the document does not name. A user who has become an administrator since the look-up stays enabled.
    mutating func disable(_ user: UserID) throws {
        guard try transaction.users.findID(of: .id(user)) != nil,
            try !Rights.powers(of: user, on: transaction.connection).contains(.administrator)
        else { return }
        _ = try transaction.users.modify(.id(user), [.set("active", .boolean(false))], ifVersion: nil)
        report.disabled += 1
    }

    // MARK: Reporting lines

    /// A reporting line that can be stored: it is part of no cycle of the lines as they will be after the whole document.
    struct CheckedLine {
        let row: ReportingRows.Row
        let manager: UserID?
    }

    private mutating func setLines() throws {
        for line in try checkedLines() { try set(line) }
    }

    /// Checks the lines that are not set yet, as they will be after the whole document, and forgets them.
    mutating func checkedLines() throws -> [CheckedLine] {
        defer { lines = ReportingRows(managersBy: options.managersBy) }
        guard lines.areAnyLeft else { return [] }
        var rows: [ReportingRows.Row] = []
        for row in try lines.rows(in: transaction) {
            if let error = row.unknownManager {
                // An existing user keeps the manager.
                try reportOrThrow(error, line: row.line, uid: row.uid, isRowLeftOut: false)
            } else {
                rows.append(row)
            }
        }
        var plan = ReportingPlan(replacing: rows.map(\.user))
        var checked: [CheckedLine] = []
        for row in rows {
            if let manager = row.manager, try !plan.add(row.user, to: manager, in: transaction) {
                try reportOrThrow(Hierarchy.reporting.error(row.uid), line: row.line, uid: row.uid, isRowLeftOut: false)
                let old = row.oldManager
                let isKept = try old.map { try plan.add(row.user, to: $0, in: transaction) } ?? false
                checked.append(CheckedLine(row: row, manager: isKept ? old : nil))
            } else if !row.isSet {
                checked.append(CheckedLine(row: row, manager: row.manager))
            }
        }
        return checked
    }

    mutating func set(_ line: CheckedLine) throws {
        guard try administrator.importing.writeManager(line.manager, of: line.row.user), line.row.isUnchanged else {
            return
        }
        report.users.unchanged -= 1
        report.users.changed += 1
    }

    /// Stores a line that was checked before others have changed the directory again.
    mutating func setUnlessOthersHaveChanged(_ line: CheckedLine) throws {
        do {
            if let manager = line.manager {
                try Hierarchy.reporting.check(
                    [line.row.user.rawValue], below: manager.rawValue, named: line.row.uid, in: transaction)
            }
            try set(line)
        } catch let error as DirectoryError where error.code == .notFound || error.code == .circle {
            try reportOrThrow(error, line: line.row.line, uid: line.row.uid, "manager", isRowLeftOut: false)
        }
    }

    /// Sorts checked lines by their distance from the top of the lines as they will be. A line whose manager's own line is
    /// stored already, up to the top, closes no cycle, whatever the lines of others still are.
    func fromTheTop(_ lines: [CheckedLine]) throws -> [CheckedLine] {
        let new = Dictionary(lines.map { ($0.row.user.rawValue, $0.manager?.rawValue) }) { $1 }
        var depths: [Int64: Int] = [:]
        func depth(of user: Int64) throws -> Int {
            var passed: [Int64] = []
            var current: Int64? = user
            // The reporting lines of a damaged database can form a cycle, so the loop ends at a user it has visited.
            var seen: Set<Int64> = []
            while let next = current, depths[next] == nil, seen.insert(next).inserted {
                passed.append(next)
                current = if let known = new[next] { known } else { try transaction.importing.storedManager(of: next) }
            }
            var depth = current.flatMap { depths[$0] } ?? 0
            for user in passed.reversed() {
                depth += 1
                depths[user] = depth
            }
            return depth
        }
        let placed = try lines.map { (line: $0, depth: try depth(of: $0.row.user.rawValue)) }
        return placed.enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }.map(
            \.element.line)
    }

    // MARK: Memberships

    private mutating func relate(_ relation: Relation) throws {
        let hasChanged = try relate(relation, relation.memberships[...])
        count(relation, hasChanged: hasChanged)
    }

    /// Counts a role after its last membership is stored.
    mutating func count(_ relation: Relation, hasChanged: Bool) {
        guard relation.isRole else { return }
        roles.count(hasChanged && relation.outcome == .unchanged ? .changed : relation.outcome)
    }

    /// Stores memberships of a row: all at once if they are valid, else one by one, so that only the invalid ones are
    /// left out.
    ///
    /// - Returns: Whether the role of the row has changed.
    mutating func relate(_ relation: Relation, _ memberships: ArraySlice<ImportRow.Membership>) throws -> Bool {
        let (importing, grants, makesRoles) = (administrator.importing, options.grants, options.format != .json)
        let version = relation.isRole ? try transaction.roles.stored(.named(relation.name)).version : 0
        func relate(_ memberships: [ImportRow.Membership]) throws {
            try importing.relate(
                relation.name, isRole: relation.isRole, memberships, grants, makingRoles: makesRoles)
        }
        if !memberships.isEmpty {
            try transaction.connection.run(SeedingStatements.openRow)
            do {
                try relate(Array(memberships))
                try transaction.connection.run(SeedingStatements.releaseRow)
            } catch is DirectoryError {
                try transaction.connection.run(SeedingStatements.undoRow)
                try transaction.connection.run(SeedingStatements.releaseRow)
                for membership in memberships {
                    try attempt(line: membership.line, relation.name, membership.field, isRowLeftOut: false) { _ in
                        try relate([membership])
                    }
                }
            }
        }
        guard relation.isRole else { return false }
        return try transaction.roles.stored(.named(relation.name)).version != version
    }
}
