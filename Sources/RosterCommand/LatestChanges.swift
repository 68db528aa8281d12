import Foundation
import Roster
import RosterAdministration
import RosterText

/// The latest changes that the options of `roster changes` select.
struct LatestChangesQuestion {
    /// The options, any of which asks for the latest changes.
    static let options: [Command.Option] = [
        .init("last", "N", "show the latest N changes (default 100 with the options below)"),
        .init("by", "NAME", "of the latest changes, those by this user or program"),
        .init("of", "NAME", "of the latest changes, those of this user, role or attribute"),
        .init(
            "after", "DATE",
            "of the latest changes, those since this date or time, such as 2026-01-31 or 2026-01-31T09:00:00Z"),
        .init("before", "DATE", "of the latest changes, those before this date or time"),
        .init("batch", "N", "of the latest changes, those of this batch"),
    ]

    private let count: Int
    private let actor: String?
    private let subject: String?
    private let after: Date?
    private let before: Date?
    private let batch: Int64?

    /// Reads the options; nil if none of them is there.
    ///
    /// - Throws: `UsageError` for a value that cannot be read, or beside options that go through the feed from its beginning.
    init?(_ arguments: Arguments) throws {
        let given = Self.options.map(\.name).filter { arguments.value($0) != nil }
        guard let first = given.first else { return nil }
        for other in ["since", "limit"] where arguments.value(other) != nil {
            throw UsageError("Give --\(first) or --\(other), not both.")
        }
        if arguments.has("follow") { throw UsageError("Give --\(first) or --follow, not both.") }
        count = try arguments.number("last", least: 1) ?? 100
        (actor, subject) = (arguments.value("by"), arguments.value("of"))
        batch = try arguments.number("batch", least: 1).map { Int64($0) }
        (after, before) = (try Self.date("after", arguments), try Self.date("before", arguments))
    }

    private static func date(_ option: String, _ arguments: Arguments) throws -> Date? {
        try arguments.value(option).map { text in
            guard let date = Timestamp.date(text) else {
                throw UsageError(
                    "--\(option) needs a date such as 2026-01-31, or a time such as 2026-01-31T09:00:00Z, not '\(text)'."
                )
            }
            return date
        }
    }

    /// The changes in the order in which they happened.
    ///
    /// - Parameters:
    ///   - view: The directory, in which names are looked up.
    ///   - page: Returns the entries before a number, newest first, and the number before which the next page begins.
    func changes(
        _ view: DirectoryView,
        page: (ChangeFilter, _ before: Int64?) async throws -> (entries: [JSONValue], next: Int64?)
    ) async throws -> [JSONValue] {
        // The feed has the identifiers of users, who may have had other names.
        func identifier(_ name: String?) async -> String? {
            guard let name else { return nil }
            return (try? await view.users.user(.named(name), attributes: ["uid"]).id.description) ?? name
        }
        let filter = ChangeFilter(
            subject: await identifier(subject), actor: await identifier(actor), batch: batch)
        var found: [JSONValue] = []
        var next: Int64?
        repeat {
            try Task.checkCancellation()
            let page = try await page(filter, next)
            for entry in page.entries {
                let time = entry["time"]?.text.flatMap { Timestamp.date($0) } ?? .distantPast
                if let after, time < after { return found.reversed() }
                if let before, time >= before { continue }
                found.append(entry)
                if found.count == count { return found.reversed() }
            }
            next = page.next
        } while next != nil
        return found.reversed()
    }
}

/// Shows the latest changes.
func showLatestChanges(_ question: LatestChangesQuestion, _ arguments: Arguments) async throws {
    var output = try changesOutput(arguments)
    let (view, administration) = try await arguments.viewAndAdministration(.reading)
    let found = try await question.changes(view) { filter, before in
        var page = ListLatestChanges()
        (page.subject, page.actor, page.batch) = (filter.subject, filter.actor, filter.batch)
        (page.before, page.limit) = (before, 1_000)
        let answer = try await administration.run(page)
        let next: Int64? = if case .integer(let number)? = answer["next"] { number } else { nil }
        return (answer["elements"]?.elements ?? [], next)
    }
    for entry in found { output.add(row(of: entry)) }
    try output.show()
}

/// The row of an entry as the JSON of the audit log has it.
private func row(of entry: JSONValue) -> [AttributeValue?] {
    func value(_ name: String) -> AttributeValue? { entry[name].flatMap { AttributeValue($0) } }
    func values(_ name: String) -> AttributeValue? { entry[name]?.members.isEmpty == false ? value(name) : nil }
    func time(_ name: String) -> AttributeValue? { entry[name]?.text.flatMap { Timestamp.date($0) }.map { .time($0) } }
    let isRepeated = if case .integer(let count)? = entry["count"] { count > 1 } else { false }
    return [
        value("sequence"), time("time"), value("actor"), value("kind"), value("entity"), value("name"), value("id"),
        values("before"), values("after"), isRepeated ? value("count") : nil, isRepeated ? time("last_time") : nil,
        value("batch"),
    ]
}
