import Roster
import RosterText

/// The endpoints with which administrators decide about personal data: who reads which attribute, how long the change feed
/// is kept, and what is erased.
enum PrivacyAPI {

    static let attributes = Endpoint("Who may read and write each attribute.") { call in
        let vocabulary = try call.view.read { session in
            try session.checkAdministrator(to: "list who reads and writes attributes")
            return session.vocabulary
        }
        let all = [AttributeDefinition.Entity.user, .role].flatMap { vocabulary.definitions(for: $0) }
        return .now(.json(["attributes": .array(all.map(json))]))
    }

    static let setRights = Endpoint(
        "Set who may read and write an attribute: 'readers', 'writers' or both; 'of' is user or role.", body: .object
    ) { call in
        let body = try call.json()
        try check(body, takesOnly: ["of", "readers", "writers"])
        let readers = try choice(body, "readers") { AttributeDefinition.Readers(named: $0) }
        let writers = try choice(body, "writers") { AttributeDefinition.Writers(rawValue: $0) }
        let entity = try choice(body, "of") { AttributeDefinition.Entity(rawValue: $0) } ?? .user
        guard readers != nil || writers != nil else {
            throw RequestError(.badRequest, "Give 'readers', 'writers' or both.")
        }
        let name = AttributeName(call.arguments[0])
        return .later {
            let attributes = call.view.attributes
            try await attributes.setRights(of: name, for: entity, readers: readers, writers: writers)
            return .json(attributes.vocabulary().definition(of: name, for: entity).map(json) ?? [:])
        }
    }

    static let resetRights = Endpoint(
        "Give a built-in attribute its readers and writers back; 'of' is user or role.",
        parameters: [
            .init(
                name: "of", summary: "user unless given, or role.",
                schema: ["type": "string", "enum": ["user", "role"]])
        ],
        answer: .none
    ) { call in
        let of = try call.parameter("of") ?? "user"
        guard let entity = AttributeDefinition.Entity(rawValue: of) else {
            throw RequestError(.badRequest, "'of' is user or role.")
        }
        let name = AttributeName(call.arguments[0])
        return .done { try await call.view.attributes.resetRights(of: name, for: entity) }
    }

    static let retention = Endpoint(
        "For how many days the change feed keeps changes and sign-ins; null for ever."
    ) { call in .now(.json(json(try call.view.changes.retention()))) }

    static let setRetention = Endpoint(
        "Set for how many days the change feed keeps changes and sign-ins, and take out what is older.", body: .object
    ) { call in
        let body = try call.json()
        try check(body, takesOnly: ["change_days", "sign_in_days"])
        let feed = call.view.changes
        return .later {
            var retention = try await feed.retention()
            retention.changes = try days(body, "change_days", retention.changes)
            retention.signIns = try days(body, "sign_in_days", retention.signIns)
            try await feed.setRetention(retention)
            try await feed.prune()
            return .json(json(retention))
        }
    }

    static let eraseHistory = Endpoint(
        "Erase what the change feed holds of a deleted user, by the identifier."
    ) { call in
        guard let id = UserID(call.arguments[0]) else {
            throw RequestError(.notFound, "There is no such identifier; a deleted user has no name any more.")
        }
        return .later { .json(["erased": .integer(Int64(try await call.view.users.erase([id])))]) }
    }

    private static func json(_ definition: AttributeDefinition) -> JSONValue {
        [
            "name": .string(definition.name.rawValue), "of": .string(definition.entity.rawValue),
            "readers": .string("\(definition.readers)"), "writers": .string(definition.writers.rawValue),
        ]
    }

    private static func json(_ retention: Retention) -> JSONValue {
        func days(_ days: Int?) -> JSONValue { days.map { .integer(Int64($0)) } ?? .null }
        return ["change_days": days(retention.changes), "sign_in_days": days(retention.signIns)]
    }

    private static func check(_ body: JSONValue, takesOnly names: Set<String>) throws {
        if let unknown = body.members.first(where: { !names.contains($0.name) }) {
            throw RequestError(.badRequest, "There is no '\(unknown.name.prefix(64))' here.")
        }
    }

    private static func choice<Value>(_ body: JSONValue, _ name: String, _ value: (String) -> Value?) throws -> Value? {
        guard let member = body[name] else { return nil }
        guard let choice = member.text.flatMap(value) else {
            throw RequestError(.badRequest, "'\(name)' has a value that it does not take.")
        }
        return choice
    }

    /// The number of days in a member of a body; nil if the member is null, and the current number if it is missing.
    private static func days(_ body: JSONValue, _ name: String, _ current: Int?) throws -> Int? {
        switch body[name] {
        case nil: return current
        case .null?: return nil
        case let value?:
            guard let days = value.wholeNumber else {
                throw RequestError(.badRequest, "'\(name)' takes a whole number of days, or null.")
            }
            return days
        }
    }
}
