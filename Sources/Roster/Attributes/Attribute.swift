public import Foundation

/// The name of an attribute together with the type of its values, so that they are read and written without casts.
///
/// ```swift
/// enum Company {
///     static let badge = Attribute<Int>("badge")
/// }
/// try view.users.modify("ada", [.set(Company.badge, 42)])
/// let badge = try view.users.user("ada")[Company.badge]
/// ```
public struct Attribute<Value: AttributeConvertible>: Sendable, Hashable {
    /// The name.
    public let name: AttributeName

    /// Names an attribute whose values have the type.
    public init(_ name: AttributeName) { self.name = name }
}

/// A type whose values an attribute can have: text, numbers, `Bool`, `Date`, `Data`, `URL`, `UUID`, enumerations with a raw
/// value of these types, and arrays of them.
public protocol AttributeConvertible: Sendable {
    /// Converts an attribute's value; nil for a value of another kind.
    init?(attributeValue value: AttributeValue)
    /// The value as an ``AttributeValue``.
    var attributeValue: AttributeValue { get }
    /// The kind of the attribute, and whether it has several values.
    static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { get }
}

extension AttributeValue: AttributeConvertible {
    /// Takes the value as it is.
    public init?(attributeValue value: AttributeValue) { self = value }
    /// The value itself.
    public var attributeValue: AttributeValue { self }
    /// Named parts.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.complex, false) }
}

extension String: AttributeConvertible {
    /// Takes text, or the text of an element: see ``AttributeValue/text``.
    public init?(attributeValue value: AttributeValue) {
        guard let text = value.text else { return nil }
        self = text
    }
    /// Text.
    public var attributeValue: AttributeValue { .string(self) }
    /// Text.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.string, false) }
}

extension Int64: AttributeConvertible {
    /// Takes a whole number.
    public init?(attributeValue value: AttributeValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
    /// A whole number.
    public var attributeValue: AttributeValue { .integer(self) }
    /// A whole number.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.integer, false) }
}

extension Int: AttributeConvertible {
    /// Takes a whole number that the platform's integers can hold.
    public init?(attributeValue value: AttributeValue) {
        guard let number = Int64(attributeValue: value), let exact = Int(exactly: number) else { return nil }
        self = exact
    }
    /// A whole number.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
    /// A whole number.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.integer, false) }
}

extension Double: AttributeConvertible {
    /// Takes a number, also a whole one.
    public init?(attributeValue value: AttributeValue) {
        switch value {
        case .decimal(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }
    /// A number.
    public var attributeValue: AttributeValue { .decimal(self) }
    /// A number.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.decimal, false) }
}

extension Bool: AttributeConvertible {
    /// Takes true or false.
    public init?(attributeValue value: AttributeValue) {
        guard case .boolean(let isTrue) = value else { return nil }
        self = isTrue
    }
    /// True or false.
    public var attributeValue: AttributeValue { .boolean(self) }
    /// True or false.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.boolean, false) }
}

extension Date: AttributeConvertible {
    /// Takes a moment.
    public init?(attributeValue value: AttributeValue) {
        guard case .time(let date) = value else { return nil }
        self = date
    }
    /// A moment, which the directory keeps to the millisecond.
    public var attributeValue: AttributeValue { .time(self) }
    /// A moment.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.time, false) }
}

extension Data: AttributeConvertible {
    /// Takes bytes.
    public init?(attributeValue value: AttributeValue) {
        guard case .binary(let data) = value else { return nil }
        self = data
    }
    /// Bytes.
    public var attributeValue: AttributeValue { .binary(self) }
    /// Bytes.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.binary, false) }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
    /// Takes a list of such values, or one of them.
    public init?(attributeValue value: AttributeValue) {
        let elements = value.elements.map { Element(attributeValue: $0) }
        guard !elements.contains(where: { $0 == nil }) else { return nil }
        self = elements.compactMap { $0 }
    }
    /// A list.
    public var attributeValue: AttributeValue { .list(map(\.attributeValue)) }
    /// The kind of the elements, with several values.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) {
        (Element.attributeKind.kind, true)
    }
}

extension User {
    /// The fetched value of an attribute; nil if there is none, or if the value has another kind.
    public subscript<Value>(attribute: Attribute<Value>) -> Value? {
        self[attribute.name].flatMap { Value(attributeValue: $0) }
    }
}

extension Role {
    /// The fetched value of an attribute; nil if there is none, or if the value has another kind.
    public subscript<Value>(attribute: Attribute<Value>) -> Value? {
        self[attribute.name].flatMap { Value(attributeValue: $0) }
    }
}

extension AttributeSet {
    /// The value of an attribute; nil if there is none, or if the value has another kind. Setting nil removes the value.
    public subscript<Value>(attribute: Attribute<Value>) -> Value? {
        get { self[attribute.name].flatMap { Value(attributeValue: $0) } }
        set { self[attribute.name] = newValue?.attributeValue }
    }
}

extension AttributeChange {
    /// Replaces the value of an attribute by a `String`, a number or another value of the app's own.
    @_disfavoredOverload
    public static func set(_ name: AttributeName, _ value: some AttributeConvertible) -> AttributeChange {
        .set(name, value.attributeValue)
    }
    /// Replaces the value of an attribute.
    public static func set<Value>(_ attribute: Attribute<Value>, _ value: Value) -> AttributeChange {
        .set(attribute.name, value.attributeValue)
    }
    /// Removes the value of an attribute.
    public static func clear<Value>(_ attribute: Attribute<Value>) -> AttributeChange { .clear(attribute.name) }
}

extension Filter {
    /// The path of an attribute.
    public static func attribute<Value>(_ attribute: Attribute<Value>) -> AttributePath {
        AttributePath(attribute.name)
    }
}
