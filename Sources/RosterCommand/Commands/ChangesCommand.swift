import Foundation
import Roster

let changesCommand = Command(
    name: "changes", summary: "Shows what was created, modified and deleted, in order.", operands: "",
    options: [
        Command.database, .init("since", "N", "after this number (0 where not given)"),
        .init("limit", "N", "how many at most (1000 where not given)"), Command.format,
    ],
    example: "roster changes --database company.db --since 100"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    let feed = try arguments.readableDirectory().unrestricted.changes
    let since = Int64(try arguments.number("since") ?? 0)
    let changes = try await feed.since(since, limit: try arguments.number("limit", least: 1) ?? 1_000)
    var output = try Output(
        arguments, columns: ["sequence", "time", "actor", "kind", "entity", "name", "id", "before", "after"])
    for change in changes {
        func told(_ attributes: AttributeSet) -> AttributeValue? {
            attributes.isEmpty
                ? nil : .complex(Dictionary(attributes.map { ($0.name.rawValue, $0.value) }) { $1 })
        }
        output.add([
            .integer(change.sequence), .time(change.time), .string(change.actor), .string("\(change.kind)"),
            .string("\(change.entity)"), .string(change.name), .string(change.id), told(change.before),
            told(change.after),
        ])
    }
    output.show()
}
