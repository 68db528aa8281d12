import Foundation
import Roster
import RosterAdministration

private let name = Command.Option("name", "NAME", "the name of the app password")

let appPasswordCommands: [Command] = [
    Command(
        "app-password create", "Creates an app password, with which a program reads what a user may read.", "USER",
        [
            name, .init("for", "USE", "ldap or scim: where it is accepted"),
            .init(
                "networks", "LIST", "the addresses and networks that it is accepted from, with commas (default: all)"),
            .init("days", "N", "the days until it expires (default: never)"),
        ], changes: true, example: "--name mail --for ldap --networks 192.0.2.0/24 ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let user = try arguments.operand(0, "The user's name")
        guard let name = arguments.value("name") else { throw UsageError("Which app password? Give --name NAME.") }
        guard let use = try arguments.choice("for", Administration.AppPassword.Use.self) else {
            throw UsageError("Where is it accepted? Give --for ldap or scim.")
        }
        let networks = try arguments.list("networks") ?? []
        let days = try arguments.number("days", least: 1)
        let (text, _) = try await arguments.administration(.changing).user(UserReference.either(user)).makeAppPassword(
            named: name, for: use, networks: networks, expires: days.map { .now.addingDays($0) })
        Terminal.write(text + "\n")
        Terminal.note(
            "Give it to the program with the user's name. It is not stored. If you lose it, create another one.")
    },
    Command("app-password list", "Lists the app passwords of a user, without their texts.", "USER", [Command.format]) {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let user = try arguments.operand(0, "The user's name")
        var output = try Output(arguments, columns: ["name", "for", "networks", "created", "expires", "used"])
        for one in try await arguments.administration().user(UserReference.either(user)).appPasswords() {
            output.add([
                .string(one.name), .string(one.use.rawValue), .string(one.networks.joined(separator: " ")),
                .time(one.created), .time(one.expires), .time(one.lastUse),
            ])
        }
        try output.show()
    },
    Command(
        "app-password revoke", "Revokes an app password at once.", "USER", [name], changes: true,
        example: "--name mail ada"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let user = try arguments.operand(0, "The user's name")
        guard let name = arguments.value("name") else { throw UsageError("Which app password? Give --name NAME.") }
        try await arguments.administration(.changing).user(UserReference.either(user)).endAppPassword(name)
    },
]
