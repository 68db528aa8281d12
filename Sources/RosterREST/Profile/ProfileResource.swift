import Roster
import RosterText

/// Writes people and groups as the profile service does: flat attributes, `uri`, and relations as links.
struct ProfileWriter {
    let exchange: Exchange
    let transaction: Transaction
    let owner: ProfileRelation.Owner
    let selection: ProfileSelection
    private let derived: DerivedVocabulary

    /// Where the service is, below the server's root.
    static let base = "/oic_rest/rest/userprofile"

    init(_ exchange: Exchange, _ transaction: Transaction, _ owner: ProfileRelation.Owner) throws {
        self.exchange = exchange
        self.transaction = transaction
        self.owner = owner
        derived = exchange.context.derived(transaction.vocabulary)
        selection = try ProfileSelection(exchange, owner == .people ? derived.people : derived.groups, of: owner)
    }

    /// Whether the answer changes with the entity's version only; of those that come along it does not tell.
    var isDatedByVersion: Bool { selection.prefetched.isEmpty }

    /// The attributes to ask the directory for.
    var fetched: [AttributeName] { selection.fetched }

    static func uri(of user: User) -> String { "\(base)/people/\(segment(user.uid, user.id.description))" }
    static func uri(of role: Role) -> String { "\(base)/groups/\(segment(role.name, role.id.description))" }

    /// A name as it stands in a path; the identifier of whoever is called by dots, which clients and proxies resolve.
    static func segment(_ name: String, _ id: String) -> String {
        name == "." || name == ".." ? id : PercentEncoding.segment(name)
    }

    /// A user as the text of a JSON object.
    func entity(_ user: User) throws -> [UInt8] {
        var text = ObjectText()
        if let wanted = selection.attributes {
            // The manager is a relation, and written as one.
            for (name, definition) in wanted where definition.name != "memberOf" && definition.name != "manager" {
                if let value = user[definition.name] { text.add(name, value) }
            }
        } else {
            add(user, to: &text)
            text.add("created", time: user.created)
            text.add("modified", time: user.modified)
        }
        try finish(&text, uri: Self.uri(of: user), id: user.id.description)
        return text.bytes
    }

    /// A role as the text of a JSON object.
    func entity(_ role: Role) throws -> [UInt8] {
        var text = ObjectText()
        if let wanted = selection.attributes {
            for (name, definition) in wanted {
                if let value = role[definition.name] { text.add(name, value) }
            }
        } else {
            add(role, to: &text)
            text.add("created", time: role.created)
            text.add("modified", time: role.modified)
        }
        try finish(&text, uri: Self.uri(of: role), id: role.id.description)
        return text.bytes
    }

    /// A related entity with its usual attributes, and links to its own relations.
    func plain(_ related: Related) throws -> [UInt8] {
        var text = ObjectText()
        switch related {
        case .person(let user):
            add(user, to: &text)
            text.add("uri", Self.uri(of: user))
        case .group(let role):
            add(role, to: &text)
            text.add("uri", Self.uri(of: role))
        }
        text.close()
        return text.bytes
    }

    private func add(_ user: User, to text: inout ObjectText) {
        text.add("uid", user.uid)
        text.add("guid", user.id.description)
        add(user.attributes, derived.people, to: &text)
        text.add("active", .boolean(user.isActive))
    }

    private func add(_ role: Role, to text: inout ObjectText) {
        text.add("commonname", role.name)
        text.add("guid", role.id.description)
        add(role.attributes, derived.groups, to: &text)
    }

    private func add(_ attributes: AttributeSet, _ names: ProfileVocabulary, to text: inout ObjectText) {
        for entry in attributes {
            if let name = names.plain[entry.name] {
                text.add(name, entry.value)
            } else if let views = names.views[entry.name] {
                for (name, view) in views {
                    if let value = attributes.value(of: view) { text.add(name, value) }
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
            text.add("elements", texts: try page.related.map(plain))
            text.close()
        }
        text.close()
    }

    /// How many related entities come along with one; the link leads to all of them.
    private static let maximumPrefetch = 100
}

/// Reads what the profile service's clients send.
enum ProfileReader {
    /// What stands in an answer but is nobody's to write: sent back with the rest, it is passed over.
    private static let passedOver: Set<String> = ["uri"]

    /// The changes that a body asks for.
    ///
    /// - Throws: `invalidAttribute` for unknown names and values of another type.
    static func changes(
        _ body: JSONValue, _ names: ProfileVocabulary, of owner: ProfileRelation.Owner
    ) throws -> [AttributeChange] {
        var changes: [AttributeName: AttributeChange] = [:]
        return try body.members.compactMap { member in
            guard let change = try change(member, names, of: owner) else { return nil }
            // Two names of one attribute are no more allowed to disagree than one name may stand twice.
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
        _ member: JSONValue.Member, _ names: ProfileVocabulary, of owner: ProfileRelation.Owner
    ) throws -> AttributeChange? {
        if passedOver.contains(member.name) { return nil }
        // Relations are changed by their own resources; the manager may be given by name as well.
        if ProfileRelation.allCases.contains(where: { $0.owner == owner && $0.name == member.name }) {
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
            // Left without a value it would be true: nobody is let in again by saying nothing.
            throw DirectoryError(
                .invalidAttribute, "'active' was given something else than true or false.", attribute: "active")
        }
        return .clear(definition.name)
    }

    /// The name or the URI of a manager; nil for the relation as an answer tells it, sent back with the rest.
    private static func managerName(_ value: JSONValue) throws -> String? {
        switch value {
        case .null: return ""
        case .string(let text): return name(inURI: text, of: .people) ?? text
        case .object: return nil
        default:
            throw DirectoryError(
                .invalidAttribute, "'manager' takes the name or the URI of a person.", attribute: "manager")
        }
    }

    /// The name that a URI of an entity ends with: `…/people/John`, with or without a host.
    static func name(inURI uri: String, of owner: ProfileRelation.Owner) -> String? {
        // By scalars: a mark that follows makes one character of it and the '?' or '/' before.
        let path = uri.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count >= 2, let last = parts.last, String(parts[parts.count - 2]) == owner.rawValue,
            let target = try? RequestTarget("/" + String(last))
        else { return nil }
        return target.segments.first
    }
}
