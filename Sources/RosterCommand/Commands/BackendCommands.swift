import Foundation
import Roster
import RosterAdministration
import RosterSignIn
import RosterStore
import RosterText

private let settings = Command.Option(
    "settings", "FILE", "JSON: grant_types, redirect_uris, scope …; - for standard input")

private let purpose = Command.Option(
    "for", "app|web|service|device", "what the backend is for: defaults that fit, which --settings completes")

private let version = Command.Option("version", "VERSION", "the backend's version (default 1.0)")

/// The backend that the operand and `--version` name.
private func backend(_ arguments: Arguments, in administration: Administration) async throws -> Administration.Backend {
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The backend's name")
    let version = arguments.value("version")
    let all = try await administration.backends()
    let named = all.first { $0.name == name && $0.version == version ?? "1.0" }
    guard let found = named ?? (version == nil ? all.first { $0.clientID == name } : nil) else {
        throw CommandFailure(
            description:
                "There is no backend '\(Terminal.safe(name))'\(version.map { " " + Terminal.safe($0) } ?? ""). "
                + "List them with 'roster backend list'.")
    }
    return found
}

let backendCommands: [Command] = [
    Command(
        "backend create", "Creates a backend, which is an OAuth client, and shows its secrets once.", "",
        [
            settings, purpose, .init("name", "NAME", "the backend's name"),
            .init("version", "VERSION", "the backend's version (default 1.0)"),
        ],
        changes: true, example: "--name shop --for app"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let description = try description(arguments)
        let (backend, secrets) = try await arguments.administration(.changing).makeBackend(Data(description.bytes))
        show([
            ("client_id", backend.clientID), ("client_secret", secrets.secret), ("backend_id", backend.backendID),
            ("anonymous_key", secrets.anonymousKey),
        ])
        Terminal.note("The secret and the key are not stored. If you lose them, create new ones.")
    },
    Command("backend list", "Lists the backends.", "", [Command.format]) { arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["name", "version", "client_id", "backend_id", "created"])
        for backend in try await arguments.administration().backends() {
            output.add([
                .string(backend.name), .string(backend.version), .string(backend.clientID),
                .string(backend.backendID), .time(backend.created),
            ])
        }
        try output.show()
    },
    Command(
        "backend show", "Shows a backend's settings in the form that 'backend set' reads, and advice about them.",
        "NAME",
        [version],
        example: "shop"
    ) { arguments in
        let found = try await backend(arguments, in: await arguments.administration())
        let shown = try JSONValue(parsing: Array(found.json))
        Terminal.write(JSONValue.object([.init("id", .string(found.id))] + shown.members).written + "\n")
        for advice in found.advice { Terminal.note(advice) }
    },
    Command(
        "backend users",
        "Lists the users for whom a backend has tokens, or is told of the end of a session; latest use first.", "NAME",
        [version, .init("last", "N", "list the N users who used it last (default 100)"), Command.format],
        example: "shop"
    ) { arguments in
        let count = try arguments.number("last", least: 1) ?? 100
        var output = try Output(arguments, columns: ["name", "uid", "id", "used", "tokens", "session"])
        let administration = try await arguments.administration()
        let found = try await backend(arguments, in: administration)
        for user in try await administration.users(ofBackend: found.id, limit: count) {
            output.add([
                .string(user.label), .string(user.uid), .string(user.user.description), .time(user.used),
                .boolean(user.hasTokens), .boolean(user.hasSession),
            ])
        }
        try output.show()
    },
    Command(
        "backend set", "Replaces a backend's settings. Settings that the file omits get their defaults.", "NAME",
        [settings, version], changes: true,
        example: "--settings shop.json shop"
    ) { arguments in
        guard arguments.value("settings") != nil else { throw UsageError("Which settings? Give --settings FILE.") }
        let description = try description(arguments, named: arguments.operands.first)
        let administration = try await arguments.administration(.changing)
        let found = try await backend(arguments, in: administration)
        try await administration.changeBackend(found.id, to: Data(description.bytes))
    },
    Command(
        "backend secret",
        "Replaces a backend's secret and anonymous key, and shows the new ones once. With --keep-old, the old secret and the key stay.",
        "NAME", [version, .init("keep-old", "DAYS", "the days for which the old secret stays good (1 to 90)")],
        changes: true,
        example: "shop --keep-old 7"
    ) { arguments in
        let days = try arguments.number("keep-old", least: 1)
        guard days ?? 1 <= 90 else { throw UsageError("--keep-old takes 1 to 90 days.") }
        let administration = try await arguments.administration(.changing)
        let found = try await backend(arguments, in: administration)
        let secrets = try await administration.renewSecrets(
            ofBackend: found.id, keepingOldFor: days.map { .seconds(Int64($0) * 86_400) })
        show([("client_secret", secrets.secret), ("anonymous_key", secrets.anonymousKey)])
    },
    Command(
        "backend delete", "Deletes a backend and its tokens.", "NAME", [version], changes: true,
        example: "shop"
    ) { arguments in
        let administration = try await arguments.administration(.changing)
        let found = try await backend(arguments, in: administration)
        try await administration.deleteBackend(found.id)
    },
]

/// Shows what there is as rows with a column of names.
private func show(_ rows: [(name: String, text: String?)]) {
    for (name, text) in rows {
        guard let text else { continue }
        Terminal.write(name.padding(toLength: 15, withPad: " ", startingAt: 0) + text + "\n")
    }
}

/// The settings of `--settings`, with those of the other options.
private func description(_ arguments: Arguments, named operand: String? = nil) throws -> JSONValue {
    var bytes: [UInt8] = Array("{}".utf8)
    if let path = arguments.value("settings") {
        guard let data = try InputFile.read(path) else { throw UsageError("'\(path)' cannot be read. Check the path.") }
        bytes = Array(data)
    }
    var description = try Backend.Description.json(
        bytes, name: arguments.value("name") ?? operand, version: arguments.value("version"))
    if let purpose = arguments.value("for") {
        guard BackendSettings.Purpose(rawValue: purpose) != nil else {
            throw UsageError("--for takes app, web, service or device.")
        }
        description["for"] = .string(purpose)
    }
    // Problems are told before a directory is opened.
    _ = try Backend.Description(description)
    return description
}

let keyCommands: [Command] = [
    Command(
        name: "key list", summary: "Lists the keys that sign tokens, without their private parts.", operands: "",
        options: [Command.directory, Command.format], example: "roster key list --database company.db"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["id", "algorithm", "created", "retired"])
        for key in try await arguments.administration().signingKeys() {
            output.add([.string(key.id), .string(key.algorithm.rawValue), .time(key.created), .time(key.retired)])
        }
        try output.show()
    },
    Command(
        name: "key rotate",
        summary:
            "Creates a new signing key, which is used after five minutes, when clients know it. Tokens signed with the old key stay valid until they expire.",
        operands: "",
        options: [
            Command.directory, .init("algorithm", "NAME", "ES256 (default), RS256 or EdDSA"),
        ], example: "roster key rotate --database company.db", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let algorithm = try arguments.choice("algorithm", Administration.SigningKey.Algorithm.self) ?? .es256
        try await arguments.administration(.changing).makeSigningKey(algorithm)
    },
    Command(
        name: "key remove",
        summary: "Removes a key, for example a stolen one. All tokens that it signed become invalid.",
        operands: "ID", options: [Command.directory], example: "roster key remove --database company.db ID",
        changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let id = try arguments.operand(0, "The key's id")
        let administration = try await arguments.administration(.changing)
        guard try await administration.signingKeys().contains(where: { $0.id == id }) else {
            throw CommandFailure(
                description: "There is no key '\(Terminal.safe(id))'. List them with 'roster key list'.")
        }
        try await administration.removeSigningKey(id)
    },
    Command(
        name: "key reset",
        summary:
            "Replaces a lost key file, and lists the lost secrets. All sessions end. Users with a second factor need 'roster user reset-second-factor'.",
        operands: "",
        options: [
            Command.database, Command.masterKey,
            .init("confirm", nil, "replace the key file; without this the command only lists what would be lost"),
        ], example: "roster key reset --database company.db --confirm", changes: true, run: resetKey),
]

@Sendable
private func resetKey(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 0)
    let key = try ResettableKey(of: try arguments.database(), arguments)
    if try key.isRight() {
        throw CommandFailure(
            description:
                "The key file '\(key.path)' is correct, so nothing is lost. To replace it anyway, move it away first."
        )
    }
    guard arguments.has("confirm") else {
        Terminal.write(told(try arguments.readableDirectory().sealedSecrets.all(), "would be"))
        throw UsageError(
            "Nothing was changed.", advice: "Add --confirm to give up these secrets and create a new key file.")
    }
    let directory = try arguments.writableDirectory()
    let old = try DirectoryFile.setKeyAside(at: key.path)
    let lost = try directory.sealedSecrets.giveUp(by: Directory.commandActor)
    try SignIn.keys(of: directory).prepare(.es256)
    Terminal.write("'\(key.path)' is new. All sessions and the tokens of apps have ended.\n" + told(lost, "are"))
    if let old { Terminal.write("The previous key file is kept as '\(old)'.\n") }
    if directory.isOnServer {
        Terminal.write("Copy the new key file to each machine, and restart the servers there.\n")
    }
}

/// The key file that a reset replaces.
private struct ResettableKey {
    /// Where the new key file comes.
    let path: String
    /// Whether there is a key file that opens the directory's secrets.
    let isRight: () throws -> Bool

    init(of database: Arguments.Database, _ arguments: Arguments) throws {
        switch database {
        case .file(let url):
            let file = try DirectoryFile(url)
            path = file.keyPath
            isRight = { file.foundKey != nil && (try? MasterKey.found(for: file)) != nil }
        case .server(_, let url):
            guard let path = url?.path else { throw UsageError("Which key file? Give --master-key FILE.") }
            self.path = path
            isRight = {
                guard FileManager.default.fileExists(atPath: path) else { return false }
                return (try? MasterKey(of: try arguments.readableDirectory())) != nil
            }
        }
    }
}

/// Describes the loss of a key file.
private func told(_ lost: LostSecrets, _ verb: String) -> String {
    var text = "signing keys that \(verb) gone: \(lost.signingKeys.count)\n"
    text += "second factors that \(verb) gone: \(lost.secondFactors.count)\n"
    text += "sealed secrets of backends that \(verb) gone: \(lost.backends.count)\n"
    if !lost.secondFactors.isEmpty {
        text +=
            "\nThese users cannot sign in until 'roster user reset-second-factor NAME' removes their second factor:\n"
        for name in lost.secondFactors { text += "  \(Terminal.safe(name))\n" }
    }
    if !lost.backends.isEmpty {
        text += "\nThese backends need a new secret, by 'roster backend secret NAME --version VERSION':\n"
        for name in lost.backends { text += "  \(Terminal.safe(name))\n" }
    }
    if !lost.settings.isEmpty {
        text += "\nThese settings need their secret again, under /admin/issuers or /admin/providers:\n"
        for name in lost.settings { text += "  \(Terminal.safe(name))\n" }
    }
    return text
}
