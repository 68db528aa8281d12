public import Foundation

/// One value of an attribute, or the list of values of a multi-valued one.
public enum AttributeValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction. An infinite number or NaN is refused when it is stored.
    case decimal(Double)
    /// True or false.
    case boolean(Bool)
    /// A moment, with millisecond precision.
    case time(Date)
    /// Bytes, such as a photo.
    case binary(Data)
    /// Named parts, such as the street and the country of an address.
    case complex([String: AttributeValue])
    /// The values of a multi-valued attribute, in order.
    case list([AttributeValue])

    /// The text of a string, of the `value` part of a complex value, or of the primary (else first) element of a list.
    public var text: String? {
        switch self {
        case .string(let text): text
        case .complex(let parts): parts["value"]?.text ?? parts["formatted"]?.text
        case .list(let elements): (elements.first { $0.isPrimary } ?? elements.first)?.text
        default: nil
        }
    }

    /// The elements of a list, or the single value.
    public var elements: [AttributeValue] {
        if case .list(let elements) = self { return elements }
        return [self]
    }

    /// Whether this element is marked as the primary one (RFC 7643, section 2.4).
    public var isPrimary: Bool { part("primary") == .boolean(true) }

    /// A part of a complex value. A plain value has only the part `value`.
    public func part(_ name: String) -> AttributeValue? {
        if case .complex(let parts) = self { return parts[name] }
        return name == "value" ? self : nil
    }
}

extension AttributeValue {
    /// Hashes the value. Foundation hashes the beginning of `Data` only, so that many photos could have one hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text): hasher.combine(text)
        case .integer(let number): hasher.combine(number)
        case .decimal(let number): hasher.combine(number)
        case .boolean(let flag): hasher.combine(flag)
        case .time(let date): hasher.combine(date)
        case .binary(let data): data.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .complex(let parts): hasher.combine(parts)
        case .list(let elements): hasher.combine(elements)
        }
    }
}

extension AttributeValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .decimal(value) }
    /// A list of values.
    public init(arrayLiteral elements: AttributeValue...) { self = .list(elements) }
    /// Named parts. If a name repeats, the last value counts.
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .complex(Dictionary(elements) { $1 })
    }
}

extension AttributeValue {
    /// The text of a literal with variables, such as `"\(name)"`. An optional variable does not compile, because the text would have
    /// the word `Optional`.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = ""

        /// Begins with an empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
        /// Appends a part of the literal.
        public mutating func appendLiteral(_ literal: String) { text += literal }
        /// Appends the text of a variable.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += value.description }
    }

    /// Text with the values of variables.
    public init(stringInterpolation: StringInterpolation) { self = .string(stringInterpolation.text) }

    /// The value of a variable, such as a `String` or an `Int`.
    public init(_ value: some AttributeConvertible) { self = value.attributeValue }
}
