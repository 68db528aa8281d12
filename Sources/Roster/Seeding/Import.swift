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

extension DirectoryView {
    /// Imports people in one transaction. Existing users get the values that the file gives them. Attributes and users that the file
    /// does not mention stay as they are, and nobody is deleted.
    ///
    /// - Parameters:
    ///   - data: The file. Map large ones: `Data(contentsOf: url, options: .alwaysMapped)`.
    ///   - name: The name of the file, for messages.
    ///   - options: The format, and how the rows are read.
    ///   - progress: Called now and then with the number of rows that are done. It cannot call the directory: a change, and
    ///     in memory any call, throws `reentrantCall`.
    /// - Throws: `invalidInput` with the place, if a row cannot be imported and ``ImportOptions/onBadRow`` is to stop, or if the
    ///   file as a whole cannot be read; `limitExceeded` if more people would be disabled than ``ImportOptions/leavers``
    ///   allows; `notPermitted` for everyone but administrators.
    @discardableResult
    public func importPeople(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> ImportReport {
        let shared = try embedded()
        let mark = VocabularyMark(shared.core, isSet: options.format == .json)
        let (report, vocabulary) = try write {
            try $0.asAdministrator(to: "import people").importing.importPeople(data, name, options, progress)
        }
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
        let (report, vocabulary) = try await awaitWrite {
            try $0.asAdministrator(to: "import people").importing.importPeople(data, name, options, progress)
        }
        if options.format == .json { shared.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        return report
    }
}

extension AdministratorImport {
    fileprivate func importPeople(
        _ data: Data, _ name: String, _ options: ImportOptions, _ progress: (@Sendable (Int) -> Void)?
    ) throws -> (ImportReport, Vocabulary) {
        if options.format == .json {
            let seed = try Seed(json: data, name: name, checksRows: false)
            let loaded = try load(seed, options, offersSkipping: true, progress: progress)
            var report = loaded.imported
            report.ignored += seed.sectionsOfSignIn
            return (report, loaded.vocabulary)
        }
        var importer = try Importer(administrator, data, file: name, options, offersSkipping: true)
        defer { importer.end() }
        if options.format == .csv {
            do {
                let source = try CSVSource(data, options, transaction.vocabulary)
                importer.fields = source.fields
                try importer.take(source, progress)
            } catch let error as DirectoryError where error.place?.file == nil && error.code == .invalidInput {
                var place = error.place ?? .init()
                place.file = name
                throw error.at(place)
            }
        } else {
            for definition in transaction.vocabulary.definitions() {
                importer.fields[definition.name] = definition.names[.ldap]
            }
            try importer.take(LDIFSource(data, options, transaction.vocabulary), progress)
        }
        try importer.finish()
        return (importer.report, transaction.vocabulary)
    }
}
