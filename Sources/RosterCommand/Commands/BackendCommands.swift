import Foundation
import Roster
import RosterSignIn
import RosterStore

private func command(
    _ name: String, _ summary: String, _ options: [Command.Option] = [], operands: String = "", changes: Bool = false,
    example: String, run: @escaping @Sendable (Arguments) async throws -> Void
) -> Command {
    Command(
        name: "backend " + name, summary: summary, operands: operands, options: [Command.database] + options,
        example: "roster backend \(name) --database company.db " + example, changes: changes, run: run)
}

private let settings = Command.Option(
    "settings", "FILE", "JSON: grant_types, redirect_uris, scope …; - for standard input")

let backendCommands: [Command] = [
    command(
        "create", "Makes a backend, the client of OAuth, and shows its secrets this once.",
        [settings, .init("name", "NAME", "its name"), .init("version", "VERSION", "its version; 1.0 where not given")],
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
        Terminal.note("The secret and the key are kept nowhere: who loses them needs new ones.")
    },
    command("list", "Lists the backends.", [Command.format], example: "") { arguments in
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
    command(
        "show", "Shows a backend's settings, as they can be changed and set again.",
        [.init("version", "VERSION", "which version; 1.0 where not given")], operands: "NAME", example: "shop"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = try arguments.operand(0, "The backend's name")
        let version = arguments.value("version")
        let view = try arguments.readableDirectory().unrestricted
        let backend = try await view.awaitRead { try $0.backend(named: name, version: version) }
        Terminal.write(backend.json.written + "\n")
    },
    command(
        "set", "Changes a backend's settings: those that the file does not name get their defaults.",
        [settings, .init("version", "VERSION", "which version; 1.0 where not given")], operands: "NAME", changes: true,
        example: "--settings shop.json shop"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = try arguments.operand(0, "The backend's name")
        let version = arguments.value("version")
        guard arguments.value("settings") != nil else { throw UsageError("Which settings? Give --settings FILE.") }
        let description = try description(arguments, named: name)
        let directory = try arguments.writableDirectory()
        let view = directory.unrestricted
        let backend = try await view.awaitRead { try $0.backend(named: name, version: version) }
        _ = try await Backend.change(backend.id, to: description, keys: try SignIn.keys(of: directory), in: view)
    },
    command(
        "secret", "Gives a backend a new secret and a new anonymous key, and shows them this once.",
        [.init("version", "VERSION", "which version; 1.0 where not given")], operands: "NAME", changes: true,
        example: "shop"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = try arguments.operand(0, "The backend's name")
        let version = arguments.value("version")
        let directory = try arguments.writableDirectory()
        let view = directory.unrestricted
        let backend = try await view.awaitRead { try $0.backend(named: name, version: version) }
        let secrets = try await Backend.renewSecrets(backend.id, keys: try SignIn.keys(of: directory), in: view)
        if let secret = secrets.secret { Terminal.write("client_secret  \(secret)\n") }
        Terminal.write("anonymous_key  \(secrets.anonymousKey)\n")
    },
    command(
        "delete", "Deletes a backend, and with it the tokens that it holds.",
        [.init("version", "VERSION", "which version; 1.0 where not given")], operands: "NAME", changes: true,
        example: "shop"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = try arguments.operand(0, "The backend's name")
        let version = arguments.value("version")
        let view = try arguments.writableDirectory().unrestricted
        try await view.awaitWrite { try $0.deleteBackend($0.backend(named: name, version: version).id) }
    },
]

/// The settings file with what the other options say.
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
        name: "key list", summary: "Lists the keys that sign tokens, without the private ones.", operands: "",
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
            "Makes a new key, which signs in five minutes, when clients know it. What the old one signed is good until it ends.",
        operands: "",
        options: [
            Command.database, .init("algorithm", "NAME", "ES256, RS256 or EdDSA; ES256 where not given"),
        ], example: "roster key rotate --database company.db", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let algorithm = try arguments.choice("algorithm", SignatureAlgorithm.self) ?? .es256
        try SignIn.keys(of: try arguments.writableDirectory()).rotate(algorithm, by: "unrestricted")
    },
    Command(
        name: "key remove",
        summary: "Takes a key away, such as a stolen one: what it signed is good for nothing any more.",
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
            "Makes a new key file for one that is lost, and says what is gone. All sessions end; who had a second factor is let in again by 'roster user reset-second-factor'.",
        operands: "",
        options: [
            Command.database, .init("confirm", nil, "do it; without this it is only said what would be gone"),
        ], example: "roster key reset --database company.db --confirm", changes: true, run: resetKey),
]

@Sendable
private func resetKey(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 0)
    let file = try DirectoryFile(try arguments.databaseURL())
    if let found = file.foundKey, (try? MasterKey.found(for: file)) != nil {
        throw CommandFailure(
            description: "The key file '\(found)' is the right one: nothing is lost. To give it up, move it away first."
        )
    }
    guard arguments.has("confirm") else {
        Terminal.write(told(try arguments.readableDirectory().sealedSecrets(), "would be"))
        throw UsageError("Nothing was changed.", advice: "Add --confirm to give this up and make a new key file.")
    }
    let directory = try arguments.writableDirectory()
    let old = try file.setKeyAside()
    let lost = try directory.giveUpSecrets(by: "unrestricted")
    try SignIn.keys(of: directory).prepare(.es256)
    Terminal.write("'\(file.keyPath)' is new. All sessions and the tokens of apps have ended.\n" + told(lost, "are"))
    if let old { Terminal.write("The key file that was there is kept as '\(old)'.\n") }
}

/// What is gone with a key file, in lines.
private func told(_ lost: LostSecrets, _ verb: String) -> String {
    var text = "signing keys that \(verb) gone: \(lost.signingKeys.count)\n"
    text += "second factors that \(verb) gone: \(lost.secondFactors.count)\n"
    text += "sealed secrets of backends that \(verb) gone: \(lost.backends.count)\n"
    if !lost.secondFactors.isEmpty {
        text += "\nThese users are not let in until 'roster user reset-second-factor NAME' removes what they had:\n"
        for name in lost.secondFactors { text += "  \(Terminal.safe(name))\n" }
    }
    if !lost.backends.isEmpty {
        text += "\nThese backends need a new secret, by 'roster backend secret NAME --version VERSION':\n"
        for name in lost.backends { text += "  \(Terminal.safe(name))\n" }
    }
    return text
}

/// Loads a seed and its backends in one transaction.
///
/// - Returns: The report, and as text the secrets that were generated for backends.
func load(_ seed: Seed, grants: Grants, into directory: Directory) async throws -> (report: LoadReport, secrets: String)
{
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
