public import Foundation

/// The formats in which directories are exchanged.
public enum ExchangeFormat: String, Sendable, Hashable, CaseIterable {
    /// A seed, which has everything but identifiers, versions and times.
    case json
    /// A table with a row for each person (RFC 4180).
    case csv
    /// A list with a record for each person and for each role (RFC 2849).
    case ldif
}

/// The options of an import.
public struct ImportOptions: Sendable {
    /// The treatment of a row that cannot be imported.
    public enum BadRow: String, Sendable, CaseIterable {
        /// The import stops, and the directory stays unchanged.
        case stop
        /// The import goes on without the row. A person whose manager is missing, or would form a cycle, is taken without the
        /// manager. The report names each case.
        case skip
    }
    /// The format.
    public var format: ExchangeFormat
    /// For CSV, the header of the column from which each attribute comes. If it is empty, columns whose header is the name of
    /// an attribute are taken.
    public var columns: [AttributeName: String]
    /// The values that mean that a person has no manager.
    public var noManager: Set<String>
    /// The treatment of a row that cannot be imported.
    public var onBadRow: BadRow
    /// The rights that the file may give. If it may give none, columns and attributes that name roles are left out, and
    /// ``ImportReport/notGranted`` names them.
    public var grants: Grants
    /// For CSV, whether formulas are escaped in the file, as `export(_:isForSpreadsheet:to:)` does for a
    /// spreadsheet.
    public var isFromSpreadsheet: Bool
    /// The attribute by which the file names managers: `uid`, `mail` or `employeeNumber`. Managers need not be in the file.
    public var managersBy: AttributeName = "uid"
    /// For CSV, the form of dates in the file; nil for ISO 8601, as in `2026-01-31`.
    public var dateFormat: DateFormat?
    /// The users to disable because the file does not name them; nil for none.
    public var leavers: Leavers?

    /// The people who are disabled because a document that names everybody does not name them.
    public struct Leavers: Sendable, Hashable {
        /// The people of whom the document names everybody, such as those of one company. Administrators among them stay active.
        public var scope: Filter
        /// The largest number of people to disable; nil for a tenth of the active people in the scope, rounded up. If more are
        /// missing, the import is refused.
        public var most: Int?

        /// Describes who is disabled.
        public init(scope: Filter, most: Int? = nil) {
            self.scope = scope
            self.most = most
        }
    }

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

/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// A row, or a part of a row, that could not be imported.
    public struct Problem: Sendable, Equatable {
        /// The line of the file at which the row begins.
        public let line: Int
        /// The name of the user or the role of the row; empty if the row has none.
        public let uid: String
        /// The column, the attribute or the key that was at fault, as the file calls it; empty if it was the whole row.
        public let field: String
        /// The reason.
        public let message: String
        /// Whether the whole row was left out. If not, the person was taken without the part that was wrong.
        public let isRowLeftOut: Bool
    }
    /// The numbers of people that were created, changed and left as they were.
    public internal(set) var users = LoadReport.Counts()
    /// The problems, in the order of the file.
    public internal(set) var problems: [Problem] = []
    /// The columns, or attributes, of the file that the directory does not know.
    public internal(set) var ignored: [String] = []
    /// The columns, or attributes, of the file that would have given roles and were left out, since
    /// ``ImportOptions/grants`` did not allow them.
    public internal(set) var notGranted: [String] = []
    /// The number of people who were disabled, because the file does not name them; see ``ImportOptions/leavers``.
    public internal(set) var disabled = 0
    /// The names of administrators who stay active although the file does not name them.
    public internal(set) var keptAdministrators: [String] = []
    /// The number of rows that were left out.
    public var leftOut: Int { problems.count { $0.isRowLeftOut } }
}

extension DirectoryView {
    /// Imports people in one transaction. Existing users get the values that the file gives them. Attributes and users that the file
    /// does not mention stay as they are, and nobody is deleted.
    ///
    /// - Parameters:
    ///   - data: The file. Map large ones: `Data(contentsOf: url, options: .alwaysMapped)`.
    ///   - name: The name of the file, for messages.
    ///   - options: The format, and how the rows are taken.
    ///   - progress: Called now and then with the number of rows that are done. It cannot call the directory: a change, and
    ///     in memory any call, throws `reentrantCall`.
    /// - Throws: `invalidInput` with the place, if a row cannot be taken and ``ImportOptions/onBadRow`` is to stop, or if the
    ///   file as a whole cannot be read; `limitExceeded` if more people would be disabled than ``ImportOptions/leavers``
    ///   allows; `notPermitted` for everyone but administrators.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> ImportReport {
        let shared = try embedded()
        let mark = VocabularyMark(shared.core, isSet: options.format == .json)
        let (report, vocabulary) = try write { try $0.importPeople(data, name, options, progress) }
        if options.format == .json { shared.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        return report
    }

    /// Imports people, as the synchronous form does.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let shared = try embedded()
        let mark = VocabularyMark(shared.core, isSet: options.format == .json)
        let (report, vocabulary) = try await awaitWrite { try $0.importPeople(data, name, options, progress) }
        if options.format == .json { shared.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        return report
    }
}

extension Transaction {
    fileprivate func importPeople(
        _ data: Data, _ name: String, _ options: ImportOptions, _ progress: (@Sendable (Int) -> Void)?
    ) throws -> (ImportReport, Vocabulary) {
        try rights.checkAdministrator(to: "import people")
        if options.format == .json {
            let seed = try Seed(json: data, name: name, checksRows: false)
            let loaded = try load(seed, options, offersSkipping: true, progress: progress)
            return (loaded.imported, loaded.vocabulary)
        }
        var importer = try Importer(self, data, file: name, options, offersSkipping: true)
        defer { importer.end() }
        if options.format == .csv {
            do {
                let source = try CSVSource(data, options, vocabulary)
                importer.fields = source.fields
                try importer.take(source, progress)
            } catch let error as DirectoryError where error.place?.file == nil && error.code == .invalidInput {
                var place = error.place ?? .init()
                place.file = name
                throw error.at(place)
            }
        } else {
            for definition in vocabulary.definitions() { importer.fields[definition.name] = definition.names[.ldap] }
            try importer.take(LDIFSource(data, vocabulary, options.grants), progress)
        }
        try importer.finish()
        return (importer.report, vocabulary)
    }
}
