public import Foundation

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

/// Carries a preview out of the transaction, which the error rolls back.
private struct RolledBack: Error {
    let preview: ImportPreview
}

extension DirectoryView {
    /// Tries an import, and keeps nothing of it.
    ///
    /// The import runs in a transaction that is rolled back, so that the preview is exactly what the import would do now. Other changes
    /// wait meanwhile, as they do for the import.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - name: The name of the file, for messages.
    ///   - options: The format, and how the rows are taken.
    ///   - limit: The largest number of changes to return.
    /// - Throws: The errors of `importPeople(from:named:options:progress:)`.
    public func previewImport(
        from data: Data, named name: String, options: ImportOptions, limit: Int = 10_000
    ) async throws -> ImportPreview {
        do {
            return try await transaction { view -> ImportPreview in
                throw RolledBack(preview: try view.preview(data, name, options, limit))
            }
        } catch let error as RolledBack {
            return error.preview
        }
    }

    /// Tries an import, as the asynchronous form does.
    public func previewImport(
        from data: Data, named name: String, options: ImportOptions, limit: Int = 10_000
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
        var names: [UserID: String] = [:]
        func named(_ values: AttributeSet) throws -> AttributeSet {
            guard let id = values["manager"]?.text.flatMap({ UserID($0) }) else { return values }
            if names[id] == nil { names[id] = try users.user(.id(id), attributes: ["uid"]).uid }
            var values = values
            values["manager"] = names[id].map { .string($0) }
            return values
        }
        var differences: [Change] = []
        var places: [String: Int] = [:]
        for var change in made.prefix(limit) {
            change.before = try named(change.before)
            change.after = try named(change.after)
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
        let known = after
        for value in later.before where kind != .created && known[value.name] == nil && before[value.name] == nil {
            before[value.name] = value.value
        }
        for value in later.before where later.after[value.name] == nil { after[value.name] = nil }
        for value in later.after { after[value.name] = value.value }
    }
}
