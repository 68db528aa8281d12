import Roster
import RosterText

/// The changes of the directory that lead from one state of a resource to another.
struct SCIMChanges: Sendable {
    private(set) var attributes: [AttributeChange] = []
    /// The new password as the client sent it. It is hashed before the directory sees it.
    private(set) var password: String?
    /// The identifiers of the users and groups that become members; see ``members(_:_:)``.
    private(set) var joining: [String] = []
    private(set) var leaving: [RoleSubject] = []
    /// The attributes that change.
    let keys: [SCIMResourceType.Key]

    /// - Parameters:
    ///   - old: The resource in canonical form; an empty object for a new resource.
    ///   - new: The resource after the change.
    init(from old: JSONValue, to new: JSONValue, of entity: AttributeDefinition.Entity, _ derived: DerivedVocabulary)
        throws
    {
        let type = derived.scimType(of: entity)
        let vocabulary = derived.people.vocabulary
        keys = type.differences(from: old, to: new)
        for key in keys {
            let value = new[key]
            switch (entity, key.urn, key.name) {
            case (.user, nil, "password"): password = value?.text
            case (.user, nil, "name"):
                for part in type.core.attribute(named: "name")?.subAttributes ?? [] {
                    guard old["name"]?[part.name] != new["name"]?[part.name] else { continue }
                    try set(.name(part.name), new["name"]?[part.name], entity, derived, vocabulary)
                }
            case (.user, SCIMResourceType.enterpriseURN?, "manager"):
                attributes.append(value?["value"]?.text.map { .set("manager", .string($0)) } ?? .clear("manager"))
            case (.role, nil, "members"):
                let change = type.references(addedTo: old, in: new, attribute: "members")
                joining = change.added
                leaving = try change.removed.map { try Self.subject($0, in: old) }
            case (_, let urn?, let name): try set(.inExtension(urn, name), value, entity, derived, vocabulary)
            case (_, nil, let name): try set(.top(name), value, entity, derived, vocabulary)
            }
        }
    }

    private mutating func set(
        _ place: SCIMPlaces.Place, _ value: JSONValue?, _ entity: AttributeDefinition.Entity,
        _ derived: DerivedVocabulary, _ vocabulary: Vocabulary
    ) throws {
        guard let name = derived.scimPlaces.attribute(at: place, of: entity),
            let definition = vocabulary.definition(of: name, for: entity)
        else { return }
        let new = try value?.attributeValue(for: definition)
        attributes.append(new.map { .set(name, $0) } ?? .clear(name))
    }

    /// A present member of a group, by the identifier.
    private static func subject(_ id: String, in resource: JSONValue) throws -> RoleSubject {
        let element = resource["members"]?.elements.first { $0["value"]?.text == id }
        if element?["type"]?.text?.lowercased() == "group", let role = RoleID(id) { return .role(.id(role)) }
        guard let user = UserID(id) else {
            throw SCIMError(.invalidValue, "There is no user or group with the id of a member.")
        }
        return .user(.id(user))
    }

    /// Finds users and groups by their identifiers. The directory never gives one identifier to a user and to a group,
    /// so that it ignores `type`, which clients leave out or give wrong.
    ///
    /// - Parameter ignoresOthers: Whether identifiers of nobody are left out.
    /// - Throws: ``SCIMError`` `invalidValue` for the identifier of nobody.
    static func members(
        _ ids: [String], _ transaction: Transaction, ignoresOthers: Bool = false
    ) throws -> [RoleSubject] {
        let subjects = try transaction.references.subjects(ofIDs: ids)
        guard ignoresOthers || subjects.count == ids.count else {
            throw SCIMError(.invalidValue, "There is no user or group with the id of a member.")
        }
        return subjects
    }

    /// The attributes of a new user or role.
    var new: AttributeSet {
        var set = AttributeSet()
        for case .set(let name, let value) in attributes { set[name] = value }
        return set
    }
}
