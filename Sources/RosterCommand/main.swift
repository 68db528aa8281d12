import Dispatch
import Foundation
import Roster
import RosterStore
import RosterText
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The subcommands in the order of the help.
let commands: [Command] =
    [serveCommand] + tokenCommands + backendCommands + keyCommands + [issuerCheckCommand, mailTestCommand] + [
        passwordCommand, passwordLinkCommand, secondFactorsCommand, secondFactorCommand, madeCommand,
    ] + appPasswordCommands + [
        seedCommand, importCommand, exportCommand, searchCommand,
    ]
    + userCommands + sessionCommands + [roleChangesCommand]
    + roleCommands
    + [organizationCommand, changesCommand] + batchCommands + [retentionCommand, brandingCommand] + viewCommands
    + settingCommands
    + attributeCommands + attributeChangeCommands
    + clientCommands + [
        generateCommand, checkCommand, backupCommand, restoreCommand, copyCommand, restoredCommand,
        migrateCommand,
        manualCommand, completionsCommand,
    ]

/// The text of `roster --help`.
func overview() -> String {
    let width = commands.map(\.name.count).max() ?? 0
    var text =
        "A directory of users, roles and reporting lines in one file or in a PostgreSQL database.\n\n"
        + "Usage: roster COMMAND …\n\nCommands:\n"
    for command in commands {
        text += "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  \(command.summary)\n"
    }
    text += "\n'roster COMMAND --help' explains a command, 'roster --version' shows the version.\n"
    return text + "\nExample:\n  roster seed --database company.db Seeds/company.json\n"
}

/// Shows a group of commands, such as those of users, or an error for an unknown command; returns the exit code.
func explain(_ words: [String]) -> Int32 {
    let family = commands.filter { command in words.first.map { command.name.hasPrefix($0 + " ") } == true }
    if !family.isEmpty, words.count == 1 || ["--help", "-h"].contains(words[1]) {
        for command in family { Terminal.write("\(command.name)  \(command.summary)\n    \(command.example)\n") }
        Terminal.write("\n'roster COMMAND --help' explains a command.\n")
        return words.count == 1 ? 2 : 0
    }
    // The first word names a group, so the second one is wrong.
    let word = words.prefix(family.isEmpty ? 1 : 2).joined(separator: " ")
    let names =
        family.isEmpty ? commands.flatMap { [$0.name, $0.name.components(separatedBy: " ")[0]] } : family.map(\.name)
    let hint = SimilarWord.nearest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
    Terminal.complain("There is no command '\(word)'.\(hint) See 'roster --help'.")
    return 2
}

/// Finds the subcommand of one or two words, and runs it; returns the exit code.
func run(_ words: [String]) async -> Int32 {
    var words = words
    if words.count > 1, words[0] == "help" { words = words.dropFirst() + ["--help"] }
    guard let first = words.first, !["--help", "-h", "help"].contains(first) else {
        Terminal.write(overview())
        return words.isEmpty ? 2 : 0
    }
    if ["version", "--version"].contains(first) {
        Terminal.write("roster \(programVersion) (file schema \(Migrations.current.steps.count))\n")
        return 0
    }
    let found = [2, 1].lazy.compactMap { count in
        commands.first { $0.name == words.prefix(count).joined(separator: " ") }
    }.first
    guard let command = found else { return explain(words) }
    let rest = Array(words.dropFirst(command.name.split(separator: " ").count))
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        Terminal.write(command.help)
        return 0
    }
    var isAtServer = false
    do {
        let arguments = try Arguments(rest, for: command)
        isAtServer = arguments.value("server") != nil
        arguments.warnOfPassword()
        if command.allOptions.contains(Command.authorities) { Network.trust(try arguments.authorities()) }
        try await command.run(arguments)
        return 0
    } catch let error as UsageError {
        Terminal.complain("\(error.message) \(error.advice ?? "See 'roster \(command.name) --help'.")")
        return 2
    } catch is PartlyDone {
        return 3
    } catch is CancellationError {
        let outcome =
            !command.changes
            ? ""
            : isAtServer
                ? "; the server may have kept a part of the changes"
                : OpenDirectories.haveChanged
                    ? "; the completed changes were kept" : "; nothing of this command was kept"
        Terminal.complain("interrupted" + outcome)
        return 130
    } catch {
        Terminal.complain("\(error)\(command.hint(for: error).map { " " + $0 } ?? "")")
        return isWrongCall(error) ? 2 : 1
    }
}

/// Whether an error concerns the words of the call. A refused password does not, because it comes from a file.
private func isWrongCall(_ error: any Error) -> Bool {
    guard let error = error as? DirectoryError, error.attribute != "password" else { return false }
    return [.invalidFilter, .invalidAttribute, .invalidName, .invalidPage, .invalidCursor].contains(error.code)
}

/// The words of the call.
///
/// - Throws: `UsageError` for a word that is not in UTF-8, whose bytes would be replaced otherwise.
private func givenWords() throws(UsageError) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
        guard let word = CommandLine.unsafeArgv[index].flatMap({ String(validatingCString: $0) }) else {
            throw UsageError("Argument \(index) is not in UTF-8. Check the character set of the terminal.")
        }
        words.append(word)
    }
    return words
}

// This must precede the first use of SQLite.
ProcessSettings.makeForServers()
signal(SIGPIPE, SIG_IGN)
let work = Task {
    let code: Int32
    do throws(UsageError) {
        code = await run(try givenWords())
    } catch {
        Terminal.complain(error.message)
        code = 2
    }
    Terminal.flush()
    Network.close()
    OpenDirectories.close()
    exit(code)
}

// The first Ctrl-C stops the work cleanly, the second at once.
signal(SIGINT, SIG_IGN)
let interruptions = Atomic<Int>(0)
let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interruption.setEventHandler {
    if interruptions.add(1, ordering: .relaxed).newValue > 1 { exit(130) }
    work.cancel()
}
interruption.resume()
dispatchMain()
