import Foundation
import RosterStore
import RosterText

/// The result of loading a seed.
public struct LoadReport: Sendable, Equatable {
    /// The numbers of created, changed and unchanged objects of one kind.
    public struct Counts: Sendable, Equatable {
        /// The number of created objects.
        public internal(set) var created = 0
        /// The number of changed objects.
        public internal(set) var changed = 0
        /// The number of objects that already were as the seed describes them.
        public internal(set) var unchanged = 0

        mutating func count(_ outcome: Outcome) {
            switch outcome {
            case .created: created += 1
            case .changed: changed += 1
            case .unchanged: unchanged += 1
            }
        }
    }
    /// The outcome for one object.
    enum Outcome: Sendable {
        case created, changed, unchanged
    }
    /// The people.
    public internal(set) var users = Counts()
    /// The roles.
    public internal(set) var roles = Counts()
    /// The declared attributes.
    public internal(set) var attributes = Counts()
}

extension DirectoryView {
    /// Loads a seed: all of it or, on an error, nothing. Loading it again changes nothing.
    ///
    /// Existing users and roles get the values in the seed. Everything that the seed does not mention stays, and nobody
    /// is deleted. The members and owners that the seed names are added.
    ///
    /// - Parameters:
    ///   - seed: The document.
    ///   - grants: The rights that the seed may give. Unless this is ``Grants/administrators``, a seed that would make
    ///     somebody an administrator is refused.
    /// - Throws: `invalidInput`, which names file, line and field; `notPermitted` for all but administrators.
    @discardableResult
    public func load(_ seed: Seed, grants: Grants = .roles) throws -> LoadReport {
        let shared = try embedded()
        let mark = VocabularyMark(shared.core, isSet: true)
        let loaded = try write { try $0.asAdministrator(to: "load a seed").importing.load(seed, grants) }
        shared.adopt(loaded.vocabulary)
        withExtendedLifetime(mark) {}
        return loaded.report
    }

    /// Loads a seed, as the synchronous form does.
    @discardableResult
    public func load(_ seed: Seed, grants: Grants = .roles) async throws -> LoadReport {
        try await load(seed, grants: grants) { _ in }.report
    }

    /// Loads a seed together with entries that another module reads, all of it in one transaction.
    ///
    /// - Parameter further: Loads the other entries, after the attributes, the people and the roles. The closure may run
    ///   again if another change of the same commit was interrupted.
    package func load<Value: Sendable>(
        _ seed: Seed, grants: Grants = .roles, with further: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> (report: LoadReport, further: Value) {
        let shared = try embedded()
        let mark = VocabularyMark(shared.core, isSet: true)
        let (loaded, value) = try await awaitWrite { transaction in
            let loaded = try transaction.asAdministrator(to: "load a seed").importing.load(seed, grants)
            let transaction = Transaction(transaction)
            transaction.declaredVocabulary = loaded.vocabulary
            return (loaded, try further(transaction))
        }
        shared.adopt(loaded.vocabulary)
        withExtendedLifetime(mark) {}
        return (loaded.report, value)
    }
}

extension AdministratorImport {
    fileprivate func load(_ seed: Seed, _ grants: Grants) throws -> LoadedSeed {
        let loaded = try load(
            seed, ImportOptions(format: .json, grants: grants), offersSkipping: false, progress: nil)
        // An import names what it leaves out of a row; a seed has no report for that.
        if let problem = loaded.imported.problems.first {
            throw DirectoryError(
                .invalidInput, problem.message, advice: "Give one value for each attribute.",
                at: .init(file: seed.name, line: problem.line, field: problem.field.isEmpty ? nil : problem.field))
        }
        return loaded
    }

    /// Loads a seed: first its attributes, then its people, then its roles.
    ///
    /// - Parameter offersSkipping: Whether the advice of errors says that bad rows can be skipped.
    func load(
        _ seed: Seed, _ options: ImportOptions, offersSkipping: Bool, progress: (@Sendable (Int) -> Void)?
    ) throws -> LoadedSeed {
        var report = LoadReport()
        let transaction = Transaction(self.transaction)
        transaction.declaredVocabulary = try loadVocabulary(of: seed, &report)
        var importer = try Importer(
            transaction.asAdministrator(to: "load a seed"), seed.document, file: seed.name, options,
            offersSkipping: offersSkipping)
        defer { importer.end() }
        try importer.take(seed.people(options.grants), progress)
        try importer.finishUsers()
        try importer.take(seed.roles(options.grants), progress)
        try importer.finish()
        report.users = importer.report.users
        report.roles = importer.roles
        return LoadedSeed(report: report, imported: importer.report, vocabulary: transaction.vocabulary)
    }

    /// Loads the attributes of a seed.
    ///
    /// - Returns: The vocabulary with the attributes that the seed declares.
    func loadVocabulary(of seed: Seed, _ report: inout LoadReport) throws -> Vocabulary {
        for attribute in seed.attributes {
            let (isNew, isChanged) = try placing(attribute.line, in: seed) {
                let definition = attribute.value
                let isNew = try !administrator.attributes.declare([definition]).isEmpty
                // A seed without texts keeps the stored ones.
                guard !isNew, !definition.texts.isEmpty else { return (isNew, false) }
                return (false, try administrator.attributes.setTexts(definition.texts, of: definition.name))
            }
            if isNew {
                report.attributes.created += 1
            } else if isChanged {
                report.attributes.changed += 1
            } else {
                report.attributes.unchanged += 1
            }
        }
        for builtIn in seed.builtIn {
            let isChanged = try placing(builtIn.line, in: seed) {
                let (rights, rules) = (builtIn.value.rights, builtIn.value.rules)
                let hasRights = rights.readers != nil || rights.writers != nil
                let hasNewRights =
                    try hasRights
                    && transaction.asPresentAdministrator(to: "set who reads and writes attributes").setRights(
                        of: rights.name, rights.entity, rights.readers, rights.writers)
                return try rules.map { try administrator.attributes.setRules($0, of: rights.name) } == true
                    || hasNewRights
            }
            if isChanged { report.attributes.changed += 1 } else { report.attributes.unchanged += 1 }
        }
        return try AttributeManager.vocabulary(on: transaction.connection)
    }

    /// Runs a part of the loading. Adds the place in the seed to an error.
    private func placing<Value>(_ line: Int, in seed: Seed, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DirectoryError {
            throw error.inDocument(
                at: .init(file: seed.name, line: line, field: error.attribute?.rawValue ?? "name"))
        }
    }
}

/// The outcome of loading a seed.
struct LoadedSeed: Sendable {
    let report: LoadReport
    let imported: ImportReport
    /// The vocabulary with the attributes that the seed declares.
    let vocabulary: Vocabulary
}
