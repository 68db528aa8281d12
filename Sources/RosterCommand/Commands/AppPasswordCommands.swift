import Foundation
import Roster
import RosterSignIn
import RosterText

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
        guard let use = try arguments.choice("for", AppPassword.Use.self) else {
            throw UsageError("Where is it accepted? Give --for ldap or scim.")
        }
        let networks = try arguments.list("networks") ?? []
        let days = try arguments.number("days", least: 1)
        let text = try await arguments.administration(.changing).makeAppPassword(
            named: name, for: use, networks: networks, days: days, of: user)
        Terminal.write(text + "\n")
        Terminal.note(
            "Give it to the program with the user's name. It is not stored. If you lose it, create another one.")
    },
    Command("app-password list", "Lists the app passwords of a user, without their texts.", "USER", [Command.format]) {
        arguments in
        try arguments.expectOperands(atMost: 1)
        let user = try arguments.operand(0, "The user's name")
        var output = try Output(arguments, columns: ["name", "for", "networks", "created", "expires", "used"])
        for one in try await arguments.administration().appPasswords(of: user) {
            output.add([
                one.shown("name"), one.shown("for"), .string((one["networks"]?.texts ?? []).joined(separator: " ")),
                one.moment("created"), one.moment("expires"), one.moment("used"),
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
        try await arguments.administration(.changing).endAppPassword(named: name, of: user)
    },
]
