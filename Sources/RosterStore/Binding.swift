/// The text of a statement, known by its address so that the prepared form is found again at once.
package struct SQL: Sendable, ExpressibleByStringLiteral {
    package let text: StaticString
    @inlinable package init(stringLiteral value: StaticString) { text = value }
}

/// A value on its way into a statement. Values never become part of a statement's text.
package enum Binding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    @inlinable package static func text(_ text: String?) -> Binding { text.map { .text($0) } ?? .null }
    @inlinable package static func integer(_ number: Int64?) -> Binding { number.map { .integer($0) } ?? .null }
}
