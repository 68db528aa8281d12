/// The text of a statement. Its address identifies the prepared statement, so that the look-up needs no comparison of
/// text.
public struct SQL: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text for SQLite, and for PostgreSQL unless that has its own.
    public let text: StaticString
    /// The text for PostgreSQL, where it differs in more than the form of parameters.
    public let ownText: StaticString?

    @inlinable public init(stringLiteral value: StaticString) { (text, ownText) = (value, nil) }

    /// A statement that the engines express in different ways.
    @inlinable public init(_ text: StaticString, postgreSQL: StaticString) { (self.text, ownText) = (text, postgreSQL) }

    /// The text for engines of a kind.
    @inlinable public func text(for kind: EngineKind) -> String { staticText(for: kind).description }

    @inlinable public func staticText(for kind: EngineKind) -> StaticString {
        kind == .postgreSQL ? ownText ?? text : text
    }

    public static func == (left: SQL, right: SQL) -> Bool {
        left.text.utf8Start == right.text.utf8Start && left.ownText?.utf8Start == right.ownText?.utf8Start
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text.utf8Start) }
}
