/// The attributes to fetch with a user or a role.
public enum AttributeSelection: Sendable, Hashable, Codable, ExpressibleByArrayLiteral {
    /// All but large ones such as `photo`, and without the roles (`memberOf`).
    case usual
    /// All that the caller may read, large ones and the roles included.
    case all
    /// These alone, by any protocol's names.
    case only([AttributeName])

    /// These alone; the usual ones for an empty literal.
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
        // No value that was read has these.
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
