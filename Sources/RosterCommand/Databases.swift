import Foundation
import Roster

extension Arguments {
    /// The file that `--database` or ROSTER_DATABASE names.
    func databaseURL() throws -> URL {
        guard let path = value("database") ?? ProcessInfo.processInfo.environment["ROSTER_DATABASE"], !path.isEmpty
        else {
            throw UsageError("Which directory? Give --database FILE.")
        }
        return URL(fileURLWithPath: path)
    }

    /// The directory, to be changed; made where there is none if `creating`.
    func writableDirectory(creating: Bool = false) throws -> Directory {
        let url = try databaseURL()
        guard creating || FileManager.default.fileExists(atPath: url.path) else { throw Self.missing(url) }
        return try Directory(at: url)
    }

    /// The directory, to be read, also while somebody else has it open.
    func readableDirectory() throws -> Directory {
        let url = try databaseURL()
        guard FileManager.default.fileExists(atPath: url.path) else { throw Self.missing(url) }
        return try Directory(at: url, readOnly: true)
    }

    private static func missing(_ url: URL) -> UsageError {
        UsageError("There is no file '\(url.path)'. Make one with 'roster seed' or 'roster import'.")
    }

    /// `ATTRIBUTE=VALUE`, `ATTRIBUTE+=VALUE`, `ATTRIBUTE-=VALUE` and `ATTRIBUTE=` as changes, under any of the
    /// attribute's names.
    static func changes(_ words: some Sequence<String>, of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary)
        throws
        -> [AttributeChange]
    {
        try words.map { word in
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
                throw UsageError("'\(word)' is not ATTRIBUTE=VALUE.")
            }
            var name = word[..<sign]
            let operation = name.last
            if operation == "+" || operation == "-" { name.removeLast() }
            let text = String(word[word.index(after: sign)...])
            guard let definition = vocabulary.definition(named: String(name), for: entity) else {
                throw UsageError(
                    "There is no attribute '\(name)' of a \(entity.rawValue). See 'roster attribute list'.")
            }
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
        case .string, .complex: return .string(text)
        case .integer:
            guard let number = Int64(text) else { throw refuse("a whole number") }
            return .integer(number)
        case .decimal:
            guard let number = Double(text), number.isFinite else { throw refuse("a number") }
            return .decimal(number)
        case .boolean:
            guard let isTrue = Bool(text.lowercased()) else { throw refuse("true or false") }
            return .boolean(isTrue)
        case .time:
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw refuse("a time such as 2026-01-31T09:00:00Z")
            }
            return .time(date)
        case .binary:
            guard let data = Data(base64Encoded: text) else { throw refuse("base64") }
            return .binary(data)
        }
    }

    /// The attributes that `--attributes a,b` names.
    func attributes(of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary) throws -> [AttributeName]? {
        guard let list = value("attributes") else { return nil }
        return try list.split(separator: ",").map { name in
            let name = name.trimmingCharacters(in: .whitespaces)
            guard let definition = vocabulary.definition(named: name, for: entity) else {
                throw UsageError(
                    "There is no attribute '\(name)' of a \(entity.rawValue). See 'roster attribute list'.")
            }
            return definition.name
        }
    }
}
