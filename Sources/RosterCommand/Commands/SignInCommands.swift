import Foundation
import Roster
import RosterSignIn
import RosterText

private let name = Command.Option("name", "NAME", "the name of the program that uses the token")

let tokenCommands: [Command] = [
    Command(
        "token create", "Creates an API token for a program, and shows it once.", "",
        [
            name, .init("role", "ROLE", "provisioning, monitoring or administrator"),
            .init("days", "N", "the days until it expires (default: never)"),
        ], changes: true, example: "--name hr --role provisioning"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        guard let name = arguments.value("name") else { throw UsageError("Which token? Give --name NAME.") }
        guard let role = try arguments.choice("role", ProgramRole.self) else {
            throw UsageError("What may it do? Give --role provisioning, monitoring or administrator.")
        }
        let days = try arguments.number("days", least: 1)
        let token = try await APIToken.create(
            named: name, role: role, expires: days.map { Date(timeIntervalSinceNow: Double($0) * 86_400) },
            in: try arguments.writableDirectory().unrestricted
        ).text
        Terminal.write(token + "\n")
        Terminal.note("Send it as 'Authorization: Bearer …'. It is not stored. If you lose it, create another one.")
    },
    Command("token list", "Lists the API tokens without their secrets.", "", [Command.format]) {
        arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["name", "role", "created", "expires"])
        let view = try arguments.readableDirectory().unrestricted
        for token in try await view.awaitRead({ try $0.tokens() }) {
            output.add([
                .string(token.name), .string(token.role.rawValue), .time(token.created),
                token.expires.map { .time($0) },
            ])
        }
        try output.show()
    },
    Command("token revoke", "Revokes an API token at once.", "", [name], changes: true, example: "--name hr") {
        arguments in
        try arguments.expectOperands(atMost: 0)
        guard let name = arguments.value("name") else { throw UsageError("Which token? Give --name NAME.") }
        let view = try arguments.writableDirectory().unrestricted
        try await view.awaitWrite { try $0.revokeToken(named: name) }
    },
]

let passwordCommand = Command(
    name: "user password", summary: "Sets the password with which a user signs in over HTTP.", operands: "NAME",
    options: [
        Command.database,
        .init("password-file", "FILE", "the file whose first line is the password; - for standard input"),
    ],
    example: "roster user password --database company.db --password-file - ada", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    guard let file = arguments.value("password-file") else {
        throw UsageError("Which password? Give --password-file FILE, or - for standard input.")
    }
    // The password is read first, so that a refused one leaves no file open.
    let password = try secret(inFile: file)
    let directory = try arguments.writableDirectory()
    let user = try await directory.unrestricted.users.user(.either(name))
    let hash = try await PasswordKeeper(directory).hash(password, in: directory.unrestricted) {
        try $0.namesToSetPassword(of: .id(user.id))
    }
    try await directory.unrestricted.users.modify(.id(user.id), [.set("password", .string(hash))])
    Terminal.write("The password of \(Terminal.safe(user.uid)) was set.\n")
}

let passwordLinkCommand = Command(
    name: "user password-link",
    summary: "Makes a link with which a user sets a password once. A newer link ends the older one.",
    operands: "NAME",
    options: [
        Command.database, .init("public-url", "URL", "the address at which users reach the server"),
        .init("kind", "KIND", "reset (default, good for 30 minutes) or invitation (24 hours)"),
    ],
    example: "roster user password-link --database company.db --public-url https://id.example.com ada", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    guard var base = arguments.value("public-url"), base.hasPrefix("https://") || base.hasPrefix("http://") else {
        throw UsageError("Where is the server? Give --public-url with an address such as https://id.example.com.")
    }
    while base.hasSuffix("/") { base.removeLast() }
    let kind = try arguments.choice("kind", PasswordLink.Kind.self) ?? .reset
    let view = try arguments.writableDirectory().unrestricted
    let link = try await view.awaitWrite { try $0.makePasswordLink(for: .either(name), kind) }
    Terminal.write(link.url(at: base) + "\n")
    Terminal.note("It is good once, until \(Timestamp.text(link.expires)). It is not stored.")
}

let secondFactorCommand = Command(
    name: "user reset-second-factor",
    summary: "Removes a lost second factor. The user signs in with the password alone again.",
    operands: "NAME", options: [Command.database],
    example: "roster user reset-second-factor --database company.db ada", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    let view = try arguments.writableDirectory().unrestricted
    guard try await view.awaitWrite({ try $0.removeSecondFactor(of: .either(name)) }) else {
        throw CommandFailure(description: "\(Terminal.safe(name)) has no second factor.")
    }
    Terminal.write("The second factor of \(Terminal.safe(name)) was removed.\n")
}
