import Roster
import RosterText

/// Writes people and groups as the profile service does: flat attributes, `uri`, and relations as links.
struct ProfileWriter {
    private let transaction: Transaction
    /// The beginning of the paths of entities.
    private let base: String
    private let selection: ProfileSelection
    private let derived: DerivedVocabulary

    init(_ call: Call, _ transaction: Transaction, _ kind: AttributeDefinition.Entity) throws {
        self.transaction = transaction
        base = call.linkBase
        derived = call.context.derived(transaction.vocabulary)
        selection = try ProfileSelection(call, derived.profile(of: kind), of: kind)
    }

    /// Whether the answer depends on the entity's version alone, because no related entities come along.
    var isDatedByVersion: Bool { selection.prefetched.isEmpty }

    /// The attributes to ask the directory for.
    var fetched: AttributeSelection { selection.fetched }

    /// The address of an entity, without the host.
    static func uri(of entity: DirectoryEntity, below base: String) -> String {
        switch entity {
        case .user(let user): "\(base)/people/\(EntityName.segment(user.uid, user.id.description))"
        case .role(let role): "\(base)/groups/\(EntityName.segment(role.name, role.id.description))"
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
        try finish(&text, uri: Self.uri(of: entity, below: base), id: entity.id)
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
        text.add("uri", Self.uri(of: related, below: base))
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
