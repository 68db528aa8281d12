import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Every subcommand, in the order of the help.
let commands: [Command] =
    [seedCommand, importCommand, exportCommand, searchCommand] + userCommands + roleCommands
    + [organizationCommand, changesCommand] + attributeCommands
    + [generateCommand, checkCommand, backupCommand, restoreCommand]

/// What `roster --help` shows.
func overview() -> String {
    let width = commands.map(\.name.count).max() ?? 0
    var text = "A directory of users, roles and reporting lines in one file.\n\nUsage: roster COMMAND …\n\nCommands:\n"
    for command in commands {
        text += "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  \(command.summary)\n"
    }
    return text
        + "\n'roster COMMAND --help' tells more.\n\nExample:\n  roster seed --database company.db Seeds/company.json\n"
}

/// Finds the subcommand, which has one or two words, and runs it; returns the exit code.
func run(_ words: [String]) async -> Int32 {
    guard let first = words.first, !["--help", "-h", "help"].contains(first) else {
        Terminal.write(overview())
        return words.isEmpty ? 2 : 0
    }
    let found = [2, 1].lazy.compactMap { count in
        commands.first { $0.name == words.prefix(count).joined(separator: " ") }
    }.first
    guard let command = found else {
        let family = commands.filter { $0.name.hasPrefix(first + " ") }
        if !family.isEmpty, words.count == 1 || words[1] == "--help" {
            for command in family { Terminal.write("\(command.help)\n") }
            return words.count == 1 ? 2 : 0
        }
        Terminal.complain("There is no command '\(words.prefix(2).joined(separator: " "))'. See 'roster --help'.")
        return 2
    }
    let rest = Array(words.dropFirst(command.name.split(separator: " ").count))
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        Terminal.write(command.help)
        return 0
    }
    do {
        try await command.run(Arguments(rest, for: command))
        return 0
    } catch let error as UsageError {
        Terminal.complain("\(error.message) See 'roster \(command.name) --help'.")
        return 2
    } catch is CancellationError {
        Terminal.complain(command.changes ? "interrupted; nothing that was not finished was kept." : "interrupted.")
        return 130
    } catch {
        Terminal.complain("\(error)")
        return 1
    }
}

signal(SIGPIPE, SIG_IGN)
let work = Task { exit(await run(Array(CommandLine.arguments.dropFirst()))) }

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
