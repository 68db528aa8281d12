import Foundation
import Roster

let attributeCommands: [Command] = [
    Command(
        name: "attribute list", summary: "Lists the known attributes with their names in other protocols.",
        operands: "", options: [Command.database, .init("role", nil, "list attributes of roles"), Command.format],
        example: "roster attribute list --database company.db"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let vocabulary = try arguments.readableDirectory().unrestricted.attributes.vocabulary()
        var output = try Output(
            arguments,
            columns: ["name", "type", "profile", "scim", "ldap", "several", "unique", "indexed", "readers", "writers"])
        for definition in vocabulary.definitions(for: arguments.has("role") ? .role : .user) {
            output.add([
                .string(definition.name.rawValue), .string(definition.kind.rawValue),
                definition.names[.profile].map { .string($0) }, definition.names[.scim].map { .string($0) },
                definition.names[.ldap].map { .string($0) }, .boolean(definition.isMultiValued),
                .boolean(definition.isUnique),
                .boolean(definition.isSearchable), .string("\(definition.readers)"),
                .string(definition.writers.rawValue),
            ])
        }
        try output.show()
    },
    Command(
        name: "attribute declare", summary: "Declares a new attribute.", operands: "NAME",
        options: [
            Command.database,
            .init("type", "TYPE", "string (default), integer, decimal, boolean, time or binary"),
            .init("role", nil, "an attribute of roles instead of users"),
            .init("several", nil, "the attribute can have several values"),
            .init("unique", nil, "no two users (or roles) can have the same value"),
            .init("case-exact", nil, "values are case-sensitive"),
            readersOption, writersOption,
        ],
        example: "roster attribute declare --database company.db badge --type integer --unique", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = AttributeName(try arguments.operand(0, "The attribute's name"))
        guard let kind = AttributeDefinition.Kind(rawValue: arguments.value("type") ?? "string") else {
            throw UsageError("--type needs one of string, integer, decimal, boolean, time or binary.")
        }
        let definition = AttributeDefinition(
            name, of: arguments.has("role") ? .role : .user, kind: kind, isMultiValued: arguments.has("several"),
            isCaseExact: arguments.has("case-exact"), isUnique: arguments.has("unique"), isSearchable: kind != .binary,
            readers: try readers(arguments) ?? .signedIn, writers: try writers(arguments) ?? .administrators)
        try await arguments.writableDirectory(creating: true).unrestricted.attributes.declare([definition])
    },
    Command(
        name: "attribute set", summary: "Sets the readers and writers of an attribute.", operands: "NAME",
        options: [
            Command.database, .init("role", nil, "an attribute of roles instead of users"), readersOption,
            writersOption,
            .init("reset", nil, "restore the readers and writers of a new directory"),
        ],
        example: "roster attribute set --database company.db mobile --readers signedIn", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let (readers, writers) = (try readers(arguments), try writers(arguments))
        let isReset = arguments.has("reset")
        guard isReset != (readers != nil || writers != nil) else {
            throw UsageError("Give --readers, --writers or both, or else --reset.")
        }
        let attributes = try arguments.writableDirectory().unrestricted.attributes
        let entity: AttributeDefinition.Entity = arguments.has("role") ? .role : .user
        let name = try attribute(arguments.operand(0, "The attribute's name"), of: entity, attributes.vocabulary()).name
        if isReset {
            try await attributes.resetRights(of: name, for: entity)
        } else {
            try await attributes.setRights(of: name, for: entity, readers: readers, writers: writers)
        }
        if let definition = attributes.vocabulary().definition(of: name, for: entity) {
            Terminal.write("\(name): read by \(definition.readers), written by \(definition.writers)\n")
        }
    },
]

private let readersOption = Command.Option(
    "readers", "GROUP", "who may read it: signedIn, managers, person or administrators")
private let writersOption = Command.Option("writers", "GROUP", "who may write it: administrators or person")

private func readers(_ arguments: Arguments) throws -> AttributeDefinition.Readers? {
    guard let text = arguments.value("readers") else { return nil }
    guard let readers = AttributeDefinition.Readers(named: text) else {
        let names = AttributeDefinition.Readers.allCases.map { "\($0)" }.joined(separator: ", ")
        throw UsageError("--readers needs one of \(names), not '\(text)'.")
    }
    return readers
}

private func writers(_ arguments: Arguments) throws -> AttributeDefinition.Writers? { try arguments.choice("writers") }
