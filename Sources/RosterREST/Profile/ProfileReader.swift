import Roster
import RosterText

/// Reads the bodies that clients of the profile service send.
enum ProfileReader {
    /// The members of an answer that nobody can write. They are ignored in a request.
    private static let passedOver: Set<String> = ["uri"]

    /// The changes that a body asks for.
    ///
    /// - Throws: `invalidAttribute` for unknown names and values of another type.
    static func changes(
        _ body: JSONValue, _ names: ProfileVocabulary, of owner: AttributeDefinition.Entity
    ) throws -> [AttributeChange] {
        var changes: [AttributeName: AttributeChange] = [:]
        return try body.members.compactMap { member in
            guard let change = try change(member, names, of: owner) else { return nil }
            // Two names of one attribute must not have different values.
            guard let earlier = changes.updateValue(change, forKey: change.name) else { return change }
            guard earlier == change else {
                throw DirectoryError(
                    .invalidAttribute, "'\(change.name)' was given two values, under different names.",
                    attribute: change.name)
            }
            return nil
        }
    }

    private static func change(
        _ member: JSONValue.Member, _ names: ProfileVocabulary, of owner: AttributeDefinition.Entity
    ) throws -> AttributeChange? {
        if passedOver.contains(member.name) { return nil }
        // Relations are changed by their own resources; the manager may be given by name as well.
        if ProfileRelation.all(of: owner).contains(where: { $0.name == member.name }) {
            guard member.name == "manager", let text = try managerName(member.value) else { return nil }
            return text.isEmpty ? .clear("manager") : .set("manager", .string(text))
        }
        let definition = try names.definition(named: member.name)
        if definition.writers == .nobody { return nil }
        return try change(of: definition, to: member.value)
    }

    /// Null and empty text leave an attribute without a value, whatever its type.
    private static func change(of definition: AttributeDefinition, to value: JSONValue) throws -> AttributeChange {
        if value != "", let new = try value.attributeValue(for: definition) { return .set(definition.name, new) }
        guard definition.name != "active" else {
            // Without a value, 'active' is true. A client must say so to enable an account.
            throw DirectoryError(
                .invalidAttribute, "'active' was given something else than true or false.", attribute: "active")
        }
        return .clear(definition.name)
    }

    /// The name in a manager's name or URI; nil for the link that an answer has in its place.
    private static func managerName(_ value: JSONValue) throws -> String? {
        switch value {
        case .null: return ""
        case .string(let text): return name(inURI: text, of: .user) ?? text
        case .object: return nil
        default:
            throw DirectoryError(
                .invalidAttribute, "'manager' takes the name or the URI of a person.", attribute: "manager")
        }
    }

    /// The name that a URI of an entity ends with: `…/people/John`, with or without a host.
    static func name(inURI uri: String, of owner: AttributeDefinition.Entity) -> String? {
        // Split by scalars: a combining mark after '?' or '/' forms one character with it.
        let path = uri.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count >= 2, let last = parts.last,
            String(parts[parts.count - 2]) == (owner == .user ? "people" : "groups"),
            let target = try? RequestTarget("/" + String(last))
        else { return nil }
        return target.segments.first
    }
}
