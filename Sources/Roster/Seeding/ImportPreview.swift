public import Foundation
import RosterStore

/// The report and the changes that an import would give.
public struct ImportPreview: Sendable {
    /// The report that the import would give.
    public let report: ImportReport
    /// The entries that the import would add to the change feed, in order: one entry for each user, role and attribute, with names in place of
    /// managers' identifiers. The identifiers, numbers and times mean nothing.
    public let changes: [Change]
    /// Whether there are more changes than were asked for.
    public let isCut: Bool
}

/// Carries a preview out of an open transaction, which the error rolls back.
private struct RolledBack: Error {
    let preview: ImportPreview
}

extension DirectoryView {
    /// Tries an import, and keeps nothing of it.
    ///
    /// The import runs on an image of the directory as it is now, so that the preview is exactly what the import would do now. Nobody waits
    /// for a preview, and it waits for nobody. Of a file, the image keeps what the import changes; from a server, it is filled with what
    /// the import looks at. Within `transaction`, the preview has the changes of the transaction, and is one of its steps.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - name: The name of the file, for messages.
    ///   - options: The format, and how the rows are read.
    ///   - limit: The largest number of changes to return.
    /// - Throws: The errors of `importPeople(from:named:options:progress:)`.
    public func previewImport(
        from data: Data, named name: String, options: ImportOptions, limit: Int = 10_000
    ) async throws -> ImportPreview {
        let shared = try embedded()
        if shared.open != nil { return try previewWithin(data, name, options, limit) }
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await Directory.cancellable { _ in try self.preview(data, name, options, limit, cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Tries an import, as the asynchronous form does.
    public func previewImport(
        from data: Data, named name: String, options: ImportOptions, limit: Int = 10_000
    ) throws -> ImportPreview {
        let shared = try embedded()
        if shared.open != nil { return try previewWithin(data, name, options, limit) }
        return try preview(data, name, options, limit, Cancellation())
    }

    private func preview(
        _ data: Data, _ name: String, _ options: ImportOptions, _ limit: Int, _ cancellation: Cancellation
    ) throws -> ImportPreview {
        let core = try embedded().core
        let mark = VocabularyMark(core)
        defer { withExtendedLifetime(mark) {} }
        return try core.store.tryChanges(
            now: core.clock(), schema: .current,
            filling: { source, image in
                if options.format == .json, Self.declares(data, name) {
                    // Whether a rule can be set depends on everybody's values.
                    try DirectoryCopy(
                        source: source, target: image, progress: nil, isCancelled: { cancellation.isCancelled }
                    ).fillImage()
                } else {
                    try ImageFilling.begin(source, image) { cancellation.isCancelled }
                }
            }
        ) { image in
            try cancellation.run(on: image)
            defer { cancellation.pause(on: image) }
            return try OpenTransaction.run(on: image, for: self, mark) { view in
                try view.preview(data, name, options, limit)
            }.value
        }
    }

    /// Whether a seed declares attributes, or changes the rules or the rights of attributes.
    private static func declares(_ data: Data, _ name: String) -> Bool {
        guard let seed = try? Seed(json: data, name: name, checksRows: false) else { return false }
        return !seed.attributes.isEmpty || !seed.builtIn.isEmpty
    }

    private func previewWithin(
        _ data: Data, _ name: String, _ options: ImportOptions, _ limit: Int
    ) throws -> ImportPreview {
        do {
            return try transaction { view -> ImportPreview in
                throw RolledBack(preview: try view.preview(data, name, options, limit))
            }
        } catch let error as RolledBack {
            return error.preview
        }
    }

    private func preview(_ data: Data, _ name: String, _ options: ImportOptions, _ limit: Int) throws -> ImportPreview {
        let last = try changes.lastSequence()
        let report = try importPeople(from: data, named: name, options: options)
        var made: [Change] = []
        while made.count <= limit {
            let page = try changes.since(made.last?.sequence ?? last, limit: min(1_000, limit + 1 - made.count))
            if page.isEmpty { break }
            made += page
        }
        let isCut = made.count > limit
        var names: [String: String] = [:]
        func shown(_ id: String, ofRole isRole: Bool) throws -> String {
            if let known = names[id] { return known }
            let found =
                isRole
                ? try RoleID(id).flatMap { try roles.find(.id($0), attributes: ["name"])?.name }
                : try UserID(id).flatMap { try users.find(.id($0), attributes: ["uid"])?.uid }
            names[id] = found ?? id
            return found ?? id
        }
        func named(_ values: AttributeSet, of entity: Change.Entity) throws -> AttributeSet {
            var values = values
            if let id = values["manager"]?.text { values["manager"] = .string(try shown(id, ofRole: false)) }
            guard entity == .role else { return values }
            for link in RoleLink.allCases {
                guard let ids = values[link.historyName]?.elements else { continue }
                values[link.historyName] = .list(
                    try ids.map { .string(try shown($0.text ?? "", ofRole: link.hierarchy != nil)) })
            }
            return values
        }
        var differences: [Change] = []
        var places: [String: Int] = [:]
        for var change in made.prefix(limit) {
            change.before = try named(change.before, of: change.entity)
            change.after = try named(change.after, of: change.entity)
            let subject = "\(change.entity) \(change.subjectID)"
            // A reporting line whose manager comes later in the file, for example, is a change of its own.
            if change.kind == .modified, let place = places[subject] {
                differences[place].add(change)
            } else {
                places[subject] = differences.count
                differences.append(change)
            }
        }
        return ImportPreview(report: report, changes: differences, isCut: isCut)
    }
}

extension Change {
    /// Takes a later change of the same subject into this one.
    fileprivate mutating func add(_ later: Change) {
        var later = later
        if entity == .role {
            // An entry has only those who came and those who left.
            for name in RoleLink.allCases.map(\.historyName) {
                let gone = (before[name]?.elements ?? []) + (later.before[name]?.elements ?? [])
                let new = (after[name]?.elements ?? []) + (later.after[name]?.elements ?? [])
                before[name] = gone.isEmpty ? nil : .list(gone)
                after[name] = new.isEmpty ? nil : .list(new)
                (later.before[name], later.after[name]) = (nil, nil)
            }
        }
        let known = after
        for value in later.before where kind != .created && known[value.name] == nil && before[value.name] == nil {
            before[value.name] = value.value
        }
        for value in later.before where later.after[value.name] == nil { after[value.name] = nil }
        for value in later.after { after[value.name] = value.value }
    }
}
