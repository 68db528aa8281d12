import Foundation
import Roster

let changesCommand = Command(
    name: "changes", summary: "Shows what was created, modified and deleted, in order.", operands: "",
    options: [
        Command.database, .init("since", "N", "show the changes after number N (default 0)"),
        .init("limit", "N", "the largest number of changes, 1 to 10000 (default 1000)"),
        .init("follow", nil, "keep showing new changes until Ctrl-C; JSON has one change per line"),
        Command.format,
    ],
    example: "roster changes --database company.db --since 100"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    let isFollowing = arguments.has("follow")
    if isFollowing, arguments.value("limit") != nil { throw UsageError("Give --limit or --follow, not both.") }
    var last = Int64(try arguments.number("since") ?? 0)
    let limit = try arguments.number("limit", least: 1) ?? 1_000
    let feed = try arguments.readableDirectory().unrestricted.changes
    var output = try Output(
        arguments, columns: ["sequence", "time", "actor", "kind", "entity", "name", "id", "before", "after"])
    var isFirst = true
    repeat {
        let changes = try await feed.since(last, limit: limit)
        for change in changes { output.add(row(of: change)) }
        last = changes.last?.sequence ?? last
        guard isFollowing else {
            try output.show()
            if changes.count == limit, try await feed.lastSequence() > last {
                Terminal.note("There are more: add --since \(last)")
            }
            return
        }
        if isFirst || !changes.isEmpty { try output.showSoFar(isFirst: isFirst) }
        isFirst = false
        // Another process writes, and sends no notification, so the command polls.
        if changes.count < limit { try await Task.sleep(for: .milliseconds(250)) }
    } while true
}

private func row(of change: Change) -> [AttributeValue?] {
    func values(_ attributes: AttributeSet) -> AttributeValue? {
        attributes.isEmpty ? nil : .complex(Dictionary(attributes.map { ($0.name.rawValue, $0.value) }) { $1 })
    }
    return [
        .integer(change.sequence), .time(change.time), .string(change.actor),
        .string(change.first < change.sequence ? "\(change.kind) from \(change.first)" : "\(change.kind)"),
        .string("\(change.entity)"), .string(change.name), .string(change.subjectID), values(change.before),
        values(change.after),
    ]
}
