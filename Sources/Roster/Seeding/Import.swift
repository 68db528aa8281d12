public import Foundation

/// The formats in which directories are exchanged.
public enum ExchangeFormat: String, Sendable, Hashable, CaseIterable {
    /// A seed: everything but identifiers, versions and times.
    case json
    /// One row a person (RFC 4180).
    case csv
    /// One record a person, and one a role (RFC 2849).
    case ldif
}

/// How people are imported.
public struct ImportOptions: Sendable {
    /// What is done with a row that cannot be taken.
    public enum BadRow: String, Sendable, CaseIterable {
        /// The import stops, and nothing is kept.
        case stop
        /// The import goes on without the row; a person whose manager is missing, or would close a circle, is taken
        /// without the manager. The report tells each.
        case skip
    }
    /// The format.
    public var format: ExchangeFormat
    /// Of CSV: from which column, by its header, each attribute comes. None: from those whose header names an attribute.
    public var columns: [AttributeName: String]
    /// What stands for no manager.
    public var noManager: Set<String>
    /// What is done with a row that cannot be taken.
    public var onBadRow: BadRow

    /// Describes an import.
    public init(
        format: ExchangeFormat, columns: [AttributeName: String] = [:], noManager: Set<String> = [],
        onBadRow: BadRow = .stop
    ) {
        self.format = format
        self.columns = columns
        self.noManager = noManager
        self.onBadRow = onBadRow
    }
}

/// What an import came to.
public struct ImportReport: Sendable, Equatable {
    /// Something that could not be taken.
    public struct Problem: Sendable, Equatable {
        /// The line of the file at which the row begins.
        public let line: Int
        /// Whom the row is about; empty where it does not say.
        public let uid: String
        /// What was wrong.
        public let message: String
        /// Whether the whole row was left out; else the person was taken without what was wrong.
        public let isRowLeftOut: Bool
    }
    /// How many people were created, changed and left as they were.
    public internal(set) var users = LoadReport.Counts()
    /// What could not be taken, in the order of the file.
    public internal(set) var problems: [Problem] = []
    /// The columns, or attributes, of the file that mean nothing here.
    public internal(set) var ignored: [String] = []
    /// How many rows were left out.
    public var leftOut: Int { problems.count { $0.isRowLeftOut } }
}

extension DirectoryView {
    /// Imports people, in one transaction. Those whom the directory has already are changed to what the file says of
    /// them; what it does not mention stays, and nobody is deleted.
    ///
    /// - Parameters:
    ///   - data: The file. Map large ones: `Data(contentsOf: url, options: .alwaysMapped)`.
    ///   - name: What the file is called in messages.
    ///   - options: The format, and what is to be made of it.
    ///   - progress: Told now and then how many rows are done.
    /// - Throws: `invalidInput` with file and line, where a row cannot be taken and ``ImportOptions/onBadRow`` is to
    ///   stop, or the file as a whole is not what it should be; `notPermitted` for all but administrators.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> ImportReport {
        if options.format == .json { return ImportReport(try load(Seed(json: data, name: name))) }
        return try write { try $0.importPeople(data, name, options, progress) }
    }

    /// Imports people, as the synchronous form does.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> ImportReport {
        if options.format == .json { return ImportReport(try await load(Seed(json: data, name: name))) }
        return try await awaitWrite { try $0.importPeople(data, name, options, progress) }
    }
}

extension ImportReport {
    fileprivate init(_ report: LoadReport) { users = report.users }
}

/// A person, or a role, as a file has it.
struct ImportRow {
    let line: Int
    var uid: String
    var isRole = false
    var manager: String?
    var isActive: Bool?
    var values: [(name: AttributeName, value: AttributeValue)] = []
    /// Of a person: the roles to belong to. Of a role: the people who belong to it.
    var memberships: [(name: String, isRole: Bool, relation: RoleRelation)] = []
}

extension Session {
    fileprivate func importPeople(
        _ data: Data, _ name: String, _ options: ImportOptions, _ progress: (@Sendable (Int) -> Void)?
    ) throws -> ImportReport {
        try rights.checkAdministrator(to: "import people")
        var importer = Importer(session: self, name: name, options: options)
        switch options.format {
        case .csv:
            var source = try CSVSource(data, name, options, vocabulary)
            importer.report.ignored = source.ignored
            while let row = try source.next() { try importer.take(row, progress) }
        case .ldif, .json:
            var source = LDIFSource(data, name, vocabulary)
            while let row = try source.next() { try importer.take(row, progress) }
            importer.report.ignored = source.ignored.sorted()
        }
        try importer.finish()
        return importer.report
    }
}

/// Takes rows into the directory: people at once, managers and memberships when everyone is there.
private struct Importer {
    let session: Session
    let name: String
    let options: ImportOptions
    var report = ImportReport()
    private var seen: Set<String> = []
    private var later: [ImportRow] = []
    private var count = 0

    init(session: Session, name: String, options: ImportOptions) {
        self.session = session
        self.name = name
        self.options = options
    }

    /// Does a part of the work for a row in a savepoint of its own; a failure is told or ends the import.
    private mutating func attempt(_ row: ImportRow, leavingOutRow: Bool, _ body: () throws -> Void) throws -> Bool {
        try session.connection.run(SeedingStatements.openRow)
        do {
            try body()
            try session.connection.run(SeedingStatements.releaseRow)
            return true
        } catch let error as DirectoryError {
            guard options.onBadRow == .skip, !session.connection.isOutsideTransaction else {
                throw DirectoryError(
                    .invalidInput, "\(name), line \(row.line): \(error.message)",
                    advice: error.advice.map { $0 + " Or have bad rows skipped." }
                        ?? "Correct it, or have bad rows skipped.",
                    attribute: error.attribute)
            }
            try session.connection.run(SeedingStatements.undoRow)
            try session.connection.run(SeedingStatements.releaseRow)
            report.problems.append(
                .init(line: row.line, uid: row.uid, message: error.message, isRowLeftOut: leavingOutRow))
            return false
        }
    }

    mutating func take(_ row: ImportRow, _ progress: (@Sendable (Int) -> Void)?) throws {
        count += 1
        if count % 500 == 0 { progress?(count) }
        if row.isRole {
            // At once, so that roles are in the order of the file, whoever names them first.
            let session = session
            if try attempt(row, leavingOutRow: true, { try session.writeRole(row) }) { later.append(row) }
            return
        }
        let isNew = seen.insert(FoldedText.of(row.uid)).inserted
        var outcome: WritableKeyPath<LoadReport.Counts, Int>?
        let session = session
        let isTaken = try attempt(row, leavingOutRow: true) {
            guard isNew else {
                throw DirectoryError(
                    .invalidInput, "\(EntityName.shown(row.uid)) stands in an earlier row already.", attribute: "uid")
            }
            outcome = try session.write(row)
        }
        guard isTaken, let outcome else { return }
        report.users[keyPath: outcome] += 1
        if row.manager != nil || !row.memberships.isEmpty {
            later.append(ImportRow(line: row.line, uid: row.uid, manager: row.manager, memberships: row.memberships))
        }
    }

    mutating func finish() throws {
        for row in later {
            if let manager = row.manager, !options.noManager.contains(manager) {
                let session = session
                _ = try attempt(row, leavingOutRow: false) {
                    _ = try session.setManager(.either(manager), of: .named(row.uid), ifVersion: nil)
                }
            }
            guard row.isRole || !row.memberships.isEmpty else { continue }
            let session = session
            _ = try attempt(row, leavingOutRow: false) { try session.relate(row) }
        }
        report.problems.sort { $0.line < $1.line }
    }
}

extension Session {
    /// Creates the person of a row, or changes the one of that name.
    fileprivate func write(_ row: ImportRow) throws -> WritableKeyPath<LoadReport.Counts, Int> {
        var changes = try row.values.map { name, value in
            guard let definition = vocabulary.definition(of: name) else {
                throw DirectoryError.unknownAttribute(name, of: .user)
            }
            return AttributeChange.set(name, try definition.typed(value))
        }
        if let isActive = row.isActive { changes.append(.set("active", .boolean(isActive))) }
        let old = try connection.first(UserStatements.byName, text: FoldedText.of(row.uid)) {
            try User($0, view: view)
        }
        if let old {
            return try modify(.id(old.id), changes, ifVersion: nil).version == old.version ? \.unchanged : \.changed
        }
        // As changes, one after the other: `mail` and then `emails` fill the same place.
        var attributes = AttributeSet()
        for change in changes where change.name != "active" {
            guard let definition = vocabulary.definition(of: change.name), definition.writers != .nobody else {
                throw DirectoryError.unknownAttribute(change.name, of: .user)
            }
            try attributes.apply(change, definition)
        }
        _ = try create(NewUser(row.uid, attributes: attributes, isActive: row.isActive ?? true))
        return \.created
    }

    /// The role of a name, made where there is none.
    private func role(_ name: String) throws -> Role {
        let found = try connection.first(RoleStatements.byName, text: FoldedText.of(name)) { try Role($0, view: view) }
        return try found ?? createRole(name, [:])
    }

    /// Creates the role of a row, or changes the one of that name.
    fileprivate func writeRole(_ row: ImportRow) throws {
        _ = try modifyRole(.id(role(row.uid).id), row.values.map { .set($0.name, $0.value) }, ifVersion: nil)
    }

    /// Relates a role with those who belong to it, or a person with the roles to belong to, which are made.
    fileprivate func relate(_ row: ImportRow) throws {
        guard row.isRole else {
            for (name, _, relation) in row.memberships {
                try add([.user(.named(row.uid))], to: .id(role(name).id), as: relation, ifVersion: nil)
            }
            return
        }
        let own = try role(row.uid)
        for (name, isRole, relation) in row.memberships {
            let subject: RoleSubject = isRole ? .role(.id(try role(name).id)) : .user(.named(name))
            try add([subject], to: .id(own.id), as: relation, ifVersion: nil)
        }
    }
}
