/// The text of a statement. Its address identifies the prepared statement, so that the look-up needs no comparison of
/// text.
public struct SQL: Sendable, ExpressibleByStringLiteral {
    public let text: StaticString
    @inlinable public init(stringLiteral value: StaticString) { text = value }
}

/// A value to bind to a statement. Values never become part of a statement's text.
public enum Binding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    @inlinable public static func text(_ text: String?) -> Binding { text.map { .text($0) } ?? .null }
    @inlinable public static func integer(_ number: Int64?) -> Binding { number.map { .integer($0) } ?? .null }
}
