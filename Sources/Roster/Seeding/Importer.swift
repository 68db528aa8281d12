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
    private(set) var administrator: Administrator
    var transaction: Transaction { administrator.transaction }
    private let document: Data
    private let file: String
    let options: ImportOptions
    /// Whether the advice of errors says that bad rows can be skipped.
    private let offersSkipping: Bool
    var loading: UserLoading
    var report = ImportReport()
    /// The numbers of created, changed and unchanged roles.
    var roles = LoadReport.Counts()
    /// The names that the document has for attributes.
    var fields: [AttributeName: String] = [:]
    private(set) var count = 0
    /// The users of earlier rows who existed before the import.
    private var earlier = IdentifierSet()
    /// The users of the next rows, who were found at a server in one trip; nil if each row looks for its user.
    var ahead: LookAhead?
    var lines: ReportingRows
    private(set) var leavers: LeaverRound?
    /// The values that empty cells remove.
    var clearing = Clearing()
    private(set) var relations: [Relation] = []
    /// What the finished steps of an import in steps have gathered; nil before the first one.
    private var mark: Mark?

    /// A row that names roles or members, with the outcome for its user or role.
    struct Relation {
        let line: Int
        let name: String
        let isRole: Bool
        let memberships: [ImportRow.Membership]
        let outcome: LoadReport.Outcome
    }

    /// What an importer has gathered until the end of a step.
    private struct Mark {
        var report = ImportReport()
        var roles = LoadReport.Counts()
        var count = 0
        var lines = ReportingRows.Mark()
        var relations = 0
        var clearing = Clearing()
        /// The identifiers that the steps have given, which are those of users and roles of the document.
        var given: [Range<Int64>] = []
        /// The users whom the present step has taken for the first time.
        var earlier: [UserID] = []
    }

    init(
        _ administrator: Administrator, _ document: Data, file: String, _ options: ImportOptions, offersSkipping: Bool
    ) throws {
        self.administrator = administrator
        self.document = document
        self.file = file
        self.options = options
        self.offersSkipping = offersSkipping
        loading = try UserLoading(administrator.transaction.asEditor(to: "import people"))
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
            try lookAhead(chunk[...])
            for row in chunk { try take(row) }
            try loading.flush()
            progress?(count)
        }
    }

    /// Adds to the report fields of the document that the import leaves out.
    mutating func leaveOut(_ fields: [ImportReport.Field]) { report.ignored += fields }

    private mutating func take(_ row: PreparedRow) throws {
        switch row {
        case .user(let row): try take(row)
        case .role(let row, let changes): try take(row, changes)
        case .unreadable(let error, let isLast): try leaveOut(error, isLast: isLast)
        case .end(let unread):
            report.ignored += unread.ignored.fields
            report.notGranted += unread.notGranted.fields
            report.skipped += unread.skipped.fields
            report.otherEntries += unread.otherEntries.fields
        }
    }

    // MARK: Steps

    /// Begins a step in a transaction of its own. A step that runs again, because another change of the same commit failed,
    /// forgets what its last run has gathered.
    mutating func begin(_ administrator: Administrator) throws {
        self.administrator = administrator
        loading = try UserLoading(administrator.transaction.asEditor(to: "import people"))
        var mark = mark ?? Mark()
        (report, roles, count) = (mark.report, mark.roles, mark.count)
        lines.cut(to: mark.lines)
        relations.removeLast(relations.count - mark.relations)
        clearing = mark.clearing
        for id in mark.earlier { earlier.remove(id.rawValue) }
        mark.earlier = []
        self.mark = mark
    }

    /// Keeps what a step has gathered, after its commit.
    mutating func keep() {
        guard var mark else { return }
        (mark.report, mark.roles, mark.count) = (report, roles, count)
        (mark.lines, mark.relations, mark.earlier) = (lines.mark, relations.count, [])
        mark.clearing = clearing
        if let given = loading.given { mark.given.append(given) }
        self.mark = mark
    }

    /// Writes as many prepared rows as there is time for.
    ///
    /// - Returns: The index of the next row.
    mutating func take(_ rows: ArraySlice<PreparedRow>, until end: ContinuousClock.Instant) throws -> Int {
        var next = rows.startIndex
        try lookAhead(rows)
        repeat {
            try take(rows[next])
            next += 1
            // What is pending takes about as long to store as it took to take.
        } while next < rows.endIndex && .now < end
        try loading.flush()
        return next
    }

    /// Whether an earlier row of the document has created a user.
    private func isFromDocument(_ id: UserID) -> Bool {
        id >= loading.firstID || mark?.given.contains { $0.contains(id.rawValue) } == true
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
    mutating func reportOrThrow(
        _ error: DirectoryError, line: Int, uid: String, _ field: AttributeName? = nil, isRowLeftOut: Bool
    ) throws {
        guard Self.codesOfRows.contains(error.code), !transaction.connection.engine.isOutsideTransaction else {
            throw error
        }
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

    /// Reports the values of a row that the directory cannot take.
    private mutating func report(_ values: [ImportRow.LeftOut], of uid: String) {
        report.problems += values.map {
            .init(line: $0.line, uid: uid, field: $0.field, message: $0.message, isRowLeftOut: false)
        }
    }

    private mutating func leaveOut(_ error: DirectoryError, isLast: Bool) throws {
        guard !isLast else {
            var place = error.place ?? .init()
            place.file = file
            throw error.at(place)
        }
        count += 1
        leavers?.noteUnreadable(line: error.place?.line ?? 0)
        try reportOrThrow(error, line: 0, uid: "", isRowLeftOut: true)
    }

    /// Does a part of the work for a row. Rolls the part back if it fails and bad rows are skipped.
    mutating func attempt(
        line: Int, _ name: String, _ field: AttributeName, isRowLeftOut: Bool,
        _ body: (inout UserLoading) throws -> Void
    ) throws {
        let isSkipping = options.onBadRow == .skip
        if isSkipping { try transaction.connection.run(SeedingStatements.openRow) }
        do {
            try DirectoryError.translating { try body(&loading) }
        } catch let error as DirectoryError {
            try reportOrThrow(error, line: line, uid: name, field, isRowLeftOut: isRowLeftOut)
            try transaction.connection.run(SeedingStatements.undoRow)
        }
        if isSkipping { try transaction.connection.run(SeedingStatements.releaseRow) }
    }

    // MARK: Users

    private mutating func take(_ row: PreparedUserRow) throws {
        count += 1
        let endsLine =
            row.manager.map { options.format == .csv && $0.text.isEmpty || options.noManager.contains($0.text) }
            ?? false
        let old = try existingUser(of: row)
        leavers?.note(row.name, key: row.key, old?.id)
        if let old {
            guard !isFromDocument(old.id), !earlier.contains(old.id.rawValue) else { return try leaveOutTwin(row) }
            try change(old, row, endsLine: endsLine)
        } else {
            try create(row, endsLine: endsLine)
        }
    }

    private mutating func leaveOutTwin(_ row: PreparedUserRow) throws {
        let error = DirectoryError(
            .invalidInput, "\(EntityName.shown(row.name.text)) is in an earlier row already.",
            advice: "Names are compared without regard to case; take one of the rows out.", attribute: "uid")
        try reportOrThrow(error, line: row.name.line, uid: row.name.text, isRowLeftOut: true)
    }

    private mutating func create(_ row: PreparedUserRow, endsLine: Bool) throws {
        let user: PreparedUser
        switch row.user {
        case .success(let prepared): user = prepared
        case .failure(let error):
            // A server was asked before the rows, so that an earlier row may have created the user meanwhile.
            guard try loading.find(key: row.key) == nil else { return try leaveOutTwin(row) }
            return try reportOrThrow(error, line: row.line, uid: row.name.text, isRowLeftOut: true)
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
            return try reportOrThrow(error, line: row.name.line, uid: row.name.text, "uid", isRowLeftOut: true)
        }
        guard let new else { return }
        report(row.leftOut, of: row.name.text)
        report.users.count(.created)
        if row.manager != nil, !endsLine {
            lines.add(new, row, isSet: manager != nil, isUnchanged: false)
        }
        keepMemberships(of: row, .created)
    }

    private mutating func change(_ old: User, _ row: PreparedUserRow, endsLine: Bool) throws {
        let changes: [AttributeChange]
        switch row.changes {
        case .success(let prepared): changes = prepared
        case .failure(let error):
            return try reportOrThrow(error, line: row.line, uid: row.name.text, isRowLeftOut: true)
        }
        var new: User? = old
        if !transaction.users.surelyLeave(old, changes) {
            new = nil
            try loading.flush()
            let (importing, grants) = (administrator.importing, options.grants)
            try attempt(line: row.name.line, row.name.text, "uid", isRowLeftOut: true) { _ in
                new = try importing.modify(old, changes, grants)
            }
            loading.noteChange()
        }
        guard let new else { return }
        report(row.leftOut + keptValues(row, of: old), of: row.name.text)
        if options.format == .csv { noteClearing(row, changes, of: old) }
        earlier.insert(old.id.rawValue)
        mark?.earlier.append(old.id)
        let outcome: LoadReport.Outcome = new.version == old.version ? .unchanged : .changed
        report.users.count(outcome)
        // A line that stays as it is closes no cycle, and is not remembered.
        if row.manager != nil, try !keepsManager(old, row, endsLine: endsLine) {
            lines.add(
                old.id, row, endsLine: endsLine, oldManager: old.managerID, isUnchanged: outcome == .unchanged)
        }
        if try !isMember(old.id, of: row.memberships) { keepMemberships(of: row, outcome) }
    }

    /// Whether the manager of an existing user stays the same.
    private mutating func keepsManager(_ old: User, _ row: PreparedUserRow, endsLine: Bool) throws -> Bool {
        guard !endsLine, let manager = old.managerID else { return endsLine && old.managerID == nil }
        guard options.managersBy == "uid", let key = row.managerKey else { return false }
        return try loading.find(key: key) == manager
    }

    /// The values that stay because the row ends before their fields.
    private func keptValues(_ row: PreparedUserRow, of old: User) -> [ImportRow.LeftOut] {
        row.missing.filter { $0.name == "manager" ? old.managerID != nil : old.attributes[$0.name] != nil }.map {
            .init(field: $0.field, line: row.line, message: "The row ends before '\($0.field)', so the value was kept.")
        }
    }

    private mutating func noteClearing(_ row: PreparedUserRow, _ changes: [AttributeChange], of old: User) {
        var (sets, clears): ([AttributeName], [AttributeName]) = ([], [])
        for change in changes where change.name != "active" {
            if case .clear = change { clears.append(change.name) } else { sets.append(change.name) }
        }
        clearing.note(sets: sets, clears: clears, manager: row.manager, of: old, line: row.line)
    }

    private mutating func keepMemberships(of row: PreparedUserRow, _ outcome: LoadReport.Outcome) {
        guard !row.memberships.isEmpty else { return }
        relations.append(
            .init(
                line: row.line, name: row.name.text, isRole: false, memberships: row.memberships, outcome: outcome))
    }

    // MARK: Roles

    /// Writes a role at once, so that roles are stored in the order of the document.
    private mutating func take(_ row: ImportRow, _ changes: Result<[AttributeChange], DirectoryError>) throws {
        count += 1
        try loading.flush()
        var outcome: LoadReport.Outcome?
        let importing = administrator.importing
        try attempt(line: row.name.line, row.name.text, "name", isRowLeftOut: true) { _ in
            outcome = try importing.writeRole(row.name.text, changes.get())
        }
        try loading.resume()
        guard let outcome else { return }
        report(row.leftOut, of: row.name.text)
        relations.append(
            .init(
                line: row.line, name: row.name.text, isRole: true, memberships: row.memberships, outcome: outcome))
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
