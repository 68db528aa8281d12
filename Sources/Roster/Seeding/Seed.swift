public import Foundation
package import RosterText

/// People, roles, memberships, reporting lines and attributes of an app's own, as people write them in JSON.
///
/// The format is described by `Seeds/seed.schema.json`; `Seeds/empty.json` shows it. Loading is done by
/// ``DirectoryView/load(_:)-(Seed)``.
public struct Seed: Sendable {
    /// The name of the file, for messages.
    let name: String
    let attributes: [Placed<AttributeDefinition>]
    /// Who may read and write built-in attributes.
    let rights: [Placed<AttributeRights>]
    let people: [Person]
    let roles: [RoleEntry]
    /// Backends, the clients of OAuth, as they stand there: what they mean is sign-in's business, which makes them.
    package let backends: [JSONDocument]

    /// A value and where it stands.
    struct Placed<Value: Sendable>: Sendable {
        let value: Value
        let place: JSONDocument
    }
    struct Person: Sendable {
        let uid: Placed<String>
        let manager: Placed<String>?
        let isActive: Bool?
        let attributes: [(name: AttributeName, value: Placed<AttributeValue>)]
    }
    struct RoleEntry: Sendable {
        let name: Placed<String>
        let attributes: [(name: AttributeName, value: Placed<AttributeValue>)]
        /// Who belongs to it, by the key under which they stand; nil where the key is missing and nothing is changed.
        let subjects: [(key: SubjectKey, names: [Placed<String>])]
    }
    /// The keys of a role under which names stand.
    enum SubjectKey: String, Sendable, CaseIterable {
        case members, roles, owners, ownerRoles
    }
    /// The keys under which the seed's roles name somebody.
    var subjectKeys: [String] {
        SubjectKey.allCases.filter { key in
            roles.contains { $0.subjects.contains { $0.key == key && !$0.names.isEmpty } }
        }.map(\.rawValue)
    }

    /// Reads a seed from a file.
    ///
    /// - Throws: `invalidInput`, which names file, line and field of what is wrong; `fileNotFound`.
    public init(contentsOf url: URL) throws {
        guard let data = try? Data(contentsOf: url) else {
            throw DirectoryError(.fileNotFound, "The seed '\(url.path)' cannot be read.", advice: "Check the path.")
        }
        try self.init(json: data, name: url.lastPathComponent)
    }

    /// Reads a seed from JSON.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - name: What the document is called in messages.
    public init(json: Data, name: String) throws {
        do {
            let text = Array(json)
            let document: JSONDocument
            do throws(JSONScanner.Failure) {
                document = try JSONDocument(text)
            } catch {
                throw DirectoryError.malformed(error, in: text)
            }
            var reader = SeedReader(name: name)
            try reader.read(document)
            self.name = name
            attributes = reader.attributes
            rights = reader.rights
            people = reader.people
            roles = reader.roles
            backends = reader.backends
        } catch let error as DirectoryError where !error.message.hasPrefix(name) {
            throw DirectoryError(
                .invalidInput, "\(name), \(error.message)", advice: error.advice, attribute: error.attribute)
        }
    }
}

/// Takes a document apart, and says where it is not what it should be.
private struct SeedReader {
    let name: String
    var attributes: [Seed.Placed<AttributeDefinition>] = []
    var rights: [Seed.Placed<AttributeRights>] = []
    var people: [Seed.Person] = []
    var roles: [Seed.RoleEntry] = []
    var backends: [JSONDocument] = []

    mutating func read(_ document: JSONDocument) throws {
        for member in try members(of: document, "the seed") {
            switch member.name {
            case "$schema", "$comment": _ = try string(member)
            case "attributes":
                for entry in try array(member) {
                    switch try attribute(entry) {
                    case .declared(let definition): attributes.append(Seed.Placed(value: definition, place: entry))
                    case .builtIn(let builtIn): rights.append(Seed.Placed(value: builtIn, place: entry))
                    }
                }
            case "people": for entry in try array(member) { people.append(try person(entry)) }
            case "roles": for entry in try array(member) { roles.append(try role(entry)) }
            case "backends": backends += try array(member)
            default: throw unknown(member, "attributes, people, roles and backends")
            }
        }
        try refuseTwins(people.map(\.uid), "uid")
        try refuseTwins(roles.map(\.name), "name")
    }

    private func refuseTwins(_ names: [Seed.Placed<String>], _ field: String) throws {
        var seen: [String: JSONDocument] = [:]
        for name in names {
            let key = FoldedText.of(name.value)
            if let other = seen[key] {
                throw failure(
                    name.place, field,
                    "\(EntityName.shown(name.value)) stands in line \(other.place.line) already",
                    "Names are compared without regard to case; take one of them out.")
            }
            seen[key] = name.place
        }
    }

    private mutating func person(_ document: JSONDocument) throws -> Seed.Person {
        var uid: Seed.Placed<String>?
        var manager: Seed.Placed<String>?
        var isActive: Bool?
        var attributes: [(AttributeName, Seed.Placed<AttributeValue>)] = []
        for member in try members(of: document, "a person") {
            switch member.name {
            case "uid": uid = try name(member)
            case "manager": manager = try name(member)
            case "active":
                guard case .boolean(let value) = member.document.value else {
                    throw failure(member.document, "active", "not true or false", "Write true or false without quotes.")
                }
                isActive = value
            default: attributes.append((AttributeName(member.name), try value(member)))
            }
        }
        guard let uid else { throw failure(document, "uid", "a person without a name", "Give every person a 'uid'.") }
        return Seed.Person(uid: uid, manager: manager, isActive: isActive, attributes: attributes)
    }

    private mutating func role(_ document: JSONDocument) throws -> Seed.RoleEntry {
        var roleName: Seed.Placed<String>?
        var attributes: [(AttributeName, Seed.Placed<AttributeValue>)] = []
        var subjects: [(Seed.SubjectKey, [Seed.Placed<String>])] = []
        for member in try members(of: document, "a role") {
            if member.name == "name" {
                roleName = try name(member)
            } else if let key = Seed.SubjectKey(rawValue: member.name) {
                let names = try array(member).map { try name($0, member.name) }
                try refuseTwins(names, member.name)
                subjects.append((key, names))
            } else {
                attributes.append((AttributeName(member.name), try value(member)))
            }
        }
        guard let roleName else {
            throw failure(document, "name", "a role without a name", "Give every role a 'name'.")
        }
        return Seed.RoleEntry(name: roleName, attributes: attributes, subjects: subjects)
    }

    /// An attribute of one's own, or the rights of one that is built in.
    private enum Attribute {
        case declared(AttributeDefinition)
        case builtIn(AttributeRights)
    }

    private func attribute(_ document: JSONDocument) throws -> Attribute {
        var values: [String: JSONDocument.Member] = [:]
        for member in try members(of: document, "an attribute") { values[member.name] = member }
        func text(_ key: String) throws -> String? { try values.removeValue(forKey: key).map { try string($0) } }
        func flag(_ key: String) throws -> Bool? {
            guard let member = values.removeValue(forKey: key) else { return nil }
            guard case .boolean(let isSet) = member.document.value else {
                throw failure(member.document, key, "not true or false", "Write true or false without quotes.")
            }
            return isSet
        }
        func choice<Choice>(_ key: String, _ choices: [String: Choice]) throws -> Choice? {
            guard let member = values[key], let text = try text(key) else { return nil }
            guard let choice = choices[text] else {
                throw failure(
                    member.document, key, "not one of \(choices.keys.sorted().joined(separator: ", "))",
                    "Choose one of them.")
            }
            return choice
        }
        guard let name = try text("name") else {
            throw failure(document, "name", "an attribute without a name", "Give every attribute a 'name'.")
        }
        let entity = try choice("of", ["user": AttributeDefinition.Entity.user, "role": .role]) ?? .user
        let readers = try choice(
            "readers", Dictionary(uniqueKeysWithValues: AttributeDefinition.Readers.allCases.map { ("\($0)", $0) }))
        let writers = try choice(
            "writers",
            ["administrators": AttributeDefinition.Writers.administrators, "person": .person])
        if StandardAttributes.isBuiltIn(AttributeName(name), of: entity) {
            if let left = values.values.first {
                throw unknown(left, "name, of, readers and writers, since \(name) is built in")
            }
            guard readers != nil || writers != nil else {
                throw failure(
                    document, "name", "the name of an attribute that is built in",
                    "Give its 'readers' or 'writers', or choose another name.")
            }
            return .builtIn(
                AttributeRights(name: AttributeName(name), entity: entity, readers: readers, writers: writers))
        }
        let kind = try choice(
            "type",
            [
                "string": AttributeDefinition.Kind.string, "integer": .integer, "decimal": .decimal,
                "boolean": .boolean,
                "time": .time, "binary": .binary,
            ])
        let definition = AttributeDefinition(
            AttributeName(name), of: entity, kind: kind ?? .string, isMultiValued: try flag("multiValued") ?? false,
            isCaseExact: try flag("caseExact") ?? false, isUnique: try flag("unique") ?? false,
            isSearchable: try flag("searchable") ?? (kind != .binary), readers: readers ?? .signedIn,
            writers: writers ?? .administrators)
        if let left = values.values.first {
            throw unknown(left, "name, of, type, multiValued, caseExact, unique, searchable, readers and writers")
        }
        return .declared(definition)
    }

    // MARK: Values

    private func failure(_ place: JSONDocument, _ field: String, _ problem: String, _ advice: String) -> DirectoryError
    {
        DirectoryError(.invalidInput, "\(name), line \(place.place.line), '\(field)': \(problem).", advice: advice)
    }

    private func unknown(_ member: JSONDocument.Member, _ known: String) -> DirectoryError {
        DirectoryError(
            .invalidInput,
            "\(name), line \(member.place.line), '\(Terminated.text(member.name))': not a key that stands here.",
            advice: "There are \(known).")
    }

    private func members(of document: JSONDocument, _ what: String) throws -> [JSONDocument.Member] {
        guard let members = document.members else {
            throw failure(document, what, "not an object", "Write it in braces.")
        }
        return members
    }

    private func array(_ member: JSONDocument.Member) throws -> [JSONDocument] {
        guard let elements = member.document.elements else {
            throw failure(member.document, member.name, "not a list", "Write it in brackets.")
        }
        return elements
    }

    private func string(_ member: JSONDocument.Member) throws -> String { try name(member).value }

    private func name(_ member: JSONDocument.Member) throws -> Seed.Placed<String> {
        try name(member.document, member.name)
    }

    private func name(_ document: JSONDocument, _ field: String) throws -> Seed.Placed<String> {
        guard case .string(let text) = document.value else {
            throw failure(document, field, "not text", "Write it in quotes.")
        }
        return Seed.Placed(value: text, place: document)
    }

    /// A time among the parts of a value, where nothing else says that it is one.
    private func time(_ members: [JSONValue.Member]) -> AttributeValue? {
        guard members.count == 1, let member = members.first, member.name == "$time",
            case .integer(let milliseconds) = member.value
        else { return nil }
        return .time(Date(milliseconds: milliseconds))
    }

    private func value(_ member: JSONDocument.Member) throws -> Seed.Placed<AttributeValue> {
        Seed.Placed(value: try value(member.document, member.name), place: member.document)
    }

    private func value(_ document: JSONDocument, _ field: String) throws -> AttributeValue {
        switch document.value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .decimal(let number): .decimal(number)
        case .boolean(let isTrue): .boolean(isTrue)
        case .null: throw failure(document, field, "null", "Leave out what has no value.")
        case .array: .list(try (document.elements ?? []).map { try value($0, field) })
        case .object(let members):
            try time(members)
                ?? .complex(
                    Dictionary(try (document.members ?? []).map { ($0.name, try value($0.document, field)) }) { $1 })
        }
    }
}

/// Names of keys in messages: cut, and without control characters.
private enum Terminated {
    static func text(_ text: String) -> String { String(EntityName.shown(text).dropFirst().dropLast()) }
}
