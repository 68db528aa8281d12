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
    /// What the file may give people. Where it may give nothing, columns and attributes that name roles are left out,
    /// and ``ImportReport/notGranted`` tells which.
    public var grants: Grants
    /// Of CSV: whether formulas are escaped in the file, as ``DirectoryView/export(_:isForSpreadsheet:to:)`` does for a
    /// spreadsheet.
    public var isFromSpreadsheet: Bool

    /// Describes an import.
    public init(
        format: ExchangeFormat, columns: [AttributeName: String] = [:], noManager: Set<String> = [],
        onBadRow: BadRow = .stop, grants: Grants = .nothing, isFromSpreadsheet: Bool = false
    ) {
        self.format = format
        self.columns = columns
        self.noManager = noManager
        self.onBadRow = onBadRow
        self.grants = grants
        self.isFromSpreadsheet = isFromSpreadsheet
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
        /// The column, or the attribute, that was at fault, as the file calls it; empty where it was the row.
        public let field: String
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
    /// The columns, or attributes, of the file that would have given roles and were left out, since
    /// ``ImportOptions/grants`` did not allow them.
    public internal(set) var notGranted: [String] = []
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
    ///   - progress: Told now and then how many rows are done. It cannot call the directory: a change, and in memory any
    ///     call, throws `reentrantCall`.
    /// - Throws: `invalidInput` with file and line, where a row cannot be taken and ``ImportOptions/onBadRow`` is to
    ///   stop, or the file as a whole is not what it should be; `notPermitted` for all but administrators.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> ImportReport {
        if options.format == .json {
            let seed = try Seed(json: data, name: name)
            return ImportReport(try load(seed, grants: options.grants), seed, options.grants)
        }
        return try write { try $0.importPeople(data, name, options, progress) }
    }

    /// Imports people, as the synchronous form does.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> ImportReport {
        guard options.format == .json else {
            return try await awaitWrite { try $0.importPeople(data, name, options, progress) }
        }
        // Read on the writer's queue too: a large document would keep a thread of Swift's own busy.
        let (report, seed, vocabulary) = try await awaitWrite { session in
            let seed = try Seed(json: data, name: name)
            let (report, vocabulary) = try session.load(seed, options.grants)
            return (report, seed, vocabulary)
        }
        core.adopt(vocabulary)
        return ImportReport(report, seed, options.grants)
    }
}

extension ImportReport {
    fileprivate init(_ report: LoadReport, _ seed: Seed, _ grants: Grants) {
        users = report.users
        if grants == .nothing { notGranted = seed.subjectKeys }
    }
}

/// A person, or a role, as a file has it.
struct ImportRow {
    let line: Int
    var uid: String
    var isRole = false
    var manager: String?
    /// True or false, as the file writes it.
    var active: String?
    var values: [(name: AttributeName, value: AttributeValue)] = []
    /// Of a person: the roles to belong to. Of a role: the people who belong to it.
    var memberships: [Membership] = []

    struct Membership {
        let name: String
        let isRole: Bool
        let relation: RoleRelation
    }
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
            importer.report.notGranted = source.notGranted
            importer.fields = source.fields
            while true {
                do {
                    guard let row = try source.next() else { break }
                    try importer.take(row, progress)
                } catch let row as UnreadableRow {
                    try importer.leaveOut(row, isLast: source.isBroken)
                }
            }
        case .ldif, .json:
            var source = LDIFSource(data, vocabulary, options.grants)
            for definition in vocabulary.definitions() { importer.fields[definition.name] = definition.names[.ldap] }
            while true {
                do {
                    guard let row = try source.next() else { break }
                    try importer.take(row, progress)
                } catch let row as UnreadableRow {
                    try importer.leaveOut(row, isLast: false)
                }
            }
            importer.report.ignored = source.ignored.sorted()
            importer.report.notGranted = source.notGranted.sorted()
        }
        try importer.finish()
        progress?(importer.count)
        return importer.report
    }
}
