import Roster
import RosterText

/// Writes people and groups as the profile service does: flat attributes, `uri`, and relations as links.
struct ProfileWriter {
    private let transaction: Transaction
    private let basePath: BasePath
    private let selection: ProfileSelection
    private let derived: DerivedVocabulary

    /// The path of the service below the root of the server.
    static let base = "/oic_rest/rest/userprofile"

    init(_ call: Call, _ transaction: Transaction, _ kind: AttributeDefinition.Entity) throws {
        self.transaction = transaction
        basePath = call.context.basePath
        derived = call.context.derived(transaction.vocabulary)
        selection = try ProfileSelection(call, derived.profile(of: kind), of: kind)
    }

    /// Whether the answer depends on the entity's version alone, because no related entities come along.
    var isDatedByVersion: Bool { selection.prefetched.isEmpty }

    /// The attributes to ask the directory for.
    var fetched: AttributeSelection { selection.fetched }

    /// The address of an entity, without the host.
    static func uri(of entity: DirectoryEntity, below path: BasePath) -> String {
        switch entity {
        case .user(let user): "\(path.text)\(base)/people/\(EntityName.segment(user.uid, user.id.description))"
        case .role(let role): "\(path.text)\(base)/groups/\(EntityName.segment(role.name, role.id.description))"
        }
    }

    /// An entity as the text of a JSON object.
    func text(of entity: DirectoryEntity) throws -> [UInt8] {
        var text = ObjectText()
        if let wanted = selection.attributes {
            for (name, definition) in wanted where !(entity.kind == .user && Self.isRelation(definition)) {
                if let value = entity[definition.name] { text.add(name, value) }
            }
        } else {
            add(entity, to: &text)
            let (created, modified) = entity.times
            text.add("created", time: created)
            text.add("modified", time: modified)
        }
        try finish(&text, uri: Self.uri(of: entity, below: basePath), id: entity.id)
        return text.bytes
    }

    /// Whether an attribute of a person is a relation, and written as one.
    private static func isRelation(_ definition: AttributeDefinition) -> Bool {
        definition.name == "memberOf" || definition.name == "manager"
    }

    /// A related entity with its usual attributes.
    func plain(_ related: DirectoryEntity) -> [UInt8] {
        var text = ObjectText()
        add(related, to: &text)
        text.add("uri", Self.uri(of: related, below: basePath))
        text.close()
        return text.bytes
    }

    private func add(_ entity: DirectoryEntity, to text: inout ObjectText) {
        switch entity {
        case .user(let user):
            text.add("uid", user.uid)
            text.add("guid", user.id.description)
            add(user.attributes, derived.people, to: &text)
            text.add("active", .boolean(user.isActive))
        case .role(let role):
            text.add("commonname", role.name)
            text.add("guid", role.id.description)
            add(role.attributes, derived.groups, to: &text)
        }
    }

    private func add(_ attributes: AttributeSet, _ names: ProfileVocabulary, to text: inout ObjectText) {
        for entry in attributes {
            if let name = names.plain[entry.name] {
                text.add(name, entry.value)
            } else if let views = names.views[entry.name] {
                for (name, view) in views {
                    if let value = attributes[view] { text.add(name, value) }
                }
            }
        }
    }

    /// Adds the entity's address and its relations, and closes the object.
    private func finish(_ text: inout ObjectText, uri: String, id: String) throws {
        text.add("uri", uri)
        for relation in selection.relations where !selection.prefetched.contains(relation) {
            text.open(relation.name)
            text.add("uri", uri, "/", relation.name)
            text.close()
        }
        for relation in selection.prefetched {
            let page = try relation.page(
                of: id, isDeep: false, from: RelationPlace(), limit: Self.maximumPrefetch, [], transaction)
            text.open(relation.name)
            text.add("uri", uri, "/", relation.name)
            text.add("elements", texts: page.related.map(plain))
            text.close()
        }
        text.close()
    }

    /// The most related entities that come along with one. The link leads to all of them.
    private static let maximumPrefetch = 100
}

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
