import RosterText

/// Credentials and properties of an app, each under a key, in a secure store. Mirrors Oracle's `OMCredentialStore`.
///
/// Deleting removes the value, where Oracle's SDK only sets the user name and the password to null.
public struct CredentialStore: Sendable {
    private let store: SecureStore
    private static let credentials = "credential/"
    private static let properties = "property/"

    /// Keeps credentials in a secure store, which can hold other values as well.
    ///
    /// - Parameter store: The secure store.
    public init(_ store: SecureStore) { self.store = store }

    // MARK: Credentials

    /// Stores a new credential. Mirrors `addCredential:pwd:tenantName:properties:url:`.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - key: The key of the credential.
    /// - Throws: ``ClientError`` `alreadyExists` if the key has a credential; the errors of ``SecureStore/set(_:for:)``.
    public func add(_ credential: Credential, for key: String) throws {
        guard try store.set(Self.bytes(credential), for: Self.credentials + key, if: false) else {
            throw ClientError(
                .alreadyExists, "The key '\(ShownText.plain(key))' has a credential already.",
                advice: "Update the credential, or choose another key.")
        }
    }

    /// Replaces a credential. Mirrors `updateCredential:pwd:tenantName:properties:url:`.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - key: The key of the credential.
    /// - Throws: ``ClientError`` `notFound` if the key has no credential; the errors of ``SecureStore/set(_:for:)``.
    public func update(_ credential: Credential, for key: String) throws {
        guard try store.set(Self.bytes(credential), for: Self.credentials + key, if: true) else {
            throw ClientError(
                .notFound, "The key '\(ShownText.plain(key))' has no credential.", advice: "Add the credential.")
        }
    }

    /// Removes a credential, if there is one. Mirrors `deleteCredential:`.
    ///
    /// - Parameter key: The key of the credential.
    /// - Throws: The errors of ``SecureStore/set(_:for:)``.
    public func delete(_ key: String) throws { try store.set(nil, for: Self.credentials + key) }

    /// Reads a credential. Mirrors `getCredential:`.
    ///
    /// - Parameter key: The key of the credential.
    /// - Returns: The credential; nil if there is none.
    /// - Throws: The errors of ``SecureStore/data(for:)``.
    public func credential(for key: String) throws -> Credential? {
        guard let value = try value(Self.credentials + key) else { return nil }
        guard let userName = value["userName"]?.text, let password = value["password"]?.text else {
            throw Self.damaged(key)
        }
        let properties = value["properties"]?.members.map { ($0.name, $0.value.text ?? "") } ?? []
        return Credential(
            userName: userName, password: password, tenant: value["tenant"]?.text,
            properties: Dictionary(properties) { first, _ in first })
    }

    /// The keys that have a credential, in ascending order.
    ///
    /// - Throws: The errors of ``SecureStore/data(for:)``.
    public func keys() throws -> [String] {
        try store.keys(withPrefix: Self.credentials).map { String($0.dropFirst(Self.credentials.count)) }
    }

    // MARK: Properties

    /// Stores or replaces a property. Mirrors `storeProperty:withKey:withLabel:withDescription:`.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - key: The key of the property, independent of the keys of credentials.
    /// - Throws: The errors of ``SecureStore/set(_:for:)``.
    public func store(_ property: StoredProperty, for key: String) throws {
        var value: JSONValue = ["value": .string(property.value)]
        value["label"] = property.label.map { .string($0) }
        value["details"] = property.details.map { .string($0) }
        try store.set(Array(value.written.utf8), for: Self.properties + key)
    }

    /// Reads a property. Mirrors `getPropertyForKey:` and `getPropertyLabelDescriptionAsArrayForKey:`.
    ///
    /// - Parameter key: The key of the property.
    /// - Returns: The property; nil if there is none.
    /// - Throws: The errors of ``SecureStore/data(for:)``.
    public func property(for key: String) throws -> StoredProperty? {
        guard let value = try value(Self.properties + key) else { return nil }
        guard let text = value["value"]?.text else { throw Self.damaged(key) }
        return StoredProperty(text, label: value["label"]?.text, details: value["details"]?.text)
    }

    /// Removes a property, if there is one. Mirrors `deletePropertyWithKey:`.
    ///
    /// - Parameter key: The key of the property.
    /// - Throws: The errors of ``SecureStore/set(_:for:)``.
    public func deleteProperty(_ key: String) throws { try store.set(nil, for: Self.properties + key) }

    /// The keys that have a property, in ascending order.
    ///
    /// - Throws: The errors of ``SecureStore/data(for:)``.
    public func propertyKeys() throws -> [String] {
        try store.keys(withPrefix: Self.properties).map { String($0.dropFirst(Self.properties.count)) }
    }

    // MARK: Values

    private static func bytes(_ credential: Credential) -> [UInt8] {
        var value: JSONValue = [
            "userName": .string(credential.userName), "password": .string(credential.password),
        ]
        value["tenant"] = credential.tenant.map { .string($0) }
        if !credential.properties.isEmpty {
            value["properties"] = .object(
                credential.properties.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
        }
        return Array(value.written.utf8)
    }

    private func value(_ key: String) throws -> JSONValue? {
        guard let bytes = try store.data(for: key) else { return nil }
        guard let value = try? JSONValue(parsing: bytes) else { throw Self.damaged(key) }
        return value
    }

    private static func damaged(_ key: String) -> ClientError {
        ClientError(
            .damagedStore,
            "The value under '\(ShownText.plain(key))' in the secure store is not a credential or property.",
            advice: "Delete the value, or use another store for other values.")
    }
}
