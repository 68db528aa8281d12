import Foundation
import Roster

let retentionCommand = Command(
    name: "retention", summary: "Shows or sets for how long the change feed is kept, and takes out what is older.",
    operands: "",
    options: [
        Command.database,
        .init("changes", "DAYS", "keep changes for so many days; 'ever' (as in a new directory) for ever"),
        .init("sign-ins", "DAYS", "keep sign-ins for so many days (180 in a new directory), or for 'ever'"),
        .init("apply", nil, "take out what is older now; a server does so every ten minutes"),
    ],
    example: "roster retention --database company.db --changes 3650 --sign-ins 90 --apply", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    let (changes, signIns) = (arguments.value("changes"), arguments.value("sign-ins"))
    let isShownOnly = changes == nil && signIns == nil && !arguments.has("apply")
    let directory = try isShownOnly ? arguments.readableDirectory() : arguments.writableDirectory()
    let feed = directory.unrestricted.changes
    var retention = try await feed.retention()
    if changes != nil || signIns != nil {
        if changes != nil { retention.changes = try days(arguments, "changes") }
        if signIns != nil { retention.signIns = try days(arguments, "sign-ins") }
        try await feed.setRetention(retention)
    }
    func shown(_ days: Int?) -> String { days.map { $0 == 1 ? "1 day" : "\($0) days" } ?? "for ever" }
    Terminal.write("changes: \(shown(retention.changes))\nsign-ins: \(shown(retention.signIns))\n")
    if arguments.has("apply") { Terminal.write("taken out: \(try await feed.prune())\n") }
}

private func days(_ arguments: Arguments, _ option: String) throws -> Int? {
    arguments.value(option) == "ever" ? nil : try arguments.number(option, least: 1)
}
