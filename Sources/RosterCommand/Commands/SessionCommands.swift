import Foundation
import Roster
import RosterAdministration

private let session = Command.Option("session", "ID", "the identifier of the session")
private let device = Command.Option("device", "ID", "the identifier of the device")

/// The sessions and the devices of a user.
let sessionCommands: [Command] = [
    Command(
        "user sessions", "Lists the sessions of a user: the browsers and apps that are signed in.", "NAME",
        [Command.format], example: "ada"
    ) { arguments in
        let user = try user(arguments)
        var output = try Output(arguments, columns: ["id", "began", "used", "expires", "methods", "begun_by", "agent"])
        for one in try await arguments.administration().user(user).sessions() {
            output.add([
                .string(one.id), .time(one.began), .time(one.used), .time(one.expires),
                .string(one.methods.joined(separator: " ")), .text(one.beginner), .text(one.agent),
            ])
        }
        try output.show()
    },
    Command(
        "user end-session", "Ends a session of a user, with what apps got in it.", "NAME", [session], changes: true,
        example: "--session ID ada"
    ) { arguments in
        let user = try user(arguments)
        guard let id = arguments.value("session") else { throw UsageError("Which session? Give --session ID.") }
        try await arguments.administration(.changing).user(user).endSession(id)
    },
    Command(
        "user sign-out", "Signs a user out everywhere: every session and every token ends at once.", "NAME",
        changes: true, example: "ada"
    ) { arguments in
        let user = try user(arguments)
        try await arguments.administration(.changing).user(user).signOut()
        Terminal.write("\(Terminal.safe(try arguments.operand(0, "The user's name"))) is signed out everywhere.\n")
    },
    Command(
        "user devices", "Lists the devices on which a user has registered an app.", "NAME", [Command.format],
        example: "ada"
    ) { arguments in
        let user = try user(arguments)
        var output = try Output(arguments, columns: ["id", "app", "version", "client_id", "created", "expires"])
        for one in try await arguments.administration().user(user).devices() {
            output.add([
                .string(one.id), .string(one.name), .string(one.version), .string(one.clientID), .time(one.created),
                .time(one.expires),
            ])
        }
        try output.show()
    },
    Command(
        "user end-device", "Ends the registration of a device, with the tokens that its app got.", "NAME", [device],
        changes: true, example: "--device ID ada"
    ) { arguments in
        let user = try user(arguments)
        guard let id = arguments.value("device") else { throw UsageError("Which device? Give --device ID.") }
        try await arguments.administration(.changing).user(user).endDevice(id)
    },
]

private func user(_ arguments: Arguments) throws -> UserReference {
    try arguments.expectOperands(atMost: 1)
    return .either(try arguments.operand(0, "The user's name"))
}
