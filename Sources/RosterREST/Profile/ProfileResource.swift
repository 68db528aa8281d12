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

    func entity(_ user: User) throws -> JSONValue {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(24)
        if let wanted = selection.attributes {
            for (name, definition) in wanted {
                // The manager is a relation, told as one.
                if definition.name == "memberOf" || definition.name == "manager" { continue }
                if let value = user[definition.name] { members.append(.init(name, JSONValue(value))) }
            }
        } else {
            members.append(.init("uid", .string(user.uid)))
            members.append(.init("guid", .string(user.id.description)))
            append(user.attributes, derived.people, to: &members)
            members.append(.init("active", .boolean(user.isActive)))
            members.append(.init("created", .string(Timestamp.text(user.created))))
            members.append(.init("modified", .string(Timestamp.text(user.modified))))
        }
        return try .object(finished(members, uri: Self.uri(of: user), id: user.id.description))
    }

    func entity(_ role: Role) throws -> JSONValue {
        var members: [JSONValue.Member] = []
        if let wanted = selection.attributes {
            for (name, definition) in wanted {
                if let value = role[definition.name] { members.append(.init(name, JSONValue(value))) }
            }
        } else {
            members.append(.init("commonname", .string(role.name)))
            members.append(.init("guid", .string(role.id.description)))
            append(role.attributes, derived.groups, to: &members)
            members.append(.init("created", .string(Timestamp.text(role.created))))
            members.append(.init("modified", .string(Timestamp.text(role.modified))))
        }
        return try .object(finished(members, uri: Self.uri(of: role), id: role.id.description))
    }

    private func append(
        _ attributes: AttributeSet, _ names: ProfileVocabulary, to members: inout [JSONValue.Member]
    ) {
        for entry in attributes {
            if let name = names.plain[entry.name] {
                members.append(.init(name, JSONValue(entry.value)))
            } else if let views = names.views[entry.name] {
                for (name, view) in views {
                    if let value = attributes.value(of: view) { members.append(.init(name, JSONValue(value))) }
                }
            }
        }
    }

    private func finished(
        _ members: [JSONValue.Member], uri: String, id: String
    ) throws -> [JSONValue.Member] {
        var members = members
        members.append(.init("uri", .string(uri)))
        for relation in selection.relations where !selection.prefetched.contains(relation) {
            members.append(.init(relation.name, ["uri": .string("\(uri)/\(relation.name)")]))
        }
        for relation in selection.prefetched {
            let page = try relation.page(
                of: id, isDeep: false, from: RelationPlace(), limit: Self.maximumPrefetch, [], transaction)
            members.append(
                .init(
                    relation.name,
                    [
                        "uri": .string("\(uri)/\(relation.name)"),
                        "elements": .array(try page.related.map { try plain($0) }),
                    ]))
        }
        return members
    }

    /// How many related entities come along with one; the link leads to all of them.
    private static let maximumPrefetch = 100

    /// A related entity with its usual attributes, and links to its own relations.
    func plain(_ related: Related) throws -> JSONValue {
        var members: [JSONValue.Member] = []
        switch related {
        case .person(let user):
            members.append(.init("uid", .string(user.uid)))
            members.append(.init("guid", .string(user.id.description)))
            append(user.attributes, derived.people, to: &members)
            members.append(.init("active", .boolean(user.isActive)))
            members.append(.init("uri", .string(Self.uri(of: user))))
        case .group(let role):
            members.append(.init("commonname", .string(role.name)))
            members.append(.init("guid", .string(role.id.description)))
            append(role.attributes, derived.groups, to: &members)
            members.append(.init("uri", .string(Self.uri(of: role))))
        }
        return .object(members)
    }
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
