/// A condition that selects users or roles, which are called entries here.
///
/// Filters compose. The same type represents the filter dictionaries of Oracle Mobile and Social SDK's `OMUserManager`,
/// for SCIM's filter language (``init(scim:vocabulary:for:)``) and for LDAP's (``init(ldap:vocabulary:for:)``):
///
/// ```swift
/// let filter: Filter = .all(.familyName.starts("Mü"), .active, .not(.title.present))
/// ```
///
/// A comparison holds or does not hold. An attribute without a value satisfies ``Comparison/notEqual`` and no other
/// comparison. For a multi-valued attribute, `notEqual` holds if no value is equal, and any other comparison holds if
/// it holds for one of the values. Comparisons of text ignore case, width and composition unless the attribute is
/// case-exact.
public indirect enum Filter: Sendable, Hashable, Codable {
    /// Selects all.
    case everything
    /// Selects entries with an attribute that compares so with the value.
    case compare(AttributePath, Comparison, AttributeValue)
    /// Selects entries that have a value, which is not empty (RFC 7644).
    case present(AttributePath)
    /// Selects entries with a single element of a multi-valued attribute that satisfies the filter, as in `emails[type eq
    /// "work" and value co "@example.com"]`. The paths of the filter are the names of parts.
    case element(AttributeName, Filter)
    /// Selects the users below a user in the reporting lines, who is not one of them: down to so many levels, 1 for the direct
    /// reportees, or all of them. A user who does not exist has nobody below.
    case below(UserReference, levels: Int? = nil)
    /// Selects entries that satisfy all of the filters. An empty list selects all.
    case and([Filter])
    /// Selects entries that satisfy at least one of the filters. An empty list selects none.
    case or([Filter])
    /// Selects entries that do not satisfy the filter.
    case not(Filter)

    /// The operators that compare an attribute with a value: those of the identity service behind Oracle's SDK, of SCIM
    /// (RFC 7644, section 3.4.2.2) and of LDAP (RFC 4515).
    public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
        /// The value is equal to the given one.
        case equal
        /// The value differs from the given one, or there is no value.
        case notEqual
        /// The text contains the given text.
        case contains
        /// The text starts with the given text.
        case starts
        /// The text ends with the given text.
        case ends
        /// The value is greater than the given one.
        case greater
        /// The value is greater than or equal to the given one.
        case greaterOrEqual
        /// The value is less than the given one.
        case less
        /// The value is less than or equal to the given one.
        case lessOrEqual
    }

    /// The deepest nesting that a search takes.
    public static let maximumDepth = 64
    /// The most comparisons that a search takes.
    public static let maximumComparisons = 1_000
    /// The longest text, in UTF-8 bytes, that the parsers take.
    public static let maximumLength = 64 * 1024

    /// How many comparisons the filter has.
    package var comparisons: Int {
        switch self {
        case .compare, .present, .below: 1
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.comparisons }
        case .not(let filter), .element(_, let filter): filter.comparisons
        case .everything: 0
        }
    }
}

extension Filter {
    /// The same filter with the directory's own names in place of protocols' names for attributes.
    func withOwnNames(in vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) -> Filter {
        func own(_ name: AttributeName) -> AttributeName { vocabulary.definition(of: name, for: entity)?.name ?? name }
        func own(_ path: AttributePath) -> AttributePath { AttributePath(own(path.attribute), part: path.part) }
        return switch self {
        case .everything, .below: self
        case .compare(let path, let comparison, let value): .compare(own(path), comparison, value)
        case .present(let path): .present(own(path))
        case .element(let name, let filter): .element(own(name), filter)
        case .and(let filters): .and(filters.map { $0.withOwnNames(in: vocabulary, entity) })
        case .or(let filters): .or(filters.map { $0.withOwnNames(in: vocabulary, entity) })
        case .not(let filter): .not(filter.withOwnNames(in: vocabulary, entity))
        }
    }
}

/// The path of an attribute or of a part of one.
public struct AttributePath: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The attribute.
    public let attribute: AttributeName
    /// The part, such as `type` of `emails`; nil for the whole attribute. A complex attribute as a whole represents its
    /// `value`.
    public let part: String?

    /// Makes the path of an attribute or of a part of it.
    public init(_ attribute: AttributeName, part: String? = nil) {
        self.attribute = attribute
        self.part = part
    }

    /// The path as people write it, such as `emails.type`.
    public var description: String { part.map { "\(attribute).\($0)" } ?? attribute.rawValue }

    /// The names and identifiers of the roles that a user is a member of, also through roles that are nested in them.
    static let effectiveRoles = AttributePath("memberOf", part: "effective")

    /// Selects entries whose value is equal to this value.
    public func equals(_ value: AttributeValue) -> Filter { .compare(self, .equal, value) }
    /// Selects entries whose value differs from this value, and entries without a value.
    public func differs(from value: AttributeValue) -> Filter { .compare(self, .notEqual, value) }
    /// Selects entries whose value contains the text.
    public func contains(_ text: String) -> Filter { .compare(self, .contains, .string(text)) }
    /// Selects entries whose value starts with the text.
    public func starts(_ text: String) -> Filter { .compare(self, .starts, .string(text)) }
    /// Selects entries whose value ends with the text.
    public func ends(_ text: String) -> Filter { .compare(self, .ends, .string(text)) }
    /// Selects entries whose value is greater than this value.
    public func isGreater(than value: AttributeValue) -> Filter { .compare(self, .greater, value) }
    /// Selects entries whose value is greater than or equal to this value.
    public func isAtLeast(_ value: AttributeValue) -> Filter { .compare(self, .greaterOrEqual, value) }
    /// Selects entries whose value is less than this value.
    public func isLess(than value: AttributeValue) -> Filter { .compare(self, .less, value) }
    /// Selects entries whose value is less than or equal to this value.
    public func isAtMost(_ value: AttributeValue) -> Filter { .compare(self, .lessOrEqual, value) }
    /// Selects entries whose value is equal to this value, which can be a `String` or a number of the app's own.
    @_disfavoredOverload
    public func equals(_ value: some AttributeConvertible) -> Filter { equals(value.attributeValue) }
    /// Selects entries whose value differs from this value, and entries without a value.
    @_disfavoredOverload
    public func differs(from value: some AttributeConvertible) -> Filter { differs(from: value.attributeValue) }
    /// Selects entries whose value is greater than this value.
    @_disfavoredOverload
    public func isGreater(than value: some AttributeConvertible) -> Filter { isGreater(than: value.attributeValue) }
    /// Selects entries whose value is greater than or equal to this value.
    @_disfavoredOverload
    public func isAtLeast(_ value: some AttributeConvertible) -> Filter { isAtLeast(value.attributeValue) }
    /// Selects entries whose value is less than this value.
    @_disfavoredOverload
    public func isLess(than value: some AttributeConvertible) -> Filter { isLess(than: value.attributeValue) }
    /// Selects entries whose value is less than or equal to this value.
    @_disfavoredOverload
    public func isAtMost(_ value: some AttributeConvertible) -> Filter { isAtMost(value.attributeValue) }
    /// Selects entries that have a value.
    public var present: Filter { .present(self) }
}

extension Filter {
    /// Selects entries that satisfy all of the filters.
    public static func all(_ filters: Filter...) -> Filter { .and(filters) }
    /// Selects entries that satisfy at least one of the filters.
    public static func any(_ filters: Filter...) -> Filter { .or(filters) }
    /// Selects users that are not disabled.
    public static var active: Filter { .compare(AttributePath("active"), .equal, .boolean(true)) }

    /// The path of any attribute, for a comparison such as `.attribute("costCenter").equals("77")`.
    public static func attribute(_ name: AttributeName) -> AttributePath { AttributePath(name) }
    /// The user's name.
    public static var uid: AttributePath { AttributePath("uid") }
    /// The given name.
    public static var givenName: AttributePath { AttributePath("givenName") }
    /// The family name.
    public static var familyName: AttributePath { AttributePath("familyName") }
    /// The common name.
    public static var commonName: AttributePath { AttributePath("commonName") }
    /// The display name.
    public static var displayName: AttributePath { AttributePath("displayName") }
    /// Any e-mail address.
    public static var mail: AttributePath { AttributePath("mail") }
    /// The title.
    public static var title: AttributePath { AttributePath("title") }
    /// The department.
    public static var department: AttributePath { AttributePath("department") }
    /// The names of the roles that a user is directly a member of.
    public static var memberOf: AttributePath { AttributePath("memberOf") }
    /// Selects users who are members of a role.
    ///
    /// - Parameters:
    ///   - role: The role. A role that does not exist has no members.
    ///   - reach: Whether the members of roles that are nested in the role count too.
    public static func member(of role: some RoleReferenceConvertible, _ reach: Reach = .effective) -> Filter {
        let path = reach == .direct ? memberOf : AttributePath.effectiveRoles
        switch role.roleReference {
        case .named(let name), .either(let name): return path.equals(.string(name))
        case .id(let id): return path.equals(.string(id.description))
        }
    }
    /// Selects the users below a user, who is given by a name, by an identifier or as a `User`. `levels` limits the number of levels.
    @_disfavoredOverload
    public static func below(_ user: some UserReferenceConvertible, levels: Int? = nil) -> Filter {
        .below(user.userReference, levels: levels)
    }
    /// The manager, by name or id.
    public static var manager: AttributePath { AttributePath("manager") }
}
