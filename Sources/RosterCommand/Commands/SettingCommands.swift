import Foundation
import Roster
import RosterAdministration
import RosterText

private let type = Command.Option("type", "TYPE", "for issuers jwt or saml, for providers oidc or social")
private let collections = "issuers|certificates|providers|policies"

/// The settings that administrators change while a server runs.
let settingCommands: [Command] = [
    Command(
        "setting list", "Lists settings of the service, without their secrets. The values are with --format json.",
        collections, [Command.format], example: "policies"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let collection = try collection(arguments)
        var output = try Output(
            arguments, columns: ["name", "type", "source", "changed", "has_secret", "problem", "value"])
        for one in try await arguments.administration().settings(collection) {
            output.add([
                .string(one.name), .text(one.type), .string(one.source.rawValue), .time(one.changed),
                .boolean(one.hasSecret), .text(one.problem),
                AttributeValue(try JSONValue(parsing: Array(one.entry))),
            ])
        }
        try output.show()
    },
    Command(
        "setting set",
        "Stores a setting, which applies at once. The JSON is an entry of the document of issuers or providers, or has a 'value' or a 'certificate'.",
        "\(collections) NAME",
        [type, .init("json", "FILE", "the file with the JSON of the setting; - for standard input")], changes: true,
        example: "--json policy.json policies allow_bare_basic"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let collection = try collection(arguments)
        let name = try arguments.operand(1, "The setting's name")
        guard let path = arguments.value("json") else { throw UsageError("Which value? Give --json FILE.") }
        guard let entry = try InputFile.read(path) else {
            throw UsageError("'\(path)' cannot be read. Check the path.")
        }
        let isNew = try await arguments.administration(.changing).setSetting(
            name, type: arguments.value("type"), in: collection, to: entry)
        Terminal.write("'\(Terminal.safe(name))' is \(isNew ? "stored" : "changed").\n")
    },
    Command(
        "setting delete", "Deletes a setting. A policy gets its standard value again.", "\(collections) NAME", [type],
        changes: true, example: "policies allow_bare_basic"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let collection = try collection(arguments)
        let name = try arguments.operand(1, "The setting's name")
        try await arguments.administration(.changing).deleteSetting(name, type: arguments.value("type"), in: collection)
    },
]

private func collection(_ arguments: Arguments) throws -> Administration.SettingCollection {
    let name = try arguments.operand(0, "The kind of settings")
    guard let collection = Administration.SettingCollection(rawValue: name) else {
        throw UsageError("There are no settings '\(name)'. Give issuers, certificates, providers or policies.")
    }
    return collection
}
