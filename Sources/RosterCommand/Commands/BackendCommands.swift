import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterStore
import RosterText

private let settings = Command.Option(
    "settings", "FILE", "JSON: grant_types, redirect_uris, scope …; - for standard input")

private let version = Command.Option("version", "VERSION", "the backend's version (default 1.0)")

/// The backend that the operand and `--version` name.
private func backend(_ arguments: Arguments, in view: DirectoryView) async throws -> Backend {
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The backend's name")
    return try await view.awaitRead { try $0.backend(named: name, version: arguments.value("version")) }
}

let backendCommands: [Command] = [
    Command(
        "backend create", "Creates a backend, which is an OAuth client, and shows its secrets once.", "",
        [
            settings, .init("name", "NAME", "the backend's name"),
            .init("version", "VERSION", "the backend's version (default 1.0)"),
        ],
        changes: true, example: "--name shop --settings shop.json"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let description = try description(arguments)
        let directory = try arguments.writableDirectory()
        let keys = try SignIn.keys(of: directory)
        let (backend, secrets) = try await Backend.create(description, keys: keys, in: directory.unrestricted)
        Terminal.write("client_id      \(backend.clientID)\n")
        if let secret = secrets.secret { Terminal.write("client_secret  \(secret)\n") }
        Terminal.write("backend_id     \(backend.backendID)\nanonymous_key  \(secrets.anonymousKey)\n")
        Terminal.note("The secret and the key are not stored. If you lose them, create new ones.")
    },
    Command("backend list", "Lists the backends.", "", [Command.format]) { arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["name", "version", "client_id", "backend_id", "created"])
        let view = try arguments.readableDirectory().unrestricted
        for backend in try await view.awaitRead({ try $0.backends() }) {
            output.add([
                .string(backend.name), .string(backend.version), .string(backend.clientID), .string(backend.backendID),
                .time(backend.created),
            ])
        }
        try output.show()
    },
    Command(
        "backend show", "Shows a backend's settings in the form that 'backend set' reads.", "NAME", [version],
        example: "shop"
    ) { arguments in
        let found = try await backend(arguments, in: arguments.readableDirectory().unrestricted)
        Terminal.write(found.json.written + "\n")
    },
    Command(
        "backend set", "Replaces a backend's settings. Settings that the file omits get their defaults.", "NAME",
        [settings, version], changes: true,
        example: "--settings shop.json shop"
    ) { arguments in
        guard arguments.value("settings") != nil else { throw UsageError("Which settings? Give --settings FILE.") }
        let description = try description(arguments, named: arguments.operands.first)
        let directory = try arguments.writableDirectory()
        let view = directory.unrestricted
        let found = try await backend(arguments, in: view)
        _ = try await Backend.change(found.id, to: description, keys: try SignIn.keys(of: directory), in: view)
    },
    Command(
        "backend secret", "Replaces a backend's secret and anonymous key, and shows the new ones once.", "NAME",
        [version], changes: true,
        example: "shop"
    ) { arguments in
        let directory = try arguments.writableDirectory()
        let view = directory.unrestricted
        let found = try await backend(arguments, in: view)
        let secrets = try await Backend.renewSecrets(
            found.id, keys: try SignIn.keys(of: directory), in: view)
        if let secret = secrets.secret { Terminal.write("client_secret  \(secret)\n") }
        Terminal.write("anonymous_key  \(secrets.anonymousKey)\n")
    },
    Command(
        "backend delete", "Deletes a backend and its tokens.", "NAME", [version], changes: true,
        example: "shop"
    ) { arguments in
        let view = try arguments.writableDirectory().unrestricted
        let found = try await backend(arguments, in: view)
        try await view.awaitWrite { try $0.deleteBackend(found.id) }
    },
]

/// The settings of `--settings`, with those of the other options.
private func description(_ arguments: Arguments, named operand: String? = nil) throws -> Backend.Description {
    var bytes: [UInt8] = Array("{}".utf8)
    if let path = arguments.value("settings") {
        guard let data = try InputFile.read(path) else { throw UsageError("'\(path)' cannot be read. Check the path.") }
        bytes = Array(data)
    }
    return try Backend.Description(
        bytes, name: arguments.value("name") ?? operand, version: arguments.value("version"))
}

let keyCommands: [Command] = [
    Command(
        name: "key list", summary: "Lists the keys that sign tokens, without their private parts.", operands: "",
        options: [Command.database, Command.format], example: "roster key list --database company.db"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        var output = try Output(arguments, columns: ["id", "algorithm", "created", "retired"])
        for key in try arguments.readableDirectory().signingKeys() {
            output.add([
                .string(key.id), .string(key.algorithm.rawValue), .time(key.created), key.retired.map { .time($0) },
            ])
        }
        try output.show()
    },
    Command(
        name: "key rotate",
        summary:
            "Creates a new signing key, which is used after five minutes, when clients know it. Tokens signed with the old key stay valid until they expire.",
        operands: "",
        options: [
            Command.database, .init("algorithm", "NAME", "ES256 (default), RS256 or EdDSA"),
        ], example: "roster key rotate --database company.db", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let algorithm = try arguments.choice("algorithm", SigningAlgorithm.self) ?? .es256
        try SignIn.keys(of: try arguments.writableDirectory()).rotate(algorithm, by: "unrestricted")
    },
    Command(
        name: "key remove",
        summary: "Removes a key, for example a stolen one. All tokens that it signed become invalid.",
        operands: "ID", options: [Command.database], example: "roster key remove --database company.db ID",
        changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let id = try arguments.operand(0, "The key's id")
        let directory = try arguments.writableDirectory()
        guard try directory.signingKeys().contains(where: { $0.id == id }) else {
            throw CommandFailure(
                description: "There is no key '\(Terminal.safe(id))'. List them with 'roster key list'.")
        }
        try SignIn.keys(of: directory).remove(id, by: "unrestricted")
    },
    Command(
        name: "key reset",
        summary:
            "Replaces a lost key file, and lists the lost secrets. All sessions end. Users with a second factor need 'roster user reset-second-factor'.",
        operands: "",
        options: [
            Command.database,
            .init("confirm", nil, "replace the key file; without this the command only lists what would be lost"),
        ], example: "roster key reset --database company.db --confirm", changes: true, run: resetKey),
]

@Sendable
private func resetKey(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 0)
    let file = try DirectoryFile(try arguments.databaseURL())
    if let found = file.foundKey, (try? MasterKey.found(for: file)) != nil {
        throw CommandFailure(
            description:
                "The key file '\(found)' is correct, so nothing is lost. To replace it anyway, move it away first."
        )
    }
    guard arguments.has("confirm") else {
        Terminal.write(told(try arguments.readableDirectory().sealedSecrets(), "would be"))
        throw UsageError(
            "Nothing was changed.", advice: "Add --confirm to give up these secrets and create a new key file.")
    }
    let directory = try arguments.writableDirectory()
    let old = try file.setKeyAside()
    let lost = try directory.giveUpSecrets(by: "unrestricted")
    try SignIn.keys(of: directory).prepare(.es256)
    Terminal.write("'\(file.keyPath)' is new. All sessions and the tokens of apps have ended.\n" + told(lost, "are"))
    if let old { Terminal.write("The previous key file is kept as '\(old)'.\n") }
}

/// Describes what is lost with a key file.
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

/// Loads a seed and its backends in one transaction.
///
/// - Returns: The report, and as text the secrets that were generated for backends.
func load(_ seed: Seed, grants: Grants, into directory: Directory) async throws -> (report: LoadReport, secrets: String)
{
    let seed = try await seed.hashingPasswords(.standard, for: directory, in: directory.unrestricted)
    // Without backends no key file is needed, and none is made.
    guard !seed.backends.isEmpty else { return (try await directory.unrestricted.load(seed, grants: grants), "") }
    let keys = try SignIn.keys(of: directory)
    let (report, made) = try await Backend.loadAll(of: seed, grants: grants, keys: keys, in: directory.unrestricted)
    let secrets = made.map { made in
        let secret = made.secret.map { "  client_secret \($0)" } ?? ""
        return "backend \(Terminal.safe(made.title))  client_id \(made.clientID)\(secret)\n"
    }
    return (report, secrets.joined())
}
