import Foundation
import Roster

/// The commands that begin and undo batches of changes.
let batchCommands = [
    Command(
        "batch", "Begins a batch of changes, and prints the number for --batch and for 'roster undo'.", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        Terminal.write("\(try await arguments.view(.changing).changes.beginBatch())\n")
    },
    Command(
        "undo", "Undoes the changes of a batch, and names what it leaves out.", "BATCH",
        [.init("dry-run", nil, "keep nothing, and show what would be undone"), Command.format], changes: true,
        example: "17 --dry-run"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let text = try arguments.operand(0, "The number of the batch")
        guard let number = Int64(text) else { throw UsageError("The number of a batch is needed, not '\(text)'.") }
        var output = try Output(arguments, columns: ["entity", "name", "id", "reason"])
        let isPreview = arguments.has("dry-run")
        let report = try await arguments.view(.changing).changes.undo(number, isPreview: isPreview)
        for one in report.leftOut {
            output.add([
                .string("\(one.entity)"), .string(one.name), .string(one.subjectID), .string(one.reason),
            ])
        }
        if !report.leftOut.isEmpty || output.format != .table { try output.show() }
        let opposite = report.batch.map { "; the opposite batch is \($0)" } ?? ""
        Terminal.note(
            "\(isPreview ? "would be undone" : "undone"): \(report.undone), left out: \(report.leftOutCount)\(opposite)"
        )
        if report.leftOutCount > 0 { throw PartlyDone() }
    },
]
