import Foundation
import Roster

/// The options of the commands that show changes.
let changesOptions: [Command.Option] = [
    .init("since", "N", "show the changes after number N (default 0)"),
    .init("limit", "N", "the largest number of changes, 1 to 10000 (default 1000)"),
    .init("follow", nil, "keep showing new changes until Ctrl-C; JSON has one change per line"),
]

let changesCommand = Command(
    name: "changes", summary: "Shows what was created, modified and deleted, in order.", operands: "",
    options: [Command.directory] + changesOptions + LatestChangesQuestion.options + [Command.format],
    example: "roster changes --database company.db --last 20 --of emma.mueller"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    if let question = try LatestChangesQuestion(arguments) {
        return try await showLatestChanges(question, arguments)
    }
    try checkChanges(arguments)
    if let server = try AdministeredServer(arguments) {
        let feed = try await server.view().changes
        return try await arguments.has("follow") ? followChanges(arguments, feed) : showChanges(arguments, feed)
    }
    let feed = try await arguments.view().changes
    guard arguments.has("follow") else { return try await showChanges(arguments, feed) }
    var last = Int64(try arguments.number("since") ?? 0)
    var output = try changesOutput(arguments)
    var isFirst = true
    repeat {
        let changes = try await feed.since(last)
        for change in changes { output.add(changeRow(of: change)) }
        last = changes.last?.sequence ?? last
        if isFirst || !changes.isEmpty { try output.showSoFar(isFirst: isFirst) }
        isFirst = false
        // Another process writes, and sends no notification, so the command polls.
        if changes.count < 1_000 { try await Task.sleep(for: .milliseconds(250)) }
    } while true
}

/// Shows the changes of a server's directory until Ctrl-C.
func followChanges(_ arguments: Arguments, _ feed: ChangeFeed) async throws {
    var output = try changesOutput(arguments)
    var isFirst = true
    for try await change in feed.follow(since: Int64(try arguments.number("since") ?? 0)) {
        output.add(changeRow(of: change))
        try output.showSoFar(isFirst: isFirst)
        isFirst = false
    }
}

/// Refuses options that exclude each other, before a directory is opened.
func checkChanges(_ arguments: Arguments) throws {
    _ = try (changesOutput(arguments), arguments.number("since"), arguments.number("limit", least: 1))
    if arguments.has("follow"), arguments.value("limit") != nil {
        throw UsageError("Give --limit or --follow, not both.")
    }
}

func changesOutput(_ arguments: Arguments) throws -> Output {
    try Output(
        arguments,
        columns: [
            "sequence", "time", "actor", "kind", "entity", "name", "id", "before", "after", "count", "last", "batch",
        ])
}

/// Shows the changes after that of `--since`.
func showChanges(_ arguments: Arguments, _ feed: ChangeFeed) async throws {
    let start = Int64(try arguments.number("since") ?? 0)
    let limit = try arguments.number("limit", least: 1) ?? 1_000
    var output = try changesOutput(arguments)
    let changes = try await feed.since(start, limit: limit)
    for change in changes { output.add(changeRow(of: change)) }
    try output.show()
    let last = changes.last?.sequence ?? start
    if changes.count == limit, try await feed.lastSequence() > last {
        Terminal.note("There are more: add --since \(last)")
    }
}

func changeRow(of change: Change) -> [AttributeValue?] {
    func values(_ attributes: AttributeSet) -> AttributeValue? {
        attributes.isEmpty ? nil : .complex(Dictionary(attributes.map { ($0.name.rawValue, $0.value) }) { $1 })
    }
    return [
        .integer(change.sequence), .time(change.time), .string(change.actor),
        .string(change.first < change.sequence ? "\(change.kind) from \(change.first)" : "\(change.kind)"),
        .string("\(change.entity)"), .string(change.name), .string(change.subjectID), values(change.before),
        values(change.after), change.count > 1 ? .integer(change.count) : nil,
        change.count > 1 ? .time(change.lastTime) : nil, change.batch.map { .integer($0) },
    ]
}
