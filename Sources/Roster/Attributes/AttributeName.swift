/// The name of an attribute in the directory's own vocabulary, such as `givenName`.
///
/// Other protocols' names (`firstname`, `sn`, `name.familyName`) are found with
/// ``Vocabulary/definition(named:in:)``.
public struct AttributeName: RawRepresentable, Sendable, Hashable, Comparable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name as text.
    public let rawValue: String
    /// Makes a name of text, without a check that the vocabulary has it.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name of text, without a check that the vocabulary has it.
    public init(_ name: String) { rawValue = name }
    /// Makes a name of a literal, without a check that the vocabulary has it.
    public init(stringLiteral value: String) { rawValue = value }
    /// The name as text.
    public var description: String { rawValue }
    /// Orders names as text.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
