/// What the directory knows of an attribute: its type, its rules and its name in each protocol.
public struct AttributeDefinition: Sendable, Hashable, Codable {
    /// The type of an attribute's values.
    public enum Kind: String, Sendable, Hashable, Codable {
        case string, integer, decimal, boolean, time, binary, complex
    }

    /// A protocol that has its own names for attributes.
    public enum NameSpace: String, Sendable, Hashable, Codable, CaseIterable {
        /// The mirrored module and its REST service: `firstname`. Case counts.
        case profile
        /// SCIM 2.0: `name.givenName`, `emails.value`. Case does not count.
        case scim
        /// LDAP: `givenName`, `sn`. Case does not count.
        case ldap
    }

    /// Who may read an attribute, from the widest circle to none. Each circle includes the ones below it.
    public enum Readers: Int, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// Nobody: a secret. It is stored and compared, never shown.
        case nobody
        /// Administrators.
        case administrators
        /// And the person whose attribute it is.
        case person
        /// And that person's managers, all the way up.
        case managers
        /// And everyone who is signed in.
        case signedIn

        /// The circle of a name such as `managers`; nil for any other text.
        public init?(named name: String) {
            guard let circle = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = circle
        }

        /// Orders circles from the narrowest to the widest.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Who may write an attribute.
    public enum Writers: String, Sendable, Hashable, Codable, CaseIterable {
        /// The directory itself.
        case nobody
        /// Administrators.
        case administrators
        /// Administrators, and each person their own.
        case person
    }

    /// What an attribute belongs to.
    public enum Entity: String, Sendable, Hashable, Codable {
        case user, role
    }

    /// Where an attribute that is a view of a part of another one is kept: `mail` is the `value` of the primary
    /// element of `emails`, `mobile` that of the element of `phoneNumbers` whose type is `mobile`.
    public struct Element: Sendable, Hashable, Codable {
        /// The multi-valued attribute that holds the element.
        public let attribute: AttributeName
        /// The element's `type`, or nil for the primary, or else the first, element.
        public let type: String?
        /// The part of the element.
        public let part: String
    }

    /// The name in the directory's own vocabulary.
    public let name: AttributeName
    /// What it belongs to.
    public let entity: Entity
    /// The type of its values.
    public let kind: Kind
    /// Whether it can have several values.
    public let isMultiValued: Bool
    /// Whether upper and lower case make a difference when values are compared.
    public let isCaseExact: Bool
    /// Whether no two users (or roles) may have the same value.
    public let isUnique: Bool
    /// Whether filters and sorting on it are answered from an index. Others are allowed, and read every candidate.
    public let isSearchable: Bool
    /// Whether it comes along only when it is asked for by name.
    public let isReturnedOnRequest: Bool
    /// Who may read it.
    public let readers: Readers
    /// Who may write it.
    public let writers: Writers
    /// Its names elsewhere.
    public let names: [NameSpace: String]
    /// Set where it is a view of a part of another attribute.
    public let element: Element?

    /// Declares an attribute of an app's own, for ``AttributeManager/declare(_:)``.
    ///
    /// - Parameters:
    ///   - name: A letter, then letters, digits, `-` and `_`; at most 64 characters.
    ///   - entity: What it belongs to.
    ///   - kind: The type of its values; not ``Kind/complex``.
    ///   - isMultiValued: Whether it can have several values.
    ///   - isCaseExact: Whether case makes a difference when values are compared.
    ///   - isUnique: Whether no two users (or roles) may have the same value. Makes it searchable.
    ///   - isSearchable: Whether it is indexed.
    ///   - readers: Who may read it.
    ///   - writers: Who may write it.
    public init(
        _ name: AttributeName, of entity: Entity = .user, kind: Kind = .string, isMultiValued: Bool = false,
        isCaseExact: Bool = false, isUnique: Bool = false, isSearchable: Bool = true, readers: Readers = .signedIn,
        writers: Writers = .administrators
    ) {
        self.init(
            name, of: entity, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact, isUnique: isUnique,
            isSearchable: isSearchable || isUnique, isReturnedOnRequest: kind == .binary, readers: readers,
            writers: writers, names: [:], element: nil)
    }

    init(
        _ name: AttributeName, of entity: Entity, kind: Kind, isMultiValued: Bool, isCaseExact: Bool, isUnique: Bool,
        isSearchable: Bool, isReturnedOnRequest: Bool, readers: Readers, writers: Writers,
        names: [NameSpace: String], element: Element?
    ) {
        self.name = name
        self.entity = entity
        self.kind = kind
        self.isMultiValued = isMultiValued
        self.isCaseExact = isCaseExact
        self.isUnique = isUnique
        self.isSearchable = isSearchable
        self.isReturnedOnRequest = isReturnedOnRequest
        self.readers = readers
        self.writers = writers
        self.names = names
        self.element = element
    }
}
