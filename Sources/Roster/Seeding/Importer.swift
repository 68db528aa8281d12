import Foundation
import RosterStore
import RosterText

/// Takes rows into the directory: people at once, managers and memberships when everyone is there.
struct Importer {
    /// Somebody whose line is checked, and drawn where it is not yet, when everyone is there.
    private struct Line {
        let row: ImportRow
        let written: Session.WrittenRow
    }
    let session: Session
    let name: String
    let options: ImportOptions
    var report = ImportReport()
    /// What the file calls attributes.
    var fields: [AttributeName: String] = [:]
    private(set) var count = 0
    private var seen: Set<String> = []
    private var lines: [Line] = []
    private var related: [ImportRow] = []

    init(session: Session, name: String, options: ImportOptions) {
        self.session = session
        self.name = name
        self.options = options
    }

    /// Tells a problem, or ends the import.
    private mutating func settle(
        line: Int, uid: String, field: String, _ message: String, advice: String?, attribute: AttributeName? = nil,
        isRowLeftOut: Bool
    ) throws {
        guard options.onBadRow == .skip else {
            throw DirectoryError(
                .invalidInput, "\(name), line \(line)\(field.isEmpty ? "" : ", '\(field)'"): \(message)",
                advice: advice.map { $0 + " Or have bad rows skipped." } ?? "Correct it, or have bad rows skipped.",
                attribute: attribute)
        }
        report.problems.append(
            .init(line: line, uid: uid, field: field, message: message, isRowLeftOut: isRowLeftOut))
    }

    private mutating func settle(_ error: DirectoryError, _ row: ImportRow, _ field: AttributeName, leftOut: Bool)
        throws
    {
        // What is wrong with the disk is wrong with every row.
        let codes: [DirectoryError.Code] = [
            .notFound, .alreadyExists, .invalidName, .invalidAttribute, .invalidInput, .circle, .limitExceeded,
            .notPermitted,
        ]
        guard codes.contains(error.code), !session.connection.isOutsideTransaction else { throw error }
        let attribute = error.attribute ?? field
        try settle(
            line: row.line, uid: row.uid, field: fields[attribute] ?? attribute.rawValue, error.message,
            advice: error.advice, attribute: error.attribute, isRowLeftOut: leftOut)
    }

    /// Does a part of the work for a row in a savepoint of its own.
    private mutating func attempt(
        _ row: ImportRow, _ field: AttributeName, leavingOutRow: Bool, _ body: () throws -> Void
    ) throws {
        try session.connection.run(SeedingStatements.openRow)
        do {
            try body()
            try session.connection.run(SeedingStatements.releaseRow)
        } catch let error as DirectoryError {
            try settle(error, row, field, leftOut: leavingOutRow)
            try session.connection.run(SeedingStatements.undoRow)
            try session.connection.run(SeedingStatements.releaseRow)
        }
    }

    /// A row that cannot be made out. After the last such there is nothing more, so the import cannot go on.
    mutating func leaveOut(_ row: UnreadableRow, isLast: Bool) throws {
        guard !isLast else {
            throw DirectoryError(.invalidInput, "\(name), line \(row.line): \(row.problem)", advice: row.advice)
        }
        try settle(line: row.line, uid: "", field: "", row.problem, advice: row.advice, isRowLeftOut: true)
    }

    mutating func take(_ row: ImportRow, _ progress: (@Sendable (Int) -> Void)?) throws {
        count += 1
        if count % 500 == 0 {
            try session.connection.cancellation?.check()
            progress?(count)
        }
        let session = session
        if row.isRole {
            // At once, so that roles are in the order of the file, whoever names them first.
            var isTaken = false
            try attempt(row, "name", leavingOutRow: true) {
                try session.writeRole(row)
                isTaken = true
            }
            if isTaken { related.append(row) }
            return
        }
        var row = row
        let endsLine = row.manager.map(options.noManager.contains) ?? false
        if endsLine { row.manager = nil }
        let key = FoldedText.of(row.uid)
        var written: Session.WrittenRow?
        let grants = options.grants
        let isTwin = seen.contains(key)
        try attempt(row, "uid", leavingOutRow: true) {
            guard !isTwin else {
                throw DirectoryError(
                    .invalidInput, "\(EntityName.shown(row.uid)) stands in an earlier row already.", attribute: "uid")
            }
            written = try session.write(row, grants)
        }
        guard let written else { return }
        seen.insert(key)
        report.users[keyPath: written.outcome] += 1
        if row.manager != nil || (endsLine && written.outcome != \.created) {
            let named = ImportRow(line: row.line, uid: row.uid, manager: row.manager)
            lines.append(Line(row: named, written: written))
        }
        if !row.memberships.isEmpty {
            related.append(ImportRow(line: row.line, uid: row.uid, memberships: row.memberships))
        }
    }

    mutating func finish() throws {
        try drawLines()
        for row in related { try relate(row) }
        report.problems.sort { $0.line < $1.line }
    }

    private mutating func drawLines() throws {
        let session = session
        var known: [(line: Line, manager: UserID?)] = []
        for line in lines {
            guard let name = line.row.manager else {
                known.append((line, nil))
                continue
            }
            if let manager = try session.findUserID(name) {
                known.append((line, manager))
            } else {
                // Who was there before keeps the manager of before.
                try settle(Session.unknownManager(name), line.row, "manager", leftOut: false)
            }
        }
        var plan = ReportingPlan(redrawing: known.map(\.line.written.id))
        for (line, manager) in known {
            let id = line.written.id
            if let manager, try !plan.draw(id, to: manager, in: session) {
                try settle(Session.circle(line.row.uid), line.row, "manager", leftOut: false)
                let old = line.written.oldManager
                let isKept = try old.map { try plan.draw(id, to: $0, in: session) } ?? false
                try draw(line, isKept ? old : nil)
            } else if !line.written.hasManager {
                try draw(line, manager)
            }
        }
    }

    private mutating func draw(_ line: Line, _ manager: UserID?) throws {
        guard try session.writeManager(manager, of: line.written.id), line.written.outcome == \.unchanged else {
            return
        }
        report.users.unchanged -= 1
        report.users.changed += 1
    }

    /// All at once where nothing is wrong; else one by one, so that only what is wrong is left out.
    private mutating func relate(_ row: ImportRow) throws {
        let session = session
        let grants = options.grants
        let field: AttributeName = row.isRole ? "member" : "memberOf"
        try session.connection.run(SeedingStatements.openRow)
        do {
            try session.relate(row, row.memberships, grants)
            try session.connection.run(SeedingStatements.releaseRow)
        } catch is DirectoryError {
            try session.connection.run(SeedingStatements.undoRow)
            try session.connection.run(SeedingStatements.releaseRow)
            for membership in row.memberships {
                try attempt(row, membership.relation == .owner ? "owner" : field, leavingOutRow: false) {
                    try session.relate(row, [membership], grants)
                }
            }
        }
    }
}

extension Session {
    /// What became of a row.
    struct WrittenRow {
        let id: UserID
        let outcome: WritableKeyPath<LoadReport.Counts, Int>
        /// Whether the manager that the row names has been written.
        var hasManager = false
        /// Of somebody who was there before.
        var oldManager: UserID?
    }

    /// Creates the person of a row, or changes the one of that name. Of a new one the manager is written too, if they
    /// are there already: nobody reports to somebody new, so that this closes no circle.
    func write(_ row: ImportRow, _ grants: Grants) throws -> WrittenRow {
        let changes = try typedChanges(row, of: .user)
        let isActive = try row.active.map(Self.active)
        let old = try connection.first(UserStatements.byName, text: FoldedText.of(row.uid)) {
            try User($0, view: view)
        }
        if let old {
            let all = changes + (isActive.map { [.set("active", .boolean($0))] } ?? [])
            let isSame = try modify(old, all, grants).version == old.version
            return WrittenRow(id: old.id, outcome: isSame ? \.unchanged : \.changed, oldManager: old.managerID)
        }
        // As changes, one after the other: `mail` and then `emails` fill the same place.
        var attributes = AttributeSet()
        for change in changes {
            guard let definition = vocabulary.definition(of: change.name), definition.writers != .nobody else {
                throw DirectoryError.unknownAttribute(change.name, of: .user)
            }
            try attributes.apply(change, definition)
        }
        let manager = try row.manager.flatMap(findUserID)
        let new = try create(
            NewUser(row.uid, attributes: attributes, manager: manager.map { .id($0) }, isActive: isActive ?? true))
        return WrittenRow(id: new.id, outcome: \.created, hasManager: manager != nil)
    }

    private func typedChanges(_ row: ImportRow, of entity: AttributeDefinition.Entity) throws -> [AttributeChange] {
        try row.values.map { name, value in
            guard let definition = vocabulary.definition(of: name, for: entity) else {
                throw DirectoryError.unknownAttribute(name, of: entity)
            }
            return AttributeChange.set(name, try definition.typed(value))
        }
    }

    private static func active(_ text: String) throws -> Bool {
        switch text.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default:
            throw DirectoryError(
                .invalidAttribute, "\(EntityName.shown(text)) is neither true nor false.",
                advice: "Write true or false.", attribute: "active")
        }
    }

    /// The role of a name, made where there is none.
    private func role(_ name: String) throws -> Role {
        let found = try connection.first(RoleStatements.byName, text: FoldedText.of(name)) { try Role($0, view: view) }
        return try found ?? createRole(name, [:])
    }

    /// Creates the role of a row, or changes the one of that name.
    func writeRole(_ row: ImportRow) throws {
        _ = try modifyRole(.id(role(row.uid).id), typedChanges(row, of: .role), ifVersion: nil)
    }

    /// Relates a role with those who belong to it, or a person with the roles to belong to, which are made.
    func relate(_ row: ImportRow, _ memberships: [ImportRow.Membership], _ grants: Grants) throws {
        guard row.isRole else {
            for membership in memberships {
                try add(
                    [.user(.named(row.uid))], to: role(membership.name).id, as: membership.relation, grants)
            }
            return
        }
        let own = try role(row.uid)
        for relation in RoleRelation.allCases {
            let subjects = try memberships.filter { $0.relation == relation }.map { membership -> RoleSubject in
                membership.isRole ? .role(.id(try role(membership.name).id)) : .user(.named(membership.name))
            }
            if !subjects.isEmpty { try add(subjects, to: own.id, as: relation, grants) }
        }
    }
}
