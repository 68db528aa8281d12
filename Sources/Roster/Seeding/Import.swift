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
        let (report, vocabulary) = try write { try $0.importPeople(data, name, options, progress) }
        core.adopt(vocabulary)
        return report
    }

    /// Imports people, as the synchronous form does.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let (report, vocabulary) = try await awaitWrite { try $0.importPeople(data, name, options, progress) }
        core.adopt(vocabulary)
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
        var importer = try Importer(self, file: name, options, offersSkipping: true)
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
