import Foundation
import Roster
import RosterFixtures

let generateCommand = Command(
    name: "generate", summary: "Makes a believable organisation, always the same one for the same number.",
    operands: "",
    options: [
        Command.database, .init("people", "N", "how many"),
        .init("seed-number", "N", "which organisation (1 where not given)"),
    ],
    example: "roster generate --people 100000 --seed-number 7 --database big.db", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 0)
    guard let people = try arguments.number("people", least: 1) else { throw UsageError("How many? Give --people N.") }
    let number = UInt64(try arguments.number("seed-number") ?? 1)
    let generator = OrganizationGenerator(people: people, seedNumber: number)
    let directory = try arguments.writableDirectory(creating: true)
    let progress = Progress("generating", total: people)
    defer { progress.finish() }
    try await generator.load(into: directory.unrestricted) { progress.show($0) }
    progress.finish()
    Terminal.write("created \(people) users, digest \(generator.digest)\n")
}

private func file(_ arguments: Arguments, _ index: Int, _ what: String) throws -> URL {
    URL(fileURLWithPath: try arguments.operand(index, what))
}

let checkCommand = Command(
    name: "check", summary: "Checks a whole directory; exit code 1 where something is wrong.", operands: "FILE",
    options: [],
    example: "roster check company.db"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let url = try file(arguments, 0, "The file")
    let problems = try await Directory(at: url, readOnly: true).unrestricted.check()
    for problem in problems { Terminal.write("\(Terminal.safe(problem))\n") }
    guard problems.isEmpty else {
        let count = problems.count == 1 ? "1 problem was" : "\(problems.count) problems were"
        throw CommandFailure(description: "\(count) found in '\(url.path)'. Restore a backup.")
    }
    Terminal.write("'\(url.lastPathComponent)' is in order.\n")
}

let backupCommand = Command(
    name: "backup", summary: "Copies a directory, as it is at one moment, into a new file.", operands: "FILE COPY",
    options: [],
    example: "roster backup company.db copy.db"
) { arguments in
    try arguments.expectOperands(atMost: 2)
    let target = try file(arguments, 1, "The new file")
    let directory = try Directory(at: file(arguments, 0, "The file"), readOnly: true)
    let progress = Progress("copying", total: 1_000)
    defer { progress.finish() }
    try await directory.backup(to: target) { progress.show(Int($0 * 1_000)) }
    progress.finish()
    Terminal.write("'\(target.lastPathComponent)' is written and verified.\n")
}

let restoreCommand = Command(
    name: "restore",
    summary: "Puts a backup in the place of a directory, once it has been verified, and ends all sessions.",
    operands: "COPY FILE",
    options: [.init("replace", nil, "replace the file that is there")],
    example: "roster restore copy.db company.db --replace",
    changes: true
) { arguments in
    try arguments.expectOperands(atMost: 2)
    let target = try file(arguments, 1, "The file")
    do {
        try await Directory.restore(
            from: file(arguments, 0, "The backup"), to: target, replacing: arguments.has("replace"))
    } catch let error as DirectoryError where error.code == .alreadyExists {
        throw CommandFailure(description: "\(error.message) Add --replace to put the backup in its place.")
    }
    Terminal.write(
        """
        '\(target.lastPathComponent)' is restored. All sessions and the tokens of apps have ended; passwords, keys and the \
        tokens of 'roster token' are those of the backup.

        """)
}
