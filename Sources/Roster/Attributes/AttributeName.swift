/// The name of an attribute in the directory's own vocabulary, such as `givenName`.
///
/// ``Vocabulary/definition(named:in:for:)`` finds attributes by the names of other protocols (`firstname`, `sn`,
/// `name.familyName`).
public struct AttributeName: RawRepresentable, Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as text.
    public let rawValue: String
    /// Makes a name from text without looking it up in the vocabulary.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from text without looking it up in the vocabulary.
    public init(_ name: String) { rawValue = name }
    /// Makes a name from a literal without looking it up in the vocabulary.
    public init(stringLiteral value: String) { rawValue = value }
    /// The name as text.
    public var description: String { rawValue }
    /// Orders names by their text.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
