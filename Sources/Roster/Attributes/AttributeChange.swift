/// One change to the attributes of a user or a role. What no change names stays as it is.
///
/// Of a user, `uid` (renames), `active` and `manager` (a name or an identifier) are changed in the same way.
public enum AttributeChange: Sendable, Hashable {
    /// Gives it this value, or these values, in place of what it had.
    case set(AttributeName, AttributeValue)
    /// Adds values to a multi-valued attribute; those it has already are left alone.
    case add(AttributeName, [AttributeValue])
    /// Takes values from a multi-valued attribute; of elements with parts, those with that `value`.
    case remove(AttributeName, [AttributeValue])
    /// Leaves it without a value.
    case clear(AttributeName)

    /// The attribute that is changed.
    public var name: AttributeName {
        switch self {
        case .set(let name, _), .add(let name, _), .remove(let name, _), .clear(let name): name
        }
    }
}

extension AttributeSet {
    /// Applies a change to an attribute that is kept in the set.
    mutating func apply(_ change: AttributeChange, _ definition: AttributeDefinition) throws {
        let name = definition.name
        switch change {
        case .set(_, let value): try put(definition.checked(value), definition)
        case .clear: try put(nil, definition)
        case .add(_, let values):
            guard definition.isMultiValued else {
                guard values.count == 1, self.value(of: name) == nil, let value = values.first else {
                    throw DirectoryError(
                        .invalidAttribute, "'\(name)' has one value; there is nothing to add to.",
                        advice: "Set it instead.", attribute: name)
                }
                return try put(definition.checked(value), definition)
            }
            var elements = self[name]?.elements ?? []
            let new = try definition.checked(.list(values))?.elements ?? []
            if new.contains(where: \.isPrimary) { elements = elements.map(\.withoutPrimary) }
            elements += new.filter { value in !elements.contains { $0.withoutPrimary == value.withoutPrimary } }
            self[name] = try definition.checked(.list(elements))
        case .remove(_, let values):
            guard definition.isMultiValued else {
                if values.contains(where: { $0 == self.value(of: name) }) { try put(nil, definition) }
                return
            }
            let kept = (self[name]?.elements ?? []).filter { element in
                !values.contains { $0 == element || ($0 == element.part("value")) }
            }
            self[name] = kept.isEmpty ? nil : .list(kept)
        }
    }

    private mutating func put(_ value: AttributeValue?, _ definition: AttributeDefinition) throws {
        if let element = definition.element {
            self[element.attribute] = element.write(value, into: self[element.attribute])
        } else {
            self[definition.name] = value
        }
    }
}

extension AttributeValue {
    /// The element, not marked as the primary one.
    fileprivate var withoutPrimary: AttributeValue {
        guard case .complex(var parts) = self, parts.removeValue(forKey: "primary") != nil else { return self }
        return .element(parts)
    }
}
