import Foundation
import Roster

let retentionCommand = Command(
    name: "retention", summary: "Shows or sets how long the change feed keeps its entries, and removes older ones.",
    operands: "",
    options: [
        Command.directory,
        .init("changes", "DAYS", "keep changes for DAYS days, or for 'ever' (default)"),
        .init("sign-ins", "DAYS", "keep sign-ins for DAYS days (default 180), or for 'ever'"),
        .init("apply", nil, "remove older entries now; a server does this every ten minutes"),
    ],
    example: "roster retention --database company.db --changes 3650 --sign-ins 90 --apply", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    let (changes, signIns) = (arguments.value("changes"), arguments.value("sign-ins"))
    let isShownOnly = changes == nil && signIns == nil && !arguments.has("apply")
    let feed = try await arguments.view(isShownOnly ? .reading : .changing).changes
    var retention = try await feed.retention()
    if changes != nil || signIns != nil {
        if changes != nil { retention.changes = try days(arguments, "changes") }
        if signIns != nil { retention.signIns = try days(arguments, "sign-ins") }
        try await feed.setRetention(retention)
    }
    func shown(_ days: Int?) -> String { days.map { $0 == 1 ? "1 day" : "\($0) days" } ?? "for ever" }
    Terminal.write("changes: \(shown(retention.changes))\nsign-ins: \(shown(retention.signIns))\n")
    if arguments.has("apply") { Terminal.write("removed: \(try await feed.prune())\n") }
}

private func days(_ arguments: Arguments, _ option: String) throws -> Int? {
    arguments.value(option) == "ever" ? nil : try arguments.number(option, least: 1)
}
