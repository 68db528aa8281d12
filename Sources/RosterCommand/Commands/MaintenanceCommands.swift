import Foundation
import Roster
import RosterFixtures
import RosterSignIn
import RosterStore

let generateCommand = Command(
    name: "generate", summary: "Generates a plausible organisation. The same seed number gives the same organisation.",
    operands: "",
    options: [
        Command.database, .init("people", "N", "the number of people"),
        .init("seed-number", "N", "selects the organisation (default 1)"),
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

let checkCommand = Command(
    name: "check", summary: "Checks a whole directory. Exit code 1 reports problems.", operands: "[FILE]",
    options: [Command.directory], example: "roster check company.db"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    if let operand = arguments.operands.first, try Arguments.isServer(operand) {
        throw UsageError("The address of a database is not a file.", advice: "Give the address by --database.")
    }
    let name: String
    let view: DirectoryView
    if arguments.operands.isEmpty, try AdministeredServer(arguments) != nil {
        (name, view) = ("The server's directory", try await arguments.view())
    } else if !arguments.operands.isEmpty, try AdministeredServer(arguments) != nil {
        throw UsageError("Give a file or --server, not both.")
    } else {
        let database: Arguments.Database =
            arguments.operands.isEmpty ? try arguments.database() : .file(try arguments.file(0, "The file"))
        switch database {
        case .file(let url):
            (name, view) = ("'\(url.lastPathComponent)'", try Directory(at: url, readOnly: true).unrestricted)
        case .server: (name, view) = ("The database", try arguments.readableDirectory().unrestricted)
        }
    }
    let problems = try await view.check()
    for problem in problems { Terminal.write("\(Terminal.safe(problem))\n") }
    guard problems.isEmpty else {
        let count = problems.count == 1 ? "1 problem was" : "\(problems.count) problems were"
        throw CommandFailure(description: "\(count) found in \(name). Restore a backup.")
    }
    Terminal.write("\(name) is in order.\n")
}

private let withoutKey = Command.Option("without-key", nil, "leave out the key file, which you keep elsewhere")

let backupCommand = Command(
    name: "backup", summary: "Copies a directory, as of one moment, into a new file, and its key file beside the copy.",
    operands: "FILE COPY", options: [withoutKey], example: "roster backup company.db copy.db"
) { arguments in
    try arguments.expectOperands(atMost: 2)
    let source = try arguments.file(0, "The file")
    let target = try arguments.file(1, "The new file")
    let directory = try Directory(at: source, readOnly: true)
    let copy = try DirectoryFile(target)
    let key = arguments.has("without-key") ? nil : try keyOrAdvice { try MasterKey.found(for: DirectoryFile(source)) }
    if key != nil, let there = copy.foundKey {
        throw CommandFailure(description: "There is a file '\(there)' already. Choose another name, or remove it.")
    }
    let progress = Progress("copying", total: 1_000)
    defer { progress.finish() }
    // The key file comes first, because a backup without it could be mistaken for a complete one.
    if let key { try copy.addKey(try copy.prepareKey(key.fileContent)) }
    do {
        try await directory.backup(to: target) { progress.show(Int($0 * 1_000)) }
    } catch {
        if key != nil { try? FileManager.default.removeItem(atPath: copy.keyPath) }
        throw error
    }
    progress.finish()
    Terminal.write("'\(target.lastPathComponent)' is written and verified.\n")
    if key != nil {
        Terminal.write(
            "Its key is in '\(target.lastPathComponent)-key'. Keep the two apart: together they reveal all secrets.\n")
    }
}

let restoreCommand = Command(
    name: "restore",
    summary:
        "Replaces a directory by a verified backup and its key file, and ends all sessions.",
    operands: "COPY FILE",
    options: [.init("replace", nil, "replace an existing file; its key file is kept under another name"), withoutKey],
    example: "roster restore copy.db company.db --replace",
    changes: true
) { arguments in
    try arguments.expectOperands(atMost: 2)
    let source = try arguments.file(0, "The backup")
    let url = try arguments.file(1, "The file")
    let target = try DirectoryFile(url)
    // The key is found, checked and written beside the old one first, so that only names have to change at the end.
    let isWithoutKey = arguments.has("without-key")
    let key = isWithoutKey ? nil : try keyOrAdvice { try MasterKey.toRestore(from: DirectoryFile(source), to: target) }
    let prepared = try key.map { try target.prepareRestoredKey($0.fileContent) }
    do {
        try await Directory.restore(from: source, to: url, replacing: arguments.has("replace"))
    } catch {
        if let prepared { try? FileManager.default.removeItem(atPath: prepared) }
        guard let error = error as? DirectoryError, error.code == .alreadyExists else { throw error }
        throw CommandFailure(description: "\(error.message) Add --replace to put the backup in its place.")
    }
    let old = try prepared.flatMap { try target.replaceKey(with: $0) }
    Terminal.write(
        """
        '\(url.lastPathComponent)' is restored. All sessions and the tokens of apps have ended; passwords, keys and the \
        tokens of 'roster token' are those of the backup.

        """)
    if let old { Terminal.write("The previous key file is kept as '\(old)'.\n") }
    do {
        if isWithoutKey { _ = try MasterKey.found(for: target) }
    } catch {
        Terminal.note("\(error) \(Command.lostKeyHint)")
    }
}

/// Adds the advice to use --without-key to an error about the key file.
private func keyOrAdvice(_ body: () throws -> MasterKey?) throws -> MasterKey? {
    do {
        return try body()
    } catch let error as DirectoryError where error.code == .unusableKey {
        throw CommandFailure(description: "\(error) To go on without the key file, add --without-key.")
    }
}
