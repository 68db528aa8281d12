import RosterText

/// The names that a filter can use at one place of its text.
enum SCIMFilterScope {
    /// The attributes of users or of roles.
    case resources(SCIMFilterNames)
    /// The parts of elements, within brackets.
    case elements(FilterElements)

    /// The attribute or the part that a name means.
    func target(of name: String) -> FilterTarget? {
        switch self {
        case .resources(let names): names.target(of: name)
        case .elements(let elements): elements.target(of: name)
        }
    }

    /// The elements whose parts the name can mean; nil if it means an attribute.
    func elements(of name: String) -> FilterElements? {
        switch self {
        case .resources(let names): names.owner(of: name).map(FilterElements.init)
        case .elements(let elements): elements
        }
    }

    /// The values that all resources have alike for the attribute of that name; nil for other attributes.
    func constants(of name: String) -> [String]? {
        if case .resources(let names) = self { return names.constants(of: name) }
        return nil
    }

    /// Names of attributes, for a message.
    var examples: String {
        if case .resources(let names) = self { return names.examples }
        return ""
    }

    /// The name of an attribute that somebody may have meant; nil if none is similar.
    func similar(to name: String) -> String? {
        guard case .resources(let names) = self else { return nil }
        return SimilarWord.nearest(
            to: name,
            among: names.vocabulary.definitions(for: names.entity).map { $0.names[.scim] ?? $0.name.rawValue })
    }
}

/// The meaning of SCIM's names for users or for roles.
struct SCIMFilterNames {
    let vocabulary: Vocabulary
    let entity: AttributeDefinition.Entity

    /// The core schema of the resources (RFC 7643, section 8.7.1).
    var core: String { "urn:ietf:params:scim:schemas:core:2.0:" + (entity == .user ? "User" : "Group") }

    /// Every schema that the resources have.
    var schemas: [String] {
        entity == .user
            ? [core, StandardAttributes.enterprise, Vocabulary.extensionSchema] : [core, Self.groupExtension]
    }
    private static let groupExtension = "urn:roster:params:scim:schemas:extension:directory:2.0:Group"

    var examples: String { entity == .user ? "userName, name.familyName, emails.value" : "displayName, description" }

    /// Other names that filters can use, in lower case.
    private static let userAliases: [String: AttributeName] = [
        "surname": "familyName", "manager.value": "manager", "groups": "memberOf", "groups.value": "memberOf",
        "groups.display": "memberOf",
    ]

    /// The name without the URN of its schema; nil if the resources do not have the schema.
    private func local(_ name: String) -> String? {
        let lowered = name.lowercased()
        guard lowered.hasPrefix("urn:") else { return name }
        return schemas.first { lowered.hasPrefix($0.lowercased() + ":") }.map { String(name.dropFirst($0.count + 1)) }
    }

    /// Whether the name means the managers above a user, which no attribute has.
    func isLine(_ name: String) -> Bool {
        entity == .user && local(name)?.lowercased() == "managers" && definition(of: name) == nil
    }

    /// The values of an attribute that are the same for all resources; nil for other attributes.
    func constants(of name: String) -> [String]? {
        switch local(name)?.lowercased() {
        case "schemas": schemas
        case "meta.resourcetype": [entity == .user ? "User" : "Group"]
        default: nil
        }
    }

    /// The definition of an attribute as a whole.
    func definition(of name: String) -> AttributeDefinition? {
        if let qualified = vocabulary.definition(named: name, in: .scim, for: entity) { return qualified }
        guard let local = local(name) else { return nil }
        if entity == .user {
            // To clients of Oracle Mobile and Social SDK `name` is the user's name. In SCIM it has parts; see
            // ``target(of:)``.
            if local.lowercased() == "name" { return nil }
            if let alias = Self.userAliases[local.lowercased()] { return vocabulary.definition(of: alias) }
        }
        return vocabulary.definition(named: local, in: .scim, for: entity)
            ?? vocabulary.definition(named: local, for: entity)
    }

    /// The attribute or the part of one that a comparison means.
    func target(of name: String) -> FilterTarget? {
        if let definition = definition(of: name) { return FilterTarget(definition) }
        guard let local = local(name) else { return nil }
        if entity == .user, local.lowercased() == "groups.effective" {
            return FilterTarget(AttributePath.effectiveRoles, .string)
        }
        if entity == .user, local.lowercased() == "name" { return FilterTarget(Filter.commonName, .complex) }
        guard let whole = owner(of: local), let point = local.firstIndex(of: "."),
            let part = FilterElements(whole).target(of: String(local[local.index(after: point)...]))
        else { return nil }
        return FilterTarget(AttributePath(whole.name, part: part.path.attribute.rawValue), part.kind)
    }

    /// The complex attribute whose name is before the point.
    func owner(of name: String) -> AttributeDefinition? {
        guard let local = local(name), let point = local.firstIndex(of: "."),
            let whole = definition(of: String(local[..<point])), whole.kind == .complex
        else { return nil }
        return whole
    }
}

/// Filters over SCIM's `roles`, which shows values that clients wrote and the user's groups by name. Filters search
/// both.
enum SCIMRoles {
    /// The attribute with the values that clients wrote.
    static let attribute: AttributeName = "scimRoles"

    /// Extends a filter over values that clients wrote to the groups.
    static func everywhere(_ filter: Filter) -> Filter {
        switch filter {
        case .not(let filter): return .not(everywhere(filter))
        case .compare(let path, .notEqual, let value): return .not(everywhere(.compare(path, .equal, value)))
        case .compare(let path, let comparison, let value):
            let inner = Filter.compare(AttributePath(part(path)), comparison, value)
            return .or([filter, .element("memberOf", overGroups(inner))])
        case .present(let path):
            return .or([filter, .element("memberOf", overGroups(.present(AttributePath(part(path)))))])
        case .element(_, let inner): return .or([filter, .element("memberOf", overGroups(inner))])
        case .everything, .and, .or, .below: return filter
        }
    }

    private static func part(_ path: AttributePath) -> AttributeName { AttributeName(path.part ?? "value") }

    /// Turns a filter over the parts of an element into a filter over the names of groups. The other parts are
    /// constants: a user is in these groups directly, and no group is the primary one.
    private static func overGroups(_ filter: Filter) -> Filter {
        switch filter {
        case .and(let filters): return .and(filters.map(overGroups))
        case .or(let filters): return .or(filters.map(overGroups))
        case .not(let filter): return .not(overGroups(filter))
        case .compare(let path, let comparison, let value) where ["value", "display"].contains(path.partName):
            return .compare(AttributePath("value"), comparison, value)
        case .compare(let path, let comparison, let value):
            let found: AttributeValue = path.partName == "primary" ? .boolean(false) : "direct"
            let condition = Condition(comparison, value.operandKey(isCaseExact: false), isCaseExact: false)
            let holds = condition.holds(for: found.operandKey(isCaseExact: false))
            return holds == (comparison != .notEqual) ? .everything : .or([])
        case .present(let path): return path.partName == "primary" ? .or([]) : .everything
        case .everything, .element, .below: return filter
        }
    }
}

/// The managers above a user as elements of a list, which only filters know.
extension FilterElements {
    static let managers = FilterElements(
        of: "managers",
        parts: [
            Part("value", .string, isCaseExact: false, isOrdered: false),
            Part("depth", .integer, isCaseExact: false, isOrdered: true),
        ])

    /// The filter for everyone below a user that a filter in brackets means; nil if it means no user, or several.
    static func line(_ filter: Filter) -> Filter? {
        let parts: [Filter] = if case .and(let filters) = filter { filters } else { [filter] }
        var user: UserReference?
        var levels: Int?
        for part in parts {
            switch part {
            case .compare(let path, .equal, .string(let text)) where path.partName == "value" && user == nil:
                user = .either(text)
            case .compare(let path, let comparison, .integer(let number))
            where path.partName == "depth" && levels == nil && (1...Int64(Int32.max)).contains(number):
                switch comparison {
                case .lessOrEqual: levels = Int(number)
                case .less where number > 1: levels = Int(number) - 1
                case .equal where number == 1: levels = 1
                default: return nil
                }
            default: return nil
            }
        }
        return user.map { .below($0, levels: levels) }
    }
}
