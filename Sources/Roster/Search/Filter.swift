/// Which users, or which roles, are meant.
///
/// Filters compose, and one type stands behind the mirrored module's dictionaries, SCIM's filter language
/// (``init(scim:vocabulary:for:)``) and LDAP's (``init(ldap:vocabulary:for:)``):
///
/// ```swift
/// let filter: Filter = .all(.surname.starts("Mü"), .active, .not(.title.present))
/// ```
///
/// Comparisons are two-valued: an attribute without a value satisfies no comparison but ``Comparison/notEqual``. On a
/// multi-valued attribute a comparison holds where it holds for one of the values, and `notEqual` where none is equal.
/// Text is compared without regard to case, width and composition unless the attribute is case-exact.
public indirect enum Filter: Sendable, Hashable {
    /// Everyone.
    case everything
    /// Those whose attribute compares so with the value.
    case compare(AttributePath, Comparison, AttributeValue)
    /// Those who have a value (RFC 7644: a value that is not empty).
    case present(AttributePath)
    /// Those for whom one single element of a multi-valued attribute satisfies the filter: its paths are the names of
    /// parts, `emails[type eq "work" and value co "@example.com"]`.
    case element(AttributeName, Filter)
    /// Those who satisfy all of them. Of none: everyone.
    case and([Filter])
    /// Those who satisfy at least one. Of none: nobody.
    case or([Filter])
    /// Those who do not satisfy it.
    case not(Filter)

    /// How an attribute is compared: the operators of the identity service behind the mirrored module, of SCIM
    /// (RFC 7644, section 3.4.2.2) and of LDAP (RFC 4515).
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal, notEqual, contains, starts, ends, greater, greaterOrEqual, less, lessOrEqual
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
        case .compare, .present: 1
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.comparisons }
        case .not(let filter), .element(_, let filter): filter.comparisons
        case .everything: 0
        }
    }
}

/// An attribute in a filter, or a part of a complex one.
public struct AttributePath: Sendable, Hashable, CustomStringConvertible {
    /// The attribute.
    public let attribute: AttributeName
    /// The part, such as `type` of `emails`; nil for the whole, which for a complex attribute is its `value`.
    public let part: String?

    /// Names an attribute, or a part of it.
    public init(_ attribute: AttributeName, part: String? = nil) {
        self.attribute = attribute
        self.part = part
    }

    /// As people write it: `emails.type`.
    public var description: String { part.map { "\(attribute).\($0)" } ?? attribute.rawValue }

    /// Equal to the value.
    public func equals(_ value: AttributeValue) -> Filter { .compare(self, .equal, value) }
    /// Not equal to the value, or without one.
    public func differs(from value: AttributeValue) -> Filter { .compare(self, .notEqual, value) }
    /// Containing the text.
    public func contains(_ text: String) -> Filter { .compare(self, .contains, .string(text)) }
    /// Starting with the text.
    public func starts(_ text: String) -> Filter { .compare(self, .starts, .string(text)) }
    /// Ending with the text.
    public func ends(_ text: String) -> Filter { .compare(self, .ends, .string(text)) }
    /// Greater than the value.
    public func isGreater(than value: AttributeValue) -> Filter { .compare(self, .greater, value) }
    /// Greater than or equal to the value.
    public func isAtLeast(_ value: AttributeValue) -> Filter { .compare(self, .greaterOrEqual, value) }
    /// Less than the value.
    public func isLess(than value: AttributeValue) -> Filter { .compare(self, .less, value) }
    /// Less than or equal to the value.
    public func isAtMost(_ value: AttributeValue) -> Filter { .compare(self, .lessOrEqual, value) }
    /// Having a value.
    public var present: Filter { .present(self) }
}

extension Filter {
    /// Those who satisfy all of them.
    public static func all(_ filters: Filter...) -> Filter { .and(filters) }
    /// Those who satisfy at least one of them.
    public static func any(_ filters: Filter...) -> Filter { .or(filters) }
    /// Those who are not disabled.
    public static var active: Filter { .compare(AttributePath("active"), .equal, .boolean(true)) }

    /// The path of any attribute, to compare: `.attribute("costCenter").equals("77")`.
    public static func attribute(_ name: AttributeName) -> AttributePath { AttributePath(name) }
    /// The user's name.
    public static var uid: AttributePath { AttributePath("uid") }
    /// The given name.
    public static var givenName: AttributePath { AttributePath("givenName") }
    /// The family name.
    public static var surname: AttributePath { AttributePath("familyName") }
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
    /// The names of the roles that someone is directly a member of.
    public static var memberOf: AttributePath { AttributePath("memberOf") }
    /// The manager, by name or id.
    public static var manager: AttributePath { AttributePath("manager") }
}
