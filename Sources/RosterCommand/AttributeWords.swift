import Foundation
import Roster
import RosterText

/// Finds an attribute by any of its names.
func attribute(_ name: String, of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) throws
    -> AttributeDefinition
{
    // Filters accept `surname`, so that all commands do.
    let known = entity == .user && name.lowercased() == "surname" ? "familyName" : name
    if let definition = vocabulary.definition(named: known, for: entity) { return definition }
    let names = vocabulary.definitions(for: entity).map(\.name.rawValue)
    let hint = SimilarWord.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
    throw UsageError(
        "There is no attribute '\(name)' of a \(entity.rawValue).\(hint)",
        advice: "'roster attribute list' shows all of them.")
}

extension Arguments {
    /// Reads the operands after the first one, `ATTRIBUTE=VALUE`, `ATTRIBUTE+=VALUE`, `ATTRIBUTE-=VALUE` or `ATTRIBUTE=`,
    /// as changes, with any of the attribute's names.
    func changes(of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) throws -> [AttributeChange] {
        guard operands.count > 1 else { throw UsageError("Which change? Give ATTRIBUTE=VALUE.") }
        return try operands.dropFirst().map { word in
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
                throw UsageError("'\(word)' is not ATTRIBUTE=VALUE.")
            }
            var name = word[..<sign]
            let operation = name.last
            if operation == "+" || operation == "-" { name.removeLast() }
            let text = String(word[word.index(after: sign)...])
            let definition = try attribute(String(name), of: entity, vocabulary)
            if text.isEmpty, operation != "+", operation != "-" { return .clear(definition.name) }
            let value = try Self.value(text, definition)
            return switch operation {
            case "+": .add(definition.name, [value])
            case "-": .remove(definition.name, [value])
            default: .set(definition.name, definition.isMultiValued ? .list([value]) : value)
            }
        }
    }

    private static func value(_ text: String, _ definition: AttributeDefinition) throws -> AttributeValue {
        func refuse(_ what: String) -> UsageError { UsageError("'\(definition.name)' needs \(what), not '\(text)'.") }
        switch definition.kind {
        case .string:
            try check(text, definition)
            return .string(text)
        case .complex:
            if definition.name == "emails", !text.hasPrefix("{") { try check(text, definition) }
            // A complex value is its main part as text, or all parts as JSON.
            guard text.hasPrefix("{") else { return .string(text) }
            guard let json = try? JSONValue(strictly: Array(text.utf8)), let value = AttributeValue(json) else {
                throw refuse("text or JSON such as {\"value\": \"…\", \"type\": \"work\"}")
            }
            return value
        case .integer, .decimal, .boolean, .time, .binary:
            guard let value = definition.kind.value(of: text) else { throw refuse(definition.kind.needed) }
            return value
        }
    }

    /// Refuses a value that the directory would refuse, and a password, as a mistake in the call.
    private static func check(_ text: String, _ definition: AttributeDefinition) throws {
        switch definition.name {
        case "password":
            // A hash does not reveal the password.
            guard !["$", "{", "pbkdf2_"].contains(where: text.hasPrefix) else { return }
            throw UsageError(
                "'password' is not accepted on the command line, where other users of the machine can read it.",
                advice: "Set it with 'roster user password --password-file FILE NAME'.")
        default:
            guard let broken = definition.broken(by: .string(text)) else { return }
            throw UsageError("'\(definition.name)' \(broken.problem), unlike '\(text)'.", advice: broken.advice)
        }
    }

    /// The attributes of `--attributes a,b`.
    func attributes(of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) throws -> [AttributeName]? {
        try list("attributes")?.map { try attribute($0, of: entity, vocabulary).name }
    }

    /// The initial values of a user or role. `ATTRIBUTE=VALUE` can be repeated.
    func values(of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) throws -> AttributeSet {
        var set: AttributeSet = [:]
        for change in operands.count > 1 ? try changes(of: entity, vocabulary) : [] {
            guard case .set(let name, let value) = change else {
                throw UsageError(
                    "A new \(entity.rawValue) has no values to add to, to remove from or to clear. Use ATTRIBUTE=VALUE."
                )
            }
            // If a single-valued attribute is repeated, the last value counts, as for options.
            let isList = vocabulary.definition(of: name, for: entity)?.isMultiValued == true
            set[name] = isList ? .list((set[name]?.elements ?? []) + value.elements) : value
        }
        return set
    }
}
