import Foundation
import Roster
import RosterAdministration
import RosterText

private let name = Command.Option("name", "NAME", "the name of the program that uses the token")
private let source = Command.Option(
    "source", "SOURCE", "the system whose external identifiers it uses, such as entra; tokens of one source share them")
private let creates = Command.Option(
    "creates-on-replace", "YES|NO",
    "for all tokens of the source: whether a 'replace' of SCIM makes what it does not find (default: yes for entra)")

extension Arguments {
    /// Whether the source creates what a `replace` does not find; nil for what the source does already.
    fileprivate func isCreating() throws -> Bool? {
        guard let text = value("creates-on-replace") else { return nil }
        guard value("source") != nil else { throw UsageError("--creates-on-replace is an option of a --source.") }
        guard ["yes", "no"].contains(text.lowercased()) else {
            throw UsageError("--creates-on-replace needs yes or no, not '\(text)'.")
        }
        return text.lowercased() == "yes"
    }
}

/// Describes in a cell of the table what a reading program may read; returns an empty text for other programs.
private func reads(_ token: Administration.Token) -> String {
    let attributes = (token.attributes ?? []).joined(separator: ",")
    return token.membersOf.map { "\(attributes) of \($0)" } ?? attributes
}

let tokenCommands: [Command] = [
    Command(
        "token create", "Creates an API token for a program, and shows it once.", "",
        [
            name, .init("role", "ROLE", "provisioning, monitoring, reading or administrator"),
            .init("days", "N", "the days until it expires (default: never)"), source, creates,
            .init("attributes", "LIST", "for the role reading: the attributes to read, such as uid,mail,memberOf"),
            .init("members-of", "ROLE", "for the role reading: whose members to read (default: all users)"),
            .init("networks", "LIST", "the networks it is accepted from, such as 192.0.2.0/24 (default: all)"),
        ], changes: true, example: "--name hr --role provisioning"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        guard let name = arguments.value("name") else { throw UsageError("Which token? Give --name NAME.") }
        guard let role = try arguments.choice("role", ProgramRole.self) else {
            throw UsageError("What may it do? Give --role provisioning, monitoring, reading or administrator.")
        }
        let days = try arguments.number("days", least: 1)
        let creates = try arguments.isCreating()
        let (attributes, networks) = (try arguments.list("attributes"), try arguments.list("networks") ?? [])
        let (token, _) = try await arguments.administration(.changing).makeToken(
            named: name, role: role, expires: days.map { .now.addingDays($0) }, source: arguments.value("source"),
            createsOnReplace: creates, attributes: attributes, membersOf: arguments.value("members-of"),
            networks: networks)
        Terminal.write(token + "\n")
        Terminal.note("Send it as 'Authorization: Bearer …'. It is not stored. If you lose it, create another one.")
    },
    Command("token list", "Lists the API tokens without their secrets.", "", [Command.format]) {
        arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(
            arguments, columns: ["name", "role", "reads", "networks", "source", "created", "expires", "used"])
        for token in try await arguments.administration().tokens() {
            output.add([
                .string(token.name), .string(token.role.rawValue), .string(reads(token)),
                .string(token.networks.joined(separator: " ")), .text(token.source),
                .time(token.created), .time(token.expires), .time(token.lastUse),
            ])
        }
        try output.show()
    },
    Command(
        "token source",
        "Lets an API token use the external identifiers of a source. Those that it has used until now go along.", "",
        [name, source, creates], changes: true, example: "--name hr --source entra"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        guard let name = arguments.value("name") else { throw UsageError("Which token? Give --name NAME.") }
        guard let source = arguments.value("source") else { throw UsageError("Which source? Give --source SOURCE.") }
        let creates = try arguments.isCreating()
        try await arguments.administration(.changing).setSource(source, createsOnReplace: creates, ofToken: name)
    },
    Command("token revoke", "Revokes an API token at once.", "", [name], changes: true, example: "--name hr") {
        arguments in
        try arguments.expectOperands(atMost: 0)
        guard let name = arguments.value("name") else { throw UsageError("Which token? Give --name NAME.") }
        try await arguments.administration(.changing).endToken(name)
    },
]

let passwordCommand = Command(
    name: "user password", summary: "Sets the password with which a user signs in over HTTP.", operands: "NAME",
    options: [
        Command.directory,
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
    let (view, administration) = try await arguments.viewAndAdministration(.changing)
    let user = try await view.users.user(.either(name), attributes: ["uid"])
    try await administration.user(user.id).setPassword(password)
    Terminal.write("The password of \(Terminal.safe(user.uid)) was set.\n")
}

let passwordLinkCommand = Command(
    name: "user password-link",
    summary: "Makes a link with which a user sets a password once. A newer link ends the older one.",
    operands: "NAME",
    options: [
        Command.directory, .init("public-url", "URL", "the address at which users reach the server"),
        .init("kind", "KIND", "reset (default, good for 30 minutes) or invitation (24 hours)"),
    ],
    example: "roster user password-link --database company.db --public-url https://id.example.com ada", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    var base = arguments.value("public-url") ?? ""
    while base.hasSuffix("/") { base.removeLast() }
    guard arguments.value("server") == nil || base.isEmpty else {
        throw UsageError("--public-url is for files: a server knows its address.")
    }
    guard arguments.value("server") != nil || base.hasPrefix("https://") || base.hasPrefix("http://") else {
        throw UsageError("Where is the server? Give --public-url with an address such as https://id.example.com.")
    }
    let kind = try arguments.choice("kind", Administration.PasswordLink.Kind.self) ?? .reset
    let link = try await arguments.administration(.changing, at: base).user(UserReference.either(name))
        .makePasswordLink(kind)
    guard let url = link.url else { throw CommandFailure(description: "The server's answer has no link.") }
    Terminal.write(url + "\n")
    Terminal.note("It is good once, until \(Timestamp.text(link.expires)). It is not stored.")
}

let secondFactorsCommand = Command(
    "user second-factors", "Lists the second factors of a user, without their secrets.", "NAME", [Command.format],
    example: "ada"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    var output = try Output(arguments, columns: ["kind", "created", "used", "recovery_codes", "questions"])
    // A file that is open for reading only does not give its key, with which the factors are encrypted.
    let found = try await arguments.administration(.changing).user(UserReference.either(name)).secondFactors()
    for factor in found.factors {
        let count = AttributeValue.integer(Int64(factor.count))
        output.add([
            .string(factor.kind.rawValue), .time(factor.created), .time(factor.used),
            factor.kind == .app ? count : nil, factor.kind == .questions ? count : nil,
        ])
    }
    if found.isLost { output.add(["lost", nil, nil, nil, nil]) }
    try output.show()
    if found.isLost {
        Terminal.note(
            "The second factors were lost with the key file. Remove them with 'roster user reset-second-factor'.")
    } else if found.factors.isEmpty, output.format == .table {
        Terminal.note("\(Terminal.safe(name)) has no second factor.")
    }
}

let secondFactorCommand = Command(
    name: "user reset-second-factor",
    summary: "Removes second factors that a user has lost. Without one, the user signs in with the password alone.",
    operands: "NAME",
    options: [
        Command.directory,
        .init("kind", "KIND", "app or questions: remove this one, and keep the other (default: all)"),
    ],
    example: "roster user reset-second-factor --database company.db ada", changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The user's name")
    let kind = try arguments.choice("kind", Administration.SecondFactors.Kind.self)
    let (view, administration) = try await arguments.viewAndAdministration(.changing)
    let user = try await view.users.user(.either(name), attributes: ["uid"])
    guard try await administration.user(user.id).removeSecondFactor(kind) else {
        throw CommandFailure(
            description: "\(Terminal.safe(name)) has no second factor\(kind.map { " of the kind \($0)" } ?? "").")
    }
    Terminal.write("The second factor\(kind.map { " '\($0)'" } ?? "") of \(Terminal.safe(name)) was removed.\n")
}
