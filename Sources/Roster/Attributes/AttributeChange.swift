/// A change to one attribute of a user or a role. Attributes without a change keep their values.
///
/// The same changes apply to a user's `uid` (which renames the user), `active` and `manager` (a name or an identifier).
public enum AttributeChange: Sendable, Hashable {
    /// Replaces all values of the attribute.
    case set(AttributeName, AttributeValue)
    /// Adds values to a multi-valued attribute, except those it already has.
    case add(AttributeName, [AttributeValue])
    /// Removes values from a multi-valued attribute. A plain value also removes the complex elements whose `value` it is.
    case remove(AttributeName, [AttributeValue])
    /// Removes all values of the attribute.
    case clear(AttributeName)

    /// The attribute to change.
    public var name: AttributeName {
        switch self {
        case .set(let name, _), .add(let name, _), .remove(let name, _), .clear(let name): name
        }
    }

    /// The same change with the directory's own name in place of a protocol's name for the attribute.
    func withOwnName(in vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) -> AttributeChange {
        guard let own = vocabulary.otherName(of: name, for: entity) else { return self }
        return switch self {
        case .set(_, let value): .set(own, value)
        case .add(_, let values): .add(own, values)
        case .remove(_, let values): .remove(own, values)
        case .clear: .clear(own)
        }
    }
}

extension AttributeChange {
    /// The same change with each value once, which is worked out before anybody waits for the change.
    var withoutRepetitions: AttributeChange {
        switch self {
        case .add(let name, let values): .add(name, values.distinct)
        case .remove(let name, let values): .remove(name, values.distinct)
        case .set, .clear: self
        }
    }
}

extension [AttributeValue] {
    fileprivate var distinct: [AttributeValue] {
        var seen: Set<AttributeValue> = []
        return filter { seen.insert($0).inserted }
    }
}

extension AttributeSet {
    /// Applies a change to an attribute of this set. The time is linear in the attribute's elements and in the change's values.
    ///
    /// - Parameter steps: The steps that are left for patterns.
    mutating func apply(_ change: AttributeChange, _ definition: AttributeDefinition, steps: inout Int) throws {
        let name = definition.name
        switch change {
        case .set(_, let value): try putChecked(value, definition, &steps)
        case .clear: try put(nil, definition)
        case .add(_, let values):
            guard definition.isMultiValued else {
                guard values.count == 1, self[name] == nil, let value = values.first else {
                    throw DirectoryError(
                        .invalidAttribute, "'\(name)' has one value; there is nothing to add to.",
                        advice: "Set it instead.", attribute: name)
                }
                return try putChecked(value, definition, &steps)
            }
            let old = self[name]
            var elements = old?.elements ?? []
            let checked = try definition.checked(.list(values))
            try definition.checkRules(of: checked, besides: old, steps: &steps)
            let new = checked?.elements ?? []
            if new.contains(where: \.isPrimary) { elements = elements.map(\.withoutPrimary) }
            let known = Set(elements.lazy.map(\.withoutPrimary))
            elements += new.filter { !known.contains($0.withoutPrimary) }
            self[name] = try definition.checked(.list(elements))
        case .remove(_, let values):
            let old = self[name]
            guard definition.isMultiValued else {
                if let old, values.contains(old) { try put(nil, definition) }
                return
            }
            let elements = old?.elements ?? []
            let present = Set(elements).union(elements.lazy.compactMap { $0.part("value") })
            let unwanted = Set(values.lazy.filter(present.contains))
            let kept = elements.filter { element in
                !unwanted.contains(element) && element.part("value").map(unwanted.contains) != true
            }
            self[name] = kept.isEmpty ? nil : .list(kept)
        }
    }

    private mutating func putChecked(
        _ value: AttributeValue, _ definition: AttributeDefinition, _ steps: inout Int
    ) throws {
        let checked = try definition.checked(value)
        try definition.checkRules(of: checked, besides: self[definition.name], steps: &steps)
        try put(checked, definition)
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
    /// The element without its mark as the primary one.
    fileprivate var withoutPrimary: AttributeValue {
        guard case .complex(var parts) = self, parts.removeValue(forKey: "primary") != nil else { return self }
        return .element(parts)
    }
}
