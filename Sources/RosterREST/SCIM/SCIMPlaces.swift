import Roster

/// The places of the directory's attributes in SCIM's resources.
struct SCIMPlaces: Sendable {
    enum Place: Sendable, Hashable {
        /// A member of the resource, such as `title`.
        case top(String)
        /// A member of `name`, such as `name.givenName`.
        case name(String)
        /// A member of the extension with that URN.
        case inExtension(String, String)
    }

    let users: [AttributeName: Place]
    let roles: [AttributeName: Place]
    /// The attributes of users that a response has only if the request names them.
    let usersOnRequest: [AttributeDefinition]
    private let userAttributes: [Place: AttributeName]
    private let roleAttributes: [Place: AttributeName]

    init(_ vocabulary: Vocabulary) {
        var users: [AttributeName: Place] = [:]
        let enterprise = SCIMResourceType.enterpriseURN + ":"
        for definition in vocabulary.definitions(for: .user) where definition.element == nil {
            guard let name = definition.names[.scim] else {
                users[definition.name] = .inExtension(Vocabulary.extensionSchema, definition.name.rawValue)
                continue
            }
            if name.hasPrefix(enterprise) {
                users[definition.name] = .inExtension(
                    SCIMResourceType.enterpriseURN, String(name.dropFirst(enterprise.count)))
            } else if name.hasPrefix("name.") {
                users[definition.name] = .name(String(name.dropFirst(5)))
            } else {
                users[definition.name] = .top(name)
            }
        }
        self.users = users
        usersOnRequest = vocabulary.definitions(for: .user).filter { $0.isReturnedOnRequest && $0.element == nil }
        roles = Dictionary(
            uniqueKeysWithValues: vocabulary.definitions(for: .role).map { definition in
                let place: Place =
                    definition.names[.scim].map { .top($0) }
                    ?? .inExtension(SCIMResourceType.groupExtensionURN, definition.name.rawValue)
                return (definition.name, place)
            })
        userAttributes = Dictionary(users.map { ($0.value, $0.key) }) { first, _ in first }
        roleAttributes = Dictionary(roles.map { ($0.value, $0.key) }) { first, _ in first }
    }

    /// The attribute at a place; nil if the directory keeps none there.
    func attribute(at place: Place, of entity: AttributeDefinition.Entity) -> AttributeName? {
        entity == .user ? userAttributes[place] : roleAttributes[place]
    }
}
