public import Foundation

extension DirectoryView {
    /// Imports people in steps, so that other changes wait for a quarter of a second at most. Each step is a transaction of its own:
    /// first the users and roles in the order of the file, then the reporting lines, the memberships and the people who have left.
    ///
    /// An error or a cancelled task stops the import and keeps the finished steps. Users of the imported rows then have their values,
    /// but reporting lines, memberships and disabled leavers can be missing. To finish, import the same file again: rows that are
    /// stored already change nothing. `importPeople(from:named:options:progress:)` imports everything or nothing, and all other
    /// changes wait for the whole import.
    ///
    /// Rows are read and prepared, and reporting lines are checked, while others write. Lines are stored from the top down, so that
    /// no step closes a cycle of reporting lines. Within `transaction`, the import is one step.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - name: The name of the file, for messages.
    ///   - options: The format, and how the rows are read.
    ///   - progress: Called after each step with the number of rows that are kept.
    /// - Throws: The errors of `importPeople(from:named:options:progress:)`, with the number of rows that are kept;
    ///   `CancellationError`.
    @discardableResult
    public func importInSteps(
        from data: Data, named name: String, options: ImportOptions, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let shared = try embedded()
        guard shared.open == nil else {
            return try await importPeople(from: data, named: name, options: options, progress: progress)
        }
        let importer = try await awaitRead { transaction in
            let administrator = try transaction.asAdministrator(to: "import people")
            return Held(value: try Importer(administrator, data, file: name, options, offersSkipping: true))
        }
        let steps = SteppedImport(self, importer.value, progress)
        do {
            return try await steps.run(data, name, options)
        } catch let error as DirectoryError where steps.rows > 0 {
            throw error.advising(
                "The first \(steps.rows) rows of the file are kept. Import the same file again to finish: rows that are there "
                    + "already change nothing.")
        }
    }
}

/// Hands a value that only one thread uses at a time from one thread to the next, which the compiler cannot see.
private struct Held<Value>: @unchecked Sendable {
    let value: Value
}

/// An import whose steps are transactions of their own.
private final class SteppedImport: @unchecked Sendable {
    // Unchecked: the steps run one after the other.

    /// The time for which a step takes rows. Storing them takes about as long.
    private static let timeOfStep = Duration.milliseconds(60)
    /// The wanted time of a step with its commit. A change of somebody else waits for one step, and then for its own commit.
    private static let wantedTime = Duration.milliseconds(120)
    /// The number of rows that are prepared at once.
    private static let chunk = 250
    /// The number of memberships that are stored at once.
    private static let memberships = 250

    private let view: DirectoryView
    private let progress: (@Sendable (Int) -> Void)?
    private var importer: Importer
    /// The number of rows that are kept.
    private(set) var rows = 0
    /// The largest number of rows in the next step. The number falls when a step takes longer than the wanted time: a database server
    /// stores rows more slowly than the importer takes them.
    private var rowsOfStep = chunk
    /// The time at which the last step began to write.
    private var started = ContinuousClock.now

    init(_ view: DirectoryView, _ importer: Importer, _ progress: (@Sendable (Int) -> Void)?) {
        (self.view, self.importer, self.progress) = (view, importer, progress)
    }

    func run(_ data: Data, _ name: String, _ options: ImportOptions) async throws -> ImportReport {
        let vocabulary = view.vocabulary
        switch options.format {
        case .json:
            let seed = try Seed(json: data, name: name, checksRows: false)
            let vocabulary = try await declareAttributes(of: seed)
            try await take(seed.people(options.grants), vocabulary)
            try await setLines()
            try await take(seed.roles(options.grants), vocabulary)
            importer.leaveOut(seed.sectionsOfSignIn)
        case .csv:
            do {
                let source = try CSVSource(data, options, vocabulary)
                importer.fields = source.fields
                let removes = source.contains { if case .row(let row) = $0 { row.removesValues } else { false } }
                if removes {
                    try await Clearing.counted(source, in: view).check(atMost: options.mostCleared, source.fields)
                }
                try await take(source, vocabulary)
            } catch let error as DirectoryError where error.place?.file == nil && error.code == .invalidInput {
                var place = error.place ?? .init()
                place.file = name
                throw error.at(place)
            }
        case .ldif:
            for definition in vocabulary.definitions() { importer.fields[definition.name] = definition.names[.ldap] }
            try await take(LDIFSource(data, options, vocabulary), vocabulary)
        }
        try await setLines()
        try await relate()
        try await disableLeavers()
        importer.finishReport()
        return importer.report
    }

    // MARK: Steps

    /// Runs a step as one transaction, and keeps what the importer has gathered in the step.
    private func step<Value: Sendable>(
        _ body: @escaping @Sendable (inout Importer, _ end: ContinuousClock.Instant) throws -> Value
    ) async throws -> Value {
        let value = try await view.awaitWrite(isLong: true) { [self] transaction in
            try importer.begin(transaction.asAdministrator(to: "import people"))
            started = .now
            return try body(&importer, .now + Self.timeOfStep)
        }
        let time = started.duration(to: .now)
        rowsOfStep = time > Self.wantedTime ? max(rowsOfStep / 2, 10) : min(rowsOfStep + rowsOfStep / 4, Self.chunk)
        importer.keep()
        rows = importer.count
        progress?(rows)
        return value
    }

    /// Does something with each element, in as many steps as the time needs.
    private func steps<Element: Sendable>(
        for elements: [Element], _ body: @escaping @Sendable (inout Importer, Element) throws -> Void
    ) async throws {
        var next = 0
        while next < elements.count {
            let first = next
            next = try await step { importer, end in
                var next = first
                repeat {
                    try body(&importer, elements[next])
                    next += 1
                } while next < elements.count && .now < end
                return next
            }
        }
    }

    /// Finds something out while others write.
    private func readAhead<Value: Sendable>(
        _ body: @escaping @Sendable (inout Importer) throws -> Value
    ) async throws -> Value {
        let before = Held(value: importer)
        let (after, value) = try await view.awaitRead { transaction in
            // A read can run again, so that it changes a copy.
            var importer = before.value
            try importer.begin(transaction.asAdministrator(to: "import people"))
            let value = try body(&importer)
            return (Held(value: importer), value)
        }
        importer = after.value
        importer.keep()
        return value
    }

    private func declareAttributes(of seed: Seed) async throws -> Vocabulary {
        let shared = try view.embedded()
        let mark = VocabularyMark(shared.core, isSet: true)
        let vocabulary = try await view.awaitWrite { transaction in
            var report = LoadReport()
            return try transaction.asAdministrator(to: "import people").importing.loadVocabulary(of: seed, &report)
        }
        shared.adopt(vocabulary)
        withExtendedLifetime(mark) {}
        return vocabulary
    }

    private func take(_ items: some Sequence<ImportItem>, _ vocabulary: Vocabulary) async throws {
        var items = items.makeIterator()
        while true {
            var chunk: [PreparedRow] = []
            while chunk.count < Self.chunk, let item = items.next() {
                chunk.append(PreparedRow(item, vocabulary, isIntoEmpty: false))
            }
            if chunk.isEmpty { return }
            var next = 0
            while next < chunk.count {
                let rest = chunk[next...].prefix(rowsOfStep)
                next = try await step { importer, end in try importer.take(rest, until: end) }
            }
        }
    }

    // MARK: The end

    private func setLines() async throws {
        let lines = try await readAhead { importer in try importer.fromTheTop(try importer.checkedLines()) }
        try await steps(for: lines) { importer, line in try importer.setUnlessOthersHaveChanged(line) }
    }

    private func relate() async throws {
        let pieces = importer.relations.flatMap { relation in
            stride(from: 0, to: relation.memberships.count, by: Self.memberships).map { start in
                (relation: relation, memberships: relation.memberships[start...].prefix(Self.memberships))
            }
        }
        try await steps(for: pieces) { importer, piece in
            _ = try importer.relate(piece.relation, piece.memberships)
        }
    }

    private func disableLeavers() async throws {
        guard let missing = try await readAhead({ try $0.missing() }) else { return }
        try await steps(for: missing.users) { importer, user in try importer.disable(user) }
    }
}
