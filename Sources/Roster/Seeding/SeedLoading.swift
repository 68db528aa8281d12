import Foundation

/// What loading a seed came to.
public struct LoadReport: Sendable, Equatable {
    /// How many of a kind were created, changed and left alone.
    public struct Counts: Sendable, Equatable {
        /// How many are new.
        public internal(set) var created = 0
        /// How many were different.
        public internal(set) var changed = 0
        /// How many were as the seed has them.
        public internal(set) var unchanged = 0
    }
    /// The people.
    public internal(set) var users = Counts()
    /// The roles.
    public internal(set) var roles = Counts()
    /// The declared attributes.
    public internal(set) var attributes = Counts()
}

extension DirectoryView {
    /// Loads a seed: all of it or, on an error, nothing. Loading it again changes nothing.
    ///
    /// People and roles that the directory has already are brought to what the seed says of them; what it does not
    /// mention stays, and nobody is deleted. Whoever is named as a member or an owner is added.
    ///
    /// - Throws: `invalidInput`, which names file, line and field; `notPermitted` for all but administrators.
    @discardableResult
    public func load(_ seed: Seed) throws -> LoadReport {
        let (report, declared) = try write { try $0.load(seed) }
        for definition in declared { core.add(definition) }
        return report
    }

    /// Loads a seed, as the synchronous form does.
    @discardableResult
    public func load(_ seed: Seed) async throws -> LoadReport {
        let (report, declared) = try await awaitWrite { try $0.load(seed) }
        for definition in declared { core.add(definition) }
        return report
    }
}

extension Session {
    func load(_ seed: Seed) throws -> (LoadReport, declared: [AttributeDefinition]) {
        try rights.checkAdministrator(to: "load a seed")
        var report = LoadReport()
        var session = self
        let declared = try declare(seed.attributes)
        session.declaredVocabulary = Vocabulary(declared: try AttributeManager.declared(on: connection))
        report.attributes.created = declared.count
        report.attributes.unchanged = seed.attributes.count - declared.count
        var managers: [(person: Seed.Person, manager: Seed.Placed<String>)] = []
        for person in seed.people {
            let outcome = try session.load(person, of: seed)
            report.users[keyPath: outcome] += 1
            if let manager = person.manager { managers.append((person, manager)) }
        }
        // Managers may stand after those who report to them.
        for (person, manager) in managers {
            try Self.placing(manager.place, "manager", in: seed) {
                _ = try session.setManager(.named(manager.value), of: .named(person.uid.value), ifVersion: nil)
            }
        }
        for role in seed.roles { report.roles[keyPath: try session.load(role, of: seed)] += 1 }
        for role in seed.roles { try session.loadSubjects(of: role, in: seed) }
        return (report, declared)
    }

    /// Runs a part, and says where in the seed it went wrong.
    private static func placing<Value>(
        _ place: JSONDocument, _ field: String, in seed: Seed, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as DirectoryError {
            throw DirectoryError(
                .invalidInput,
                "\(seed.name), line \(place.line), '\(error.attribute?.rawValue ?? field)': \(error.message)",
                advice: error.advice, attribute: error.attribute)
        }
    }

    private func changes(
        _ attributes: [(name: AttributeName, value: Seed.Placed<AttributeValue>)],
        of entity: AttributeDefinition.Entity,
        in seed: Seed
    ) throws -> [AttributeChange] {
        try attributes.map { name, value in
            try Self.placing(value.place, name.rawValue, in: seed) {
                guard let definition = vocabulary.definition(of: name, for: entity), definition.writers != .nobody
                else {
                    throw DirectoryError.unknownAttribute(name, of: entity)
                }
                let typed = try definition.typed(value.value)
                _ = try definition.checked(typed)
                return .set(name, typed)
            }
        }
    }

    private func load(_ person: Seed.Person, of seed: Seed) throws -> WritableKeyPath<LoadReport.Counts, Int> {
        var changes = try changes(person.attributes, of: .user, in: seed)
        if let isActive = person.isActive { changes.append(.set("active", .boolean(isActive))) }
        return try Self.placing(person.uid.place, "uid", in: seed) {
            if let old = try findUser(person.uid.value) {
                return try modify(.id(old.id), changes, ifVersion: nil).version == old.version ? \.unchanged : \.changed
            }
            var set: AttributeSet = [:]
            for case .set(let name, let value) in changes where name != "active" { set[name] = value }
            _ = try create(NewUser(person.uid.value, attributes: set, isActive: person.isActive ?? true))
            return \.created
        }
    }

    private func findUser(_ name: String) throws -> User? {
        try connection.first(UserStatements.byName, text: FoldedText.of(name)) { try User($0, view: view) }
    }

    private func load(_ role: Seed.RoleEntry, of seed: Seed) throws -> WritableKeyPath<LoadReport.Counts, Int> {
        let changes = try changes(role.attributes, of: .role, in: seed)
        return try Self.placing(role.name.place, "name", in: seed) {
            let old = try connection.first(RoleStatements.byName, text: FoldedText.of(role.name.value)) {
                try Role($0, view: view)
            }
            if let old {
                return try modifyRole(.id(old.id), changes, ifVersion: nil).version == old.version
                    ? \.unchanged : \.changed
            }
            var set: AttributeSet = [:]
            for case .set(let name, let value) in changes { set[name] = value }
            _ = try createRole(role.name.value, set)
            return \.created
        }
    }

    private func loadSubjects(of role: Seed.RoleEntry, in seed: Seed) throws {
        for (key, names) in role.subjects {
            for name in names {
                let subject: RoleSubject
                let relation: RoleRelation
                switch key {
                case .members: (subject, relation) = (.user(.named(name.value)), .member)
                case .roles: (subject, relation) = (.role(.named(name.value)), .member)
                case .owners: (subject, relation) = (.user(.named(name.value)), .owner)
                case .ownerRoles: (subject, relation) = (.role(.named(name.value)), .owner)
                }
                try Self.placing(name.place, key.rawValue, in: seed) {
                    try add([subject], to: .named(role.name.value), as: relation, ifVersion: nil)
                }
            }
        }
    }
}

extension AttributeDefinition {
    /// A value of JSON, CSV or LDIF as one of this attribute's type: times and bytes stand there as text.
    func typed(_ value: AttributeValue) throws -> AttributeValue {
        switch (kind, value) {
        case (_, .list(let elements)): .list(try elements.map(typed))
        case (.time, .string(let text)):
            if let date = FilterTime.moment(text) {
                .time(date)
            } else {
                throw untyped("a time such as 2026-01-31T09:00:00Z")
            }
        case (.binary, .string(let text)):
            if let data = Data(base64Encoded: text) { .binary(data) } else { throw untyped("base64") }
        case (.integer, .string(let text)):
            if let number = Int64(text) { .integer(number) } else { throw untyped("a whole number") }
        case (.decimal, .string(let text)):
            if let number = Double(text), number.isFinite { .decimal(number) } else { throw untyped("a number") }
        case (.boolean, .string(let text)):
            if let isTrue = Bool(text.lowercased()) { .boolean(isTrue) } else { throw untyped("true or false") }
        default: value
        }
    }

    private func untyped(_ what: String) -> DirectoryError {
        DirectoryError(.invalidAttribute, "'\(name)' needs \(what).", attribute: name)
    }
}
