import Foundation
import RosterStore
import RosterText

#if canImport(Glibc)
    import Glibc
#endif

/// Writes the rows of a document into the directory: first users and roles in the order of the rows, then reporting lines
/// and memberships, which need all users.
///
/// If the first bad row ends the import, the whole transaction is rolled back. If bad rows are skipped, a new user is
/// checked completely before it is written, and every other row is written in a savepoint.
struct Importer {
    private let transaction: Transaction
    private let document: Data
    private let file: String
    private let options: ImportOptions
    /// Whether the advice of errors says that bad rows can be skipped.
    private let offersSkipping: Bool
    private var loading: UserLoading
    private(set) var report = ImportReport()
    /// The numbers of created, changed and unchanged roles.
    private(set) var roles = LoadReport.Counts()
    /// The names that the document has for attributes.
    var fields: [AttributeName: String] = [:]
    private var count = 0
    /// The users of earlier rows who existed before the import.
    private var earlier: Set<UserID> = []
    private var lines: ReportingRows
    private var leavers: LeaverRound?
    private var relations: [Relation] = []

    /// A row that names roles or members, with the outcome for its user or role.
    private struct Relation {
        let line: Int
        let name: String
        let isRole: Bool
        let memberships: [ImportRow.Membership]
        let outcome: LoadReport.Outcome
    }

    init(
        _ transaction: Transaction, _ document: Data, file: String, _ options: ImportOptions, offersSkipping: Bool
    ) throws {
        self.transaction = transaction
        self.document = document
        self.file = file
        self.options = options
        self.offersSkipping = offersSkipping
        loading = try UserLoading(transaction)
        lines = ReportingRows(managersBy: options.managersBy)
        leavers = options.leavers.map(LeaverRound.init)
    }

    /// Writes the rows of a document or of one of its parts.
    mutating func take(_ items: some Sequence<ImportItem> & Sendable, _ progress: (@Sendable (Int) -> Void)?) throws {
        let (vocabulary, isIntoEmpty) = (transaction.vocabulary, loading.isIntoEmpty)
        let preparation = Preparation(items) { PreparedRow($0, vocabulary, isIntoEmpty: isIntoEmpty) }
        defer { preparation.stop() }
        var chunks = 0
        while let chunk = try preparation.next(on: transaction.connection) {
            if chunks.isMultiple(of: 10) { document.giveBackPages() }
            chunks += 1
            if case .user? = chunk.last, chunk.count >= Preparation<PreparedRow>.chunkSize {
                try loading.prepareForMany()
            }
            if options.managersBy == "uid" {
                try loading.findManagers(
                    chunk.lazy.compactMap { if case .user(let row) = $0 { row.managerKey } else { nil } })
            }
            for row in chunk {
                switch row {
                case .user(let row): try take(row)
                case .role(let row, let changes): try take(row, changes)
                case .unreadable(let error, let isLast): try leaveOut(error, isLast: isLast)
                case .end(let ignored, let notGranted):
                    report.ignored += ignored
                    report.notGranted += notGranted
                }
            }
            try loading.flush()
            progress?(count)
        }
    }

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
        if let leavers { (report.disabled, report.keptAdministrators) = try leavers.run(in: transaction) }
        report.problems.sort { $0.line < $1.line }
    }

    /// Gives back memory after an error.
    func end() { loading.end() }

    // MARK: Bad rows

    /// The errors that concern a single row. Any other error, such as a full disk, concerns every row.
    private static let codesOfRows: Set<DirectoryError.Code> = [
        .notFound, .alreadyExists, .invalidName, .invalidAttribute, .invalidInput, .circle, .limitExceeded,
        .notPermitted, .lastAdministrator,
    ]

    /// Reports a problem with a row, or ends the import.
    ///
    /// - Parameter field: The attribute at fault, for an error that names none.
    private mutating func settle(
        _ error: DirectoryError, line: Int, uid: String, _ field: AttributeName? = nil, isRowLeftOut: Bool
    ) throws {
        guard Self.codesOfRows.contains(error.code), !transaction.connection.isOutsideTransaction else { throw error }
        var place = error.place ?? .init()
        place.file = file
        place.line = place.line ?? line
        place.field = (place.field ?? (error.attribute ?? field)?.rawValue).map { fields[AttributeName($0)] ?? $0 }
        guard options.onBadRow == .skip else {
            let advice = error.advice.map { $0 + " Or have bad rows skipped." }
            throw error.inDocument(
                at: place, advice: offersSkipping ? advice ?? "Correct it, or have bad rows skipped." : nil)
        }
        report.problems.append(
            .init(
                line: place.line ?? line, uid: uid, field: place.field ?? "", message: error.problem,
                isRowLeftOut: isRowLeftOut))
    }

    private mutating func leaveOut(_ error: DirectoryError, isLast: Bool) throws {
        guard !isLast else {
            var place = error.place ?? .init()
            place.file = file
            throw error.at(place)
        }
        count += 1
        leavers?.noteUnreadable(line: error.place?.line ?? 0)
        try settle(error, line: 0, uid: "", isRowLeftOut: true)
    }

    /// Does a part of the work for a row. Rolls the part back if it fails and bad rows are skipped.
    private mutating func attempt(
        line: Int, _ name: String, _ field: AttributeName, isRowLeftOut: Bool,
        _ body: (inout UserLoading) throws -> Void
    ) throws {
        let isSkipping = options.onBadRow == .skip
        if isSkipping { try transaction.connection.run(SeedingStatements.openRow) }
        do {
            try DirectoryError.translating { try body(&loading) }
        } catch let error as DirectoryError {
            try settle(error, line: line, uid: name, field, isRowLeftOut: isRowLeftOut)
            try transaction.connection.run(SeedingStatements.undoRow)
        }
        if isSkipping { try transaction.connection.run(SeedingStatements.releaseRow) }
    }

    // MARK: Users

    private mutating func take(_ row: PreparedUserRow) throws {
        count += 1
        leavers?.note(row.name, key: row.key)
        let endsLine = row.manager.map { options.noManager.contains($0.text) } ?? false
        if let old = try loading.isIntoEmpty ? nil : transaction.user(ofKey: row.key) {
            guard old.id < loading.firstID, !earlier.contains(old.id) else { return try leaveOutTwin(row) }
            try change(old, row, endsLine: endsLine)
        } else {
            try create(row, endsLine: endsLine)
        }
    }

    private mutating func leaveOutTwin(_ row: PreparedUserRow) throws {
        let error = DirectoryError(
            .invalidInput, "\(EntityName.shown(row.name.text)) stands in an earlier row already.",
            advice: "Names are compared without regard to case; take one of the rows out.", attribute: "uid")
        try settle(error, line: row.name.line, uid: row.name.text, isRowLeftOut: true)
    }

    private mutating func create(_ row: PreparedUserRow, endsLine: Bool) throws {
        let user: PreparedUser
        switch row.user {
        case .success(let prepared): user = prepared
        case .failure(let error): return try settle(error, line: row.line, uid: row.name.text, isRowLeftOut: true)
        }
        // Nobody reports to a new user, so an existing manager cannot form a cycle.
        let isByName = options.managersBy == "uid"
        let manager = endsLine || !isByName ? nil : try row.managerKey.flatMap { try loading.find(key: $0) }
        var new: UserID?
        do {
            if user.outsideRecord.isEmpty {
                new = try DirectoryError.translating { try loading.insert(user, manager: manager) }
            } else {
                try loading.flush()
                try attempt(line: row.name.line, row.name.text, "uid", isRowLeftOut: true) {
                    new = try $0.insert(user, manager: manager)
                }
                if new == nil { try loading.resume() }
            }
        } catch let error as DirectoryError where error.code == .alreadyExists && error.attribute == "uid" {
            return try leaveOutTwin(row)
        } catch let error as DirectoryError {
            return try settle(error, line: row.name.line, uid: row.name.text, "uid", isRowLeftOut: true)
        }
        guard let new else { return }
        report.users.count(.created)
        if row.manager != nil, !endsLine {
            lines.add(new, row, isSet: manager != nil, isUnchanged: false)
        }
        keep(row, .created)
    }

    private mutating func change(_ old: User, _ row: PreparedUserRow, endsLine: Bool) throws {
        let changes: [AttributeChange]
        switch row.changes {
        case .success(let prepared): changes = prepared
        case .failure(let error): return try settle(error, line: row.line, uid: row.name.text, isRowLeftOut: true)
        }
        try loading.flush()
        var new: User?
        let (transaction, grants) = (transaction, options.grants)
        try attempt(line: row.name.line, row.name.text, "uid", isRowLeftOut: true) { _ in
            new = try transaction.modify(old, changes, grants)
        }
        try loading.resume()
        guard let new else { return }
        earlier.insert(old.id)
        let outcome: LoadReport.Outcome = new.version == old.version ? .unchanged : .changed
        report.users.count(outcome)
        if row.manager != nil {
            lines.add(
                old.id, row, endsLine: endsLine, oldManager: old.managerID, isUnchanged: outcome == .unchanged)
        }
        keep(row, outcome)
    }

    private mutating func keep(_ row: PreparedUserRow, _ outcome: LoadReport.Outcome) {
        guard !row.memberships.isEmpty else { return }
        relations.append(
            .init(
                line: row.line, name: row.name.text, isRole: false, memberships: row.memberships, outcome: outcome))
    }

    // MARK: Reporting lines

    private mutating func setLines() throws {
        defer { lines = ReportingRows(managersBy: options.managersBy) }
        guard lines.areAnyLeft else { return }
        var rows: [ReportingRows.Row] = []
        for row in try lines.rows(in: transaction) {
            if let error = row.unknownManager {
                // An existing user keeps the manager.
                try settle(error, line: row.line, uid: row.uid, isRowLeftOut: false)
            } else {
                rows.append(row)
            }
        }
        var plan = ReportingPlan(replacing: rows.map(\.user))
        for row in rows {
            if let manager = row.manager, try !plan.add(row.user, to: manager, in: transaction) {
                try settle(
                    DirectoryError(
                        .circle, "\(EntityName.shown(row.uid)) cannot report to somebody who reports to them.",
                        advice: "Choose another manager.", attribute: "manager"),
                    line: row.line, uid: row.uid, isRowLeftOut: false)
                let old = row.oldManager
                let isKept = try old.map { try plan.add(row.user, to: $0, in: transaction) } ?? false
                try set(isKept ? old : nil, of: row)
            } else if !row.isSet {
                try set(row.manager, of: row)
            }
        }
    }

    private mutating func set(_ manager: UserID?, of row: ReportingRows.Row) throws {
        guard try transaction.writeManager(manager, of: row.user), row.isUnchanged else { return }
        report.users.unchanged -= 1
        report.users.changed += 1
    }

    // MARK: Roles

    /// Writes a role at once, so that roles are stored in the order of the document.
    private mutating func take(_ row: ImportRow, _ changes: Result<[AttributeChange], DirectoryError>) throws {
        count += 1
        try loading.flush()
        var outcome: LoadReport.Outcome?
        let transaction = transaction
        try attempt(line: row.name.line, row.name.text, "name", isRowLeftOut: true) { _ in
            outcome = try transaction.writeRole(row.name.text, changes.get())
        }
        try loading.resume()
        guard let outcome else { return }
        relations.append(
            .init(
                line: row.line, name: row.name.text, isRole: true, memberships: row.memberships, outcome: outcome))
    }

    /// Stores the memberships of a row: all at once if they are valid, else one by one, so that only the invalid ones are
    /// left out.
    private mutating func relate(_ relation: Relation) throws {
        let (transaction, grants, makesRoles) = (transaction, options.grants, options.format != .json)
        let version = relation.isRole ? try transaction.storedRole(.named(relation.name)).version : 0
        func relate(_ memberships: [ImportRow.Membership]) throws {
            try transaction.relate(
                relation.name, isRole: relation.isRole, memberships, grants, makingRoles: makesRoles)
        }
        if !relation.memberships.isEmpty {
            try transaction.connection.run(SeedingStatements.openRow)
            do {
                try relate(relation.memberships)
                try transaction.connection.run(SeedingStatements.releaseRow)
            } catch is DirectoryError {
                try transaction.connection.run(SeedingStatements.undoRow)
                try transaction.connection.run(SeedingStatements.releaseRow)
                for membership in relation.memberships {
                    try attempt(line: membership.line, relation.name, membership.field, isRowLeftOut: false) { _ in
                        try relate([membership])
                    }
                }
            }
        }
        guard relation.isRole else { return }
        let hasChanged = try transaction.storedRole(.named(relation.name)).version != version
        roles.count(hasChanged && relation.outcome == .unchanged ? .changed : relation.outcome)
    }
}

extension Data {
    /// Returns the memory of a mapped file to the system, which reads a page from the file again if necessary. Does nothing
    /// for other data, which does not begin at the boundary of a page.
    fileprivate func giveBackPages() {
        #if canImport(Glibc)
            withUnsafeBytes { _ = madvise(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count, MADV_PAGEOUT) }
        #endif
    }
}
