import Roster
import RosterText

/// Reads the bodies that clients of the profile service send.
enum ProfileReader {
    /// The members of an answer that nobody can write. They are ignored in a request.
    private static let passedOver: Set<String> = ["uri"]

    /// The changes that a body asks for.
    ///
    /// - Parameter name: The name or the identifier of the entity in the path; nil for a new entity. Links are compared with names only.
    /// - Throws: `invalidAttribute` for unknown names and values of another type.
    static func changes(
        _ body: JSONValue, _ names: ProfileVocabulary, of owner: AttributeDefinition.Entity, called name: String?
    ) throws -> [AttributeChange] {
        // An answer has links by name also where the path has the identifier.
        let isByIdentifier = name.map { UserID($0) != nil } ?? false
        let called = [isByIdentifier ? nil : name, body["uid"]?.text, body["commonname"]?.text]
        let own = Set(called.compactMap { $0?.lowercased() })
        return try body.members.compactMap { try change($0, names, of: owner, called: own) }.onceForEach()
    }

    private static func change(
        _ member: JSONValue.Member, _ names: ProfileVocabulary, of owner: AttributeDefinition.Entity,
        called own: Set<String>
    ) throws -> AttributeChange? {
        if passedOver.contains(member.name) { return nil }
        // Relations are changed by their own resources; the manager may be given by name as well.
        if ProfileRelation.all(of: owner).contains(where: { $0.name == member.name }) {
            // The link of an answer comes back with what was read, and changes nothing.
            if isLink(member.value, to: member.name, of: owner, called: own) { return nil }
            guard member.name == "manager" else {
                throw DirectoryError(
                    .invalidAttribute, "'\(member.name)' is not changed together with attributes.",
                    advice: "Send POST or DELETE to the path that ends in /\(member.name).",
                    attribute: AttributeName(member.name))
            }
            let text = try managerName(member.value)
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

    /// Whether a value is the link that an answer has in place of a relation of the entity itself.
    private static func isLink(
        _ value: JSONValue, to relation: String, of owner: AttributeDefinition.Entity, called own: Set<String>
    ) -> Bool {
        guard let uri = value["uri"]?.text, uri.hasSuffix("/" + relation) else { return false }
        let name = name(inURI: String(uri.dropLast(relation.count + 1)), of: owner)
        return name.map { own.isEmpty || own.contains($0.lowercased()) } ?? false
    }

    /// The name in a manager's name or URI, or in an object with the URI; empty for nobody.
    private static func managerName(_ value: JSONValue) throws -> String {
        switch value {
        case .null: return ""
        case .string(let text): return name(inURI: text, of: .user) ?? text
        default:
            if let name = value["uri"]?.text.flatMap({ name(inURI: $0, of: .user) }) { return name }
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
