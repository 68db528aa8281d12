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
