public import Foundation

/// An enumeration's raw value. A conformance without a member is enough: `enum Shift: String, AttributeConvertible`.
extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    /// Takes the raw value of a case; nil for any other value.
    public init?(attributeValue value: AttributeValue) {
        guard let raw = RawValue(attributeValue: value) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value.
    public var attributeValue: AttributeValue { rawValue.attributeValue }
    /// The kind of the raw value.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { RawValue.attributeKind }
}

extension URL: AttributeConvertible {
    /// Takes text that is an address.
    public init?(attributeValue value: AttributeValue) {
        guard let text = value.text else { return nil }
        self.init(string: text)
    }
    /// The address as text.
    public var attributeValue: AttributeValue { .string(absoluteString) }
    /// Text.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.string, false) }
}

extension UUID: AttributeConvertible {
    /// Takes the text form, in upper or lower case.
    public init?(attributeValue value: AttributeValue) {
        guard let text = value.text else { return nil }
        self.init(uuidString: text)
    }
    /// The text form in lower case, as RFC 9562 prefers.
    public var attributeValue: AttributeValue { .string(uuidString.lowercased()) }
    /// Text.
    public static var attributeKind: (kind: AttributeDefinition.Kind, isMultiValued: Bool) { (.string, false) }
}
