/// The changed readers and writers of a built-in attribute.
public struct AttributeRights: Sendable, Hashable, Codable {
    /// The attribute, or a view such as `mobile`.
    public let name: AttributeName
    /// Whether it is an attribute of users or of roles.
    public let entity: AttributeDefinition.Entity
    /// The readers; nil for the built-in ones.
    public var readers: AttributeDefinition.Readers?
    /// The writers; nil for the built-in ones.
    public var writers: AttributeDefinition.Writers?
}

extension AttributeDefinition {
    func with(readers: Readers, writers: Writers) -> AttributeDefinition {
        var definition = self
        definition.readers = readers
        definition.writers = writers
        return definition
    }

    /// The attributes that decide who can sign in and with which rights. Users never write them.
    private static let neverByPersons: Set<AttributeName> = [
        "emails", "mail", "employeeNumber", "entitlements", "x509Certificates",
    ]

    /// Refuses rights that would reveal a secret, let users change who can sign in, or make an attribute unusable.
    func check(readers: Readers?, writers: Writers?, isDeclared: Bool) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "'\(name)' \(problem).", advice: advice, attribute: name)
        }
        if StandardAttributes.isSystem(name, of: entity) {
            throw refuse(
                "is maintained by the directory, so that its readers and writers are fixed", "Choose another attribute."
            )
        }
        if let readers, readers != self.readers, readers == .nobody || self.readers == .nobody {
            throw refuse(
                self.readers == .nobody ? "is a secret and stays one" : "cannot be made a secret",
                "Declare an attribute of your own.")
        }
        if writers == .nobody { throw refuse("would not be writable", "Let administrators write it.") }
        if writers == .person, Self.neverByPersons.contains(name), !isDeclared {
            throw refuse(
                "decides who can sign in, so that users cannot write their own", "Let administrators write it.")
        }
        if entity == .role, writers == .person || readers == .person || readers == .managers {
            throw refuse(
                "belongs to a role, which has no manager and cannot sign in",
                "Roles take the readers administrators and signedIn, and the writers administrators.")
        }
    }
}

extension Vocabulary {
    /// Refuses an attribute that users may write but not read. A client that writes back what it read would delete its
    /// value.
    func checkWhoWrites() throws {
        for definition in definitions() where definition.writers == .person && definition.name != "password" {
            let elements = definition.element == nil ? elementReaders(of: definition.name)?.narrowest : nil
            guard min(definition.readers, elements ?? .signedIn) >= .person || definition.readers == .nobody else {
                throw DirectoryError(
                    .invalidAttribute,
                    "Users can write their own '\(definition.name)', so they must be able to read it.",
                    advice: "Let administrators write it, or let the user read it.", attribute: definition.name)
            }
        }
    }
}
