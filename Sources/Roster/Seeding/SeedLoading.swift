import Foundation
import RosterStore
import RosterText

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
    /// - Parameters:
    ///   - seed: The document.
    ///   - grants: What the seed may give people. Unless it is ``Grants/administrators``, a seed that would make
    ///     somebody an administrator is refused.
    /// - Throws: `invalidInput`, which names file, line and field; `notPermitted` for all but administrators.
    @discardableResult
    public func load(_ seed: Seed, grants: Grants = .roles) throws -> LoadReport {
        let (report, vocabulary) = try write { try $0.load(seed, grants) }
        core.adopt(vocabulary)
        return report
    }

    /// Loads a seed, as the synchronous form does.
    @discardableResult
    public func load(_ seed: Seed, grants: Grants = .roles) async throws -> LoadReport {
        let (report, vocabulary) = try await awaitWrite { try $0.load(seed, grants) }
        core.adopt(vocabulary)
        return report
    }
}

extension Session {
    func load(_ seed: Seed, _ grants: Grants) throws -> (LoadReport, Vocabulary) {
        try rights.checkAdministrator(to: "load a seed")
        var report = LoadReport()
        var session = self
        for attribute in seed.attributes {
            let declared = try Self.placing(attribute.place, "name", in: seed) { try declare([attribute.value]) }
            if declared.isEmpty { report.attributes.unchanged += 1 } else { report.attributes.created += 1 }
        }
        for rights in seed.rights {
            let isChanged = try Self.placing(rights.place, "name", in: seed) {
                try setRights(
                    of: rights.value.name, rights.value.entity, rights.value.readers, rights.value.writers)
            }
            if isChanged { report.attributes.changed += 1 } else { report.attributes.unchanged += 1 }
        }
        let vocabulary = try AttributeManager.vocabulary(on: connection)
        session.declaredVocabulary = vocabulary
        var lines: [SeedLine] = []
        for person in seed.people {
            let line = try session.load(person, of: seed, grants)
            report.users[keyPath: line.outcome] += 1
            if line.manager != nil { lines.append(line) }
        }
        try session.draw(lines, of: seed, &report)
        // All of them first: a role may stand after those that it is nested in.
        let outcomes = try seed.roles.map { try session.load($0, of: seed) }
        for (role, outcome) in zip(seed.roles, outcomes) {
            let hasCome = try grants > .nothing && session.loadSubjects(of: role, in: seed, grants)
            report.roles[keyPath: hasCome && outcome == \.unchanged ? \.changed : outcome] += 1
        }
        return (report, vocabulary)
    }

    /// Checks all lines as they will be, and draws those that are not yet: of whose manager stands further down, or who
    /// was there before.
    private func draw(_ lines: [SeedLine], of seed: Seed, _ report: inout LoadReport) throws {
        var plan = ReportingPlan(redrawing: lines.map(\.id))
        var managers: [UserID] = []
        for line in lines {
            guard let name = line.manager else { continue }
            try Self.placing(name.place, "manager", in: seed) {
                guard let manager = try findUserID(name.value) else { throw Self.unknownManager(name.value) }
                guard try plan.draw(line.id, to: manager, in: self) else { throw Self.circle(line.uid) }
                managers.append(manager)
            }
        }
        for (line, manager) in zip(lines, managers) where !line.hasManager {
            guard try writeManager(manager, of: line.id), line.outcome == \.unchanged else { continue }
            report.users.unchanged -= 1
            report.users.changed += 1
        }
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
                "\(seed.name), line \(place.place.line), '\(error.attribute?.rawValue ?? field)': \(error.message)",
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

    private func load(_ person: Seed.Person, of seed: Seed, _ grants: Grants) throws -> SeedLine {
        var changes = try changes(person.attributes, of: .user, in: seed)
        if let isActive = person.isActive { changes.append(.set("active", .boolean(isActive))) }
        return try Self.placing(person.uid.place, "uid", in: seed) {
            if let old = try findUser(person.uid.value) {
                let isSame = try modify(old, changes, grants).version == old.version
                return SeedLine(
                    uid: old.uid, id: old.id, manager: person.manager, outcome: isSame ? \.unchanged : \.changed)
            }
            var set: AttributeSet = [:]
            for case .set(let name, let value) in changes where name != "active" { set[name] = value }
            // Nobody reports to somebody new, so a manager who is there already closes no circle.
            let manager = try person.manager.flatMap { try findUserID($0.value) }
            let new = try create(
                NewUser(
                    person.uid.value, attributes: set, manager: manager.map { .id($0) },
                    isActive: person.isActive ?? true))
            return SeedLine(
                uid: new.uid, id: new.id, manager: person.manager, outcome: \.created, hasManager: manager != nil)
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

    /// - Returns: Whether somebody has come.
    private func loadSubjects(of role: Seed.RoleEntry, in seed: Seed, _ grants: Grants) throws -> Bool {
        let stored = try storedRole(.named(role.name.value))
        for (key, names) in role.subjects {
            let relation: RoleRelation = key == .members || key == .roles ? .member : .owner
            func subject(_ name: Seed.Placed<String>) -> RoleSubject {
                key == .members || key == .owners ? .user(.named(name.value)) : .role(.named(name.value))
            }
            do {
                try add(names.map(subject), to: stored.id, as: relation, grants)
            } catch is DirectoryError {
                // One by one, to find out which of them it is.
                for name in names {
                    try Self.placing(name.place, key.rawValue, in: seed) {
                        try add([subject(name)], to: stored.id, as: relation, grants)
                    }
                }
            }
        }
        return try storedRole(.id(stored.id)).version != stored.version
    }
}

/// A person of a seed, now in the directory, and the manager whose line is to be checked.
private struct SeedLine {
    let uid: String
    let id: UserID
    let manager: Seed.Placed<String>?
    let outcome: WritableKeyPath<LoadReport.Counts, Int>
    /// Whether the line is drawn already.
    var hasManager = false
}

extension AttributeDefinition {
    /// The value of this attribute's kind that a value of JSON, CSV or LDIF means. Times and binary data are text there.
    func typed(_ value: AttributeValue) throws -> AttributeValue {
        if case .list(let elements) = value { return .list(try elements.map(typed)) }
        guard case .string(let text) = value else { return value }
        if kind == .time, let date = ExchangeText.distantTime(text) { return .time(date) }
        guard let typed = kind.value(of: text) else {
            throw DirectoryError(.invalidAttribute, "'\(name)' needs \(kind.needed).", attribute: name)
        }
        return typed
    }
}
