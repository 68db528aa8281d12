/// The definition of an attribute: its type, its rules and its names in each protocol.
public struct AttributeDefinition: Sendable, Hashable {
    /// The type of an attribute's values.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Text.
        case string
        /// A whole number.
        case integer
        /// A number with a fraction.
        case decimal
        /// True or false.
        case boolean
        /// A moment, to the millisecond.
        case time
        /// Bytes.
        case binary
        /// Named parts. Only built-in attributes have them.
        case complex
    }

    /// A protocol with its own attribute names.
    public enum NameSpace: String, Sendable, Hashable, Codable, CaseIterable {
        /// Oracle Mobile and Social SDK and its REST service: `firstname`. Case-sensitive.
        case profile
        /// SCIM 2.0: `name.givenName`, `emails.value`. Not case-sensitive.
        case scim
        /// LDAP: `givenName`, `sn`. Not case-sensitive.
        case ldap
    }

    /// The callers who may read an attribute. Each group includes the smaller ones.
    public enum Readers: Int, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// Nobody. The attribute is a secret, which is stored and compared but never shown.
        case nobody
        /// Administrators.
        case administrators
        /// Administrators, and the user with the attribute.
        case person
        /// Administrators, the user, and all managers above the user.
        case managers
        /// Everyone who is signed in.
        case signedIn

        /// The group with a name such as `managers`; nil for any other text.
        public init?(named name: String) {
            guard let group = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = group
        }

        /// Orders groups from the smallest to the largest.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The callers who may write an attribute.
    public enum Writers: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nobody except the directory itself.
        case nobody
        /// Administrators.
        case administrators
        /// Administrators, and each user for their own.
        case person
    }

    /// The kind of object with the attribute.
    public enum Entity: String, Sendable, Hashable, Codable {
        /// A user.
        case user
        /// A role.
        case role
    }

    /// The location of a view's value in another attribute: `mail` is the `value` of the primary element of `emails`,
    /// `mobile` is the `value` of the element of `phoneNumbers` with the type `mobile`.
    public struct Element: Sendable, Hashable, Codable {
        /// The multi-valued attribute that holds the element.
        public let attribute: AttributeName
        /// The element's `type`; nil for the primary element, or else the first one.
        public let type: String?
        /// The name of the part.
        public let part: String
    }

    /// The name in the directory's own vocabulary.
    public internal(set) var name: AttributeName
    /// The kind of object with the attribute.
    public let entity: Entity
    /// The type of its values.
    public internal(set) var kind: Kind
    /// Whether it can have several values.
    public internal(set) var isMultiValued: Bool
    /// Whether comparisons of values are case-sensitive.
    public internal(set) var isCaseExact: Bool
    /// Whether the values are unique among users.
    public var isUnique: Bool { rules.isUnique }
    /// Whether an index answers filters on the attribute. A filter on another attribute reads every candidate.
    /// ``Search/sort`` lists the attributes by which an index sorts.
    public internal(set) var isIndexed: Bool
    /// Whether the attribute is fetched only when it is requested by name.
    public let isReturnedOnRequest: Bool
    /// The callers who may read the attribute.
    public internal(set) var readers: Readers
    /// The callers who may write the attribute.
    public internal(set) var writers: Writers
    /// The names in other protocols.
    public let names: [NameSpace: String]
    /// The location of the value if the attribute is a view of another one; nil otherwise.
    public let element: Element?
    /// The rules for the values.
    public internal(set) var rules: AttributeRules
    /// The labels and descriptions that people see. Two declarations that differ only in their texts count as identical.
    public internal(set) var texts: AttributeTexts

    /// Describes an app's own attribute for `declare` of ``AttributeManager``.
    ///
    /// - Parameters:
    ///   - name: A letter, then letters, digits, `-` and `_`, up to 64 characters.
    ///   - entity: The kind of object with the attribute.
    ///   - kind: The type of the values, except ``Kind/complex``.
    ///   - isMultiValued: Whether the attribute can have several values.
    ///   - isCaseExact: Whether comparisons of values are case-sensitive.
    ///   - isUnique: Whether the values are unique among users, as with the rule ``AttributeRules/unique``. A unique
    ///     attribute also has an index.
    ///   - isIndexed: Whether an index answers filters on the attribute.
    ///   - rules: The rules for the values.
    ///   - readers: The callers who may read the attribute.
    ///   - writers: The callers who may write the attribute.
    ///   - texts: The labels and descriptions that people see, in each language.
    public init(
        _ name: AttributeName, of entity: Entity = .user, kind: Kind = .string, isMultiValued: Bool = false,
        isCaseExact: Bool = false, isUnique: Bool = false, isIndexed: Bool = true, rules: AttributeRules = [],
        readers: Readers = .signedIn, writers: Writers = .administrators, texts: AttributeTexts = AttributeTexts()
    ) {
        var rules = rules
        rules.isUnique = rules.isUnique || isUnique
        self.init(
            name, of: entity, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact, rules: rules,
            isIndexed: isIndexed || rules.isUnique, isReturnedOnRequest: kind == .binary, readers: readers,
            writers: writers, names: [:], element: nil, texts: texts)
    }

    /// Describes an app's own attribute by its typed name.
    ///
    /// - Parameters:
    ///   - attribute: The name and the type of the values. The type decides the kind, and whether the attribute has several
    ///     values.
    ///   - entity: The kind of object with the attribute.
    ///   - isCaseExact: Whether comparisons of values are case-sensitive.
    ///   - isUnique: Whether the values are unique among users. A unique attribute also has an index.
    ///   - isIndexed: Whether an index answers filters on the attribute.
    ///   - rules: The rules for the values.
    ///   - readers: The callers who may read the attribute.
    ///   - writers: The callers who may write the attribute.
    ///   - texts: The labels and descriptions that people see, in each language.
    public init<Value>(
        _ attribute: Attribute<Value>, of entity: Entity = .user, isCaseExact: Bool = false, isUnique: Bool = false,
        isIndexed: Bool = true, rules: AttributeRules = [], readers: Readers = .signedIn,
        writers: Writers = .administrators, texts: AttributeTexts = AttributeTexts()
    ) {
        let (kind, isMultiValued) = Value.attributeKind
        self.init(
            attribute.name, of: entity, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact,
            isUnique: isUnique, isIndexed: isIndexed, rules: rules, readers: readers, writers: writers, texts: texts)
    }

    init(
        _ name: AttributeName, of entity: Entity, kind: Kind, isMultiValued: Bool, isCaseExact: Bool,
        rules: AttributeRules = [], isIndexed: Bool, isReturnedOnRequest: Bool, readers: Readers, writers: Writers,
        names: [NameSpace: String], element: Element?, texts: AttributeTexts = AttributeTexts()
    ) {
        self.name = name
        self.entity = entity
        self.kind = kind
        self.isMultiValued = isMultiValued
        self.isCaseExact = isCaseExact
        self.rules = rules
        self.isIndexed = isIndexed
        self.isReturnedOnRequest = isReturnedOnRequest
        self.readers = readers
        self.writers = writers
        self.names = names
        self.element = element
        self.texts = texts
    }
}

extension AttributeDefinition {
    /// The older name of ``isIndexed``.
    public var isSearchable: Bool { isIndexed }

    /// Describes an app's own attribute, with the older name of `isIndexed`.
    public init(
        _ name: AttributeName, of entity: Entity = .user, kind: Kind = .string, isMultiValued: Bool = false,
        isCaseExact: Bool = false, isUnique: Bool = false, isSearchable: Bool, rules: AttributeRules = [],
        readers: Readers = .signedIn, writers: Writers = .administrators
    ) {
        self.init(
            name, of: entity, kind: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact, isUnique: isUnique,
            isIndexed: isSearchable, rules: rules, readers: readers, writers: writers)
    }

    /// Describes an app's own attribute by its typed name, with the older name of `isIndexed`.
    public init<Value>(
        _ attribute: Attribute<Value>, of entity: Entity = .user, isCaseExact: Bool = false, isUnique: Bool = false,
        isSearchable: Bool, rules: AttributeRules = [], readers: Readers = .signedIn,
        writers: Writers = .administrators
    ) {
        self.init(
            attribute, of: entity, isCaseExact: isCaseExact, isUnique: isUnique, isIndexed: isSearchable, rules: rules,
            readers: readers, writers: writers)
    }
}

extension AttributeDefinition {
    /// Whether only the directory itself writes the attribute.
    var isMaintained: Bool { writers == .nobody }
    /// Whether the name is that of a built-in attribute.
    var isBuiltIn: Bool { StandardAttributes.isBuiltIn(name, of: entity) }
    /// Whether every directory has an index for the built-in attribute.
    var isIndexedFromTheStart: Bool { StandardAttributes.indexed.contains(name) }
}
