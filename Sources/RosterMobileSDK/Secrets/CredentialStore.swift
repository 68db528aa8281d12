import RosterClient
public import RosterSecrets
import RosterText

/// Named credentials and properties of an app, in a secure store. Mirrors Oracle's `OMCredentialStore`.
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

    /// Stores a credential, in place of any other of the name. Mirrors `addCredential:pwd:tenantName:properties:url:`.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - name: The name of the credential, such as the URL of its server; Oracle's SDK calls it key.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func add(_ credential: Credential, named name: String) throws {
        try store.set(Self.bytes(credential), named: Self.credentials + name)
    }

    /// Stores a credential, as ``add(_:named:)`` does. Mirrors `updateCredential:pwd:tenantName:properties:url:`, which calls
    /// `addCredential` in Oracle's SDK too.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - name: The name of the credential.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func update(_ credential: Credential, named name: String) throws { try add(credential, named: name) }

    /// Removes a credential, if there is one. Mirrors `deleteCredential:`.
    ///
    /// - Parameter name: The name of the credential.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func delete(named name: String) throws { try store.remove(named: Self.credentials + name) }

    /// Reads a credential. Mirrors `getCredential:`.
    ///
    /// - Parameter name: The name of the credential.
    /// - Returns: The credential; nil if there is none.
    /// - Throws: The errors of `SecureStore.data(named:)`.
    public func credential(named name: String) throws -> Credential? {
        guard let value = try value(Self.credentials + name) else { return nil }
        guard let userName = value["userName"]?.text, let password = value["password"]?.text else {
            throw Self.damaged(name)
        }
        let properties = value["properties"]?.members.map { ($0.name, $0.value.text ?? "") } ?? []
        return Credential(
            userName: userName, password: password, tenant: value["tenant"]?.text,
            properties: Dictionary(properties) { first, _ in first })
    }

    /// The names of the credentials, in ascending order.
    ///
    /// - Throws: The errors of `SecureStore.data(named:)`.
    public func names() throws -> [String] {
        try store.names(withPrefix: Self.credentials).map { String($0.dropFirst(Self.credentials.count)) }
    }

    // MARK: Properties

    /// Stores or replaces a property. Mirrors `storeProperty:withKey:withLabel:withDescription:`.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: The name of the property, independent of the names of credentials.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func setProperty(_ property: StoredProperty, named name: String) throws {
        var value: JSONValue = ["value": .string(property.value)]
        value["label"] = property.label.map { .string($0) }
        value["details"] = property.details.map { .string($0) }
        try store.set(Array(value.written.utf8), named: Self.properties + name)
    }

    /// Reads a property. Mirrors `getPropertyForKey:` and `getPropertyLabelDescriptionAsArrayForKey:`.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The property; nil if there is none.
    /// - Throws: The errors of `SecureStore.data(named:)`.
    public func property(named name: String) throws -> StoredProperty? {
        guard let value = try value(Self.properties + name) else { return nil }
        guard let text = value["value"]?.text else { throw Self.damaged(name) }
        return StoredProperty(text, label: value["label"]?.text, details: value["details"]?.text)
    }

    /// Removes a property, if there is one. Mirrors `deletePropertyWithKey:`.
    ///
    /// - Parameter name: The name of the property.
    /// - Throws: The errors of `SecureStore.set(_:named:)`.
    public func deleteProperty(named name: String) throws { try store.remove(named: Self.properties + name) }

    /// The names of the properties, in ascending order.
    ///
    /// - Throws: The errors of `SecureStore.data(named:)`.
    public func propertyNames() throws -> [String] {
        try store.names(withPrefix: Self.properties).map { String($0.dropFirst(Self.properties.count)) }
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

    private func value(_ name: String) throws -> JSONValue? {
        guard let bytes = try store.bytes(named: name) else { return nil }
        guard let value = try? JSONValue(parsing: bytes) else { throw Self.damaged(name) }
        return value
    }

    private static func damaged(_ name: String) -> SecureStoreError {
        SecureStoreError(
            .damagedStore,
            "The value named '\(ShownText.plain(name))' in the secure store is not a credential or property.",
            advice: "Delete the value, or use another store for other values.")
    }
}
