/// The attributes to fetch with a user or a role.
public enum AttributeSelection: Sendable, Hashable, Codable, ExpressibleByArrayLiteral {
    /// All attributes except large ones, such as `photo`, and the roles (`memberOf`).
    case usual
    /// All attributes that the caller may read, including large ones and the roles.
    case all
    /// Only the attributes with these names. A name of any protocol selects its attribute.
    case only([AttributeName])

    /// Selects the attributes with these names. An empty literal selects ``usual``.
    public init(arrayLiteral names: AttributeName...) { self = names.isEmpty ? .usual : .only(names) }
}

extension AttributeSelection {
    /// Whether an attribute is among the selected ones.
    func includes(
        _ name: AttributeName, of entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary
    ) -> Bool {
        guard let definition = vocabulary.definition(of: name, for: entity) else { return false }
        let stored = definition.element?.attribute ?? definition.name
        switch stored.rawValue {
        case "id", "uid", "name", "active", "manager", "version", "created", "modified": return true
        // A user or role that was read never has these attributes.
        case "externalId", "password", "members": return false
        default: break
        }
        switch self {
        case .all: return true
        case .usual: return stored != "memberOf" && !vocabulary.onRequest.contains(stored)
        case .only(let names):
            return names.contains { name in
                let other = vocabulary.definition(of: name, for: entity)
                return other?.element?.attribute ?? other?.name == stored
            }
        }
    }
}
