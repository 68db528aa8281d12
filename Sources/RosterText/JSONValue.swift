/// A JSON value (RFC 8259). An object keeps the order of its members.
package enum JSONValue: Sendable, Hashable {
    /// A name and its value in an object.
    package struct Member: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The value.
        package var value: JSONValue
        /// Makes a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order. No two members have the same name.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A number that is written without a fraction or an exponent and that 64 bits can hold.
    case integer(Int64)
    /// Any other number. The writer writes a number that is not finite as `null`.
    case decimal(Double)
    case boolean(Bool)
    case null

    /// The value of a member; nil if the member is missing or this is not an object. Setting nil removes the member.
    package subscript(name: String) -> JSONValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): return
            }
            self = .object(members)
        }
    }

    /// The members of an object; empty for any other value.
    package var members: [Member] {
        if case .object(let members) = self { return members }
        return []
    }

    /// The elements of an array; for any other value, the value itself as the only element.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return [self]
    }

    /// The text of a string; nil for any other value.
    package var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// Whether this is `null`.
    package var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Makes a whole number.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes true or false.
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Makes an array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object with the members in this order. The names must differ.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}
