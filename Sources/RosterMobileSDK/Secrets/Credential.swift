import RosterClient
public import RosterText

/// A user name, a password, and what belongs to them. Mirrors Oracle's `OMCredential`.
///
/// Descriptions and mirrors of this type show neither the password nor the properties.
public struct Credential: Sendable, Hashable, CustomStringConvertible, Redacted {
    /// The user name.
    public var userName: String
    /// The password.
    public var password: String
    /// The tenant, which Oracle calls identity domain.
    public var tenant: String?
    /// Further texts of the app.
    public var properties: [String: String]

    /// Makes a credential. Mirrors `initWithUserName:password:tenantName:properties:`.
    ///
    /// - Parameters:
    ///   - userName: The user name.
    ///   - password: The password.
    ///   - tenant: The tenant, if the server has several.
    ///   - properties: Further texts of the app.
    public init(userName: String, password: String, tenant: String? = nil, properties: [String: String] = [:]) {
        self.userName = userName
        self.password = password
        self.tenant = tenant
        self.properties = properties
    }

    /// The user name and the tenant.
    public var description: String { tenant.map { "\(userName) of \($0)" } ?? userName }
}

/// A text that an app keeps with a label and details. Mirrors the answer of
/// `OMCredentialStore getPropertyLabelDescriptionAsArrayForKey:`.
///
/// Descriptions and mirrors of this type do not show the value.
public struct StoredProperty: Sendable, Hashable, CustomStringConvertible, Redacted {
    /// The text.
    public var value: String
    /// A short name for people.
    public var label: String?
    /// The purpose of the text; the description of Oracle's SDK.
    public var details: String?

    /// Makes a property.
    ///
    /// - Parameters:
    ///   - value: The text.
    ///   - label: A short name for people.
    ///   - details: What the text is for.
    public init(_ value: String, label: String? = nil, details: String? = nil) {
        self.value = value
        self.label = label
        self.details = details
    }

    /// The label.
    public var description: String { label ?? "a property" }
}
