import Foundation
import Roster

let attributeCommands: [Command] = [
    Command(
        name: "attribute list", summary: "Lists the known attributes with their names in other protocols.",
        operands: "", options: [Command.directory, .init("role", nil, "list attributes of roles"), Command.format],
        example: "roster attribute list --database company.db"
    ) { arguments in
        try arguments.expectOperands(atMost: 0)
        let vocabulary = try await arguments.view().attributes.vocabulary()
        var output = try Output(
            arguments,
            columns: [
                "name", "type", "profile", "scim", "ldap", AttributeField.multiValued.rawValue,
                AttributeField.unique.rawValue,
                AttributeField.indexed.rawValue, "readers", "writers", "rules",
            ])
        for definition in vocabulary.definitions(for: arguments.has("role") ? .role : .user) {
            output.add([
                .string(definition.name.rawValue), .string(definition.kind.rawValue),
                definition.names[.profile].map { .string($0) }, definition.names[.scim].map { .string($0) },
                definition.names[.ldap].map { .string($0) }, .boolean(definition.isMultiValued),
                .boolean(definition.isUnique),
                .boolean(definition.isIndexed), .string("\(definition.readers)"),
                .string(definition.writers.rawValue),
                definition.rules.text.isEmpty ? nil : .string(definition.rules.text),
            ])
        }
        try output.show()
    },
    Command(
        name: "attribute declare", summary: "Declares a new attribute.", operands: "NAME",
        options: [
            Command.directory,
            .init(.type, "TYPE", "string (default), integer, decimal, boolean, time or binary"),
            .init("role", nil, "an attribute of roles instead of users"),
            .init(.multiValued, nil, "the attribute can have several values"),
            .init(.caseExact, nil, "values are case-sensitive"),
            .init("not-indexed", nil, "filters read every user, so that writing is faster"),
            readersOption, writersOption,
        ] + ruleOptions,
        example: "roster attribute declare --database company.db badge --type integer --unique", changes: true
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let name = AttributeName(try arguments.operand(0, "The attribute's name"))
        guard let kind = AttributeDefinition.Kind(rawValue: arguments.value("type") ?? "string") else {
            throw UsageError("--type needs one of string, integer, decimal, boolean, time or binary.")
        }
        let definition = AttributeDefinition(
            name, of: arguments.has("role") ? .role : .user, kind: kind,
            isMultiValued: arguments.has(AttributeField.multiValued.option),
            isCaseExact: arguments.has(AttributeField.caseExact.option),
            isIndexed: kind != .binary && !arguments.has("not-indexed"), rules: try rules(arguments),
            readers: try readers(arguments) ?? .signedIn, writers: try writers(arguments) ?? .administrators)
        try await arguments.view(.creating).attributes.declare(definition)
    },
    Command(
        name: "attribute set", summary: "Sets the readers and writers of an attribute.", operands: "NAME",
        options: [
            Command.directory, .init("role", nil, "an attribute of roles instead of users"), readersOption,
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
        let attributes = try await arguments.view(.changing).attributes
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

let attributeChangeCommands: [Command] = [
    Command(
        "attribute widen", "Lets a declared attribute take more values than before.", "NAME",
        [
            .init(.type, "TYPE", "the new type: decimal (from integer) or string"),
            .init(.multiValued, nil, "the attribute can have several values"),
            .init(.caseExact, "YES|NO", "whether values are case-sensitive"),
        ], changes: true, example: "badge --type string"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let kind: AttributeDefinition.Kind? = try arguments.value("type").map { text in
            guard let kind = AttributeDefinition.Kind(rawValue: text) else {
                throw UsageError("--type needs one of string, integer, decimal, boolean, time or binary.")
            }
            return kind
        }
        let isCaseExact: Bool? = try arguments.value(AttributeField.caseExact.option).map { text in
            guard ["yes", "no"].contains(text.lowercased()) else {
                throw UsageError("--case-exact needs yes or no, not '\(text)'.")
            }
            return text.lowercased() == "yes"
        }
        guard kind != nil || isCaseExact != nil || arguments.has(AttributeField.multiValued.option) else {
            throw UsageError("Give --type, --multi-valued or --case-exact.")
        }
        let (attributes, name) = try await declared(arguments)
        try await attributes.widen(
            name, to: kind, isMultiValued: arguments.has(AttributeField.multiValued.option) ? true : nil,
            isCaseExact: isCaseExact)
    },
    Command(
        "attribute rename", "Renames a declared attribute together with its values.", "NAME NEW-NAME", changes: true,
        example: "badge badgeNumber"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let new = AttributeName(try arguments.operand(1, "The new name"))
        let (attributes, name) = try await declared(arguments)
        try await attributes.rename(name, to: new)
    },
    Command(
        "attribute index", "Builds the index of a declared or built-in attribute, or removes the index.", "NAME",
        [.init("remove", nil, "remove the index instead")], changes: true, example: "badge"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let (attributes, name) = try await declared(arguments)
        if arguments.has("remove") {
            try await attributes.removeIndex(of: name)
        } else {
            try await attributes.index(name)
        }
    },
    Command(
        "attribute rules", "Replaces the rules for the values of a declared attribute, or of mail.", "NAME",
        ruleOptions + [.init("none", nil, "remove all rules")], changes: true, example: "mail --unique"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let rules = try rules(arguments)
        guard arguments.has("none") == (rules == AttributeRules()) else {
            throw UsageError("Give the rules that hold from now on, or else --none.")
        }
        let (attributes, name) = try await declared(arguments)
        try await attributes.setRules(rules, of: name)
    },
    Command(
        "attribute label", "Sets the name and the description that people see of a declared attribute in a language.",
        "NAME LANGUAGE",
        [
            .init("text", "TEXT", "the name, such as 'Badge number'; an empty one removes it"),
            .init("description", "TEXT", "the description; an empty one removes it"),
        ], changes: true, example: "badge de --text Ausweisnummer"
    ) { arguments in
        try arguments.expectOperands(atMost: 2)
        let language = try arguments.operand(1, "The language")
        let (label, description) = (arguments.value("text"), arguments.value("description"))
        guard label != nil || description != nil else { throw UsageError("Give --text, --description or both.") }
        let (attributes, name) = try await declared(arguments)
        func change(_ text: String?) -> [String: String?] { text.map { [language: $0.isEmpty ? nil : $0] } ?? [:] }
        try await attributes.changeTexts(labels: change(label), descriptions: change(description), of: name)
    },
    Command(
        "attribute undeclare", "Removes a declared attribute.", "NAME",
        [.init("remove-values", nil, "remove the values of all users or roles as well")], changes: true,
        example: "badge --remove-values"
    ) { arguments in
        try arguments.expectOperands(atMost: 1)
        let (attributes, name) = try await declared(arguments)
        try await attributes.undeclare(name, removingValues: arguments.has("remove-values"))
    },
]

/// The attributes of the directory, and the attribute that the first operand names.
private func declared(_ arguments: Arguments) async throws -> (AttributeManager, AttributeName) {
    let text = try arguments.operand(0, "The attribute's name")
    let attributes = try await arguments.view(.changing).attributes
    let vocabulary = attributes.vocabulary()
    if let role = vocabulary.declared.first(where: { $0.entity == .role && $0.name.rawValue == text }) {
        return (attributes, role.name)
    }
    return (attributes, try attribute(text, of: .user, vocabulary).name)
}

private let ruleOptions: [Command.Option] = [
    .init(.unique, nil, "no two users can have the same value"),
    .init(.pattern, "REGEX", "the whole value matches this regular expression (RFC 9485)"),
    .init(.minimumLength, "COUNT", "a text has at least so many characters"),
    .init(.maximumLength, "COUNT", "a text has at most so many characters"),
    .init(.minimum, "NUMBER", "a number is not less"), .init(.maximum, "NUMBER", "a number is not greater"),
]

private func rules(_ arguments: Arguments) throws -> AttributeRules {
    func number(_ option: String) throws -> Double? {
        guard let text = arguments.value(option) else { return nil }
        guard case .decimal(let number)? = AttributeDefinition.Kind.decimal.value(of: text) else {
            throw UsageError("--\(option) needs a number, not '\(text)'.")
        }
        return number
    }
    return AttributeRules(
        isUnique: arguments.has("unique"), pattern: arguments.value("pattern"),
        minimumLength: try arguments.number("minimum-length"), maximumLength: try arguments.number("maximum-length"),
        minimum: try number("minimum"), maximum: try number("maximum"))
}

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

extension AttributeField {
    /// The name of the field's option: `--multi-valued` for `multiValued`.
    fileprivate var option: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}

extension Command.Option {
    fileprivate init(_ field: AttributeField, _ value: String?, _ help: String) {
        self.init(field.option, value, help, olderNames: field.olderNames)
    }
}
