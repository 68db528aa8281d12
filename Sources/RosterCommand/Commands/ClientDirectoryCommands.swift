import Roster

private let filter = Command.Option("filter", "FILTER", "those that a filter selects, in SCIM's language or LDAP's")

/// The commands that read the server's directory. They show the same as the commands for a file.
let clientDirectoryCommands: [Command] = [
    Command(
        client: "users", "Shows a user of the server's directory, or finds users.", "[NAME]",
        [filter] + searchOptions + [Command.format, Command.json], example: "--filter 'surname sw \"Mü\"'"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        try check(arguments, alone: searchOptions.map(\.name).filter { $0 != "attributes" } + ["filter"])
        let view = try await ClientApp(arguments).view()
        if let name = arguments.operands.first {
            try await showUser(.either(name), arguments, view)
        } else {
            try await showUsers(arguments.value("filter"), arguments, view)
        }
    },
    Command(
        client: "roles", "Shows a role of the server's directory with its members, or finds roles.", "[NAME]",
        [filter, Command.format, Command.json], example: "staff"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        try check(arguments, alone: ["filter"])
        let view = try await ClientApp(arguments).view()
        if let name = arguments.operands.first {
            try await showRole(.either(name), arguments, view)
        } else {
            try await showRoles(arguments.value("filter"), arguments, view)
        }
    },
    Command(
        client: "changes", "Shows the changes of the server's directory that the user may see, in order.", "",
        changesOptions + [Command.format, Command.json], example: "--since 100"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        try checkChanges(arguments)
        let feed = try await ClientApp(arguments).view().changes
        try await arguments.has("follow") ? followChanges(arguments, feed) : showChanges(arguments, feed)
    },
]

/// Refuses options for finding together with a name.
private func check(_ arguments: Arguments, alone options: [String]) throws {
    _ = try Output(arguments, columns: [])
    guard !arguments.operands.isEmpty else { return }
    if let option = options.first(where: { arguments.has($0) || arguments.value($0) != nil }) {
        throw UsageError("Give a name or --\(option), not both.")
    }
}
