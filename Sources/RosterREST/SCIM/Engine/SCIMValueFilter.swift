import Roster
package import RosterText

/// Which elements of a multi-valued attribute are meant (RFC 7644, section 3.4.2.2, `valFilter`).
package indirect enum SCIMValueFilter: Sendable, Hashable {
    /// How values are compared.
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "eq"
        case notEqual = "ne"
        case contains = "co"
        case starts = "sw"
        case ends = "ew"
        case greater = "gt"
        case greaterOrEqual = "ge"
        case less = "lt"
        case lessOrEqual = "le"
    }

    /// A part compares so with a value.
    case compare(SCIMAttribute, Comparison, SCIMOperand)
    /// A part has a value.
    case present(SCIMAttribute)
    /// All of them hold.
    case and([SCIMValueFilter])
    /// One of them holds.
    case or([SCIMValueFilter])
    /// It does not hold.
    case not(SCIMValueFilter)

    /// Whether an element is meant. Where a part is missing, `ne` holds and nothing else; but `primary` is false then
    /// (RFC 7643, section 2.4). An element that is no object is its own `value`.
    package func holds(for element: JSONValue) -> Bool {
        switch self {
        case .and(let filters): filters.allSatisfy { $0.holds(for: element) }
        case .or(let filters): filters.contains { $0.holds(for: element) }
        case .not(let filter): !filter.holds(for: element)
        case .present(let part): Self.value(of: part, in: element) != nil
        case .compare(let part, let comparison, let operand):
            if let value = Self.value(of: part, in: element) ?? (part.name == "primary" ? false : nil),
                let found = SCIMOperand(value, of: part)
            {
                operand.holds(comparison, for: found)
            } else {
                comparison == .notEqual
            }
        }
    }

    /// What an element has for certain if the filter holds for it: the operands of `eq` that are joined by `and`. Nil
    /// where the filter says anything else, so that no element can be made of it.
    var equalities: [(part: SCIMAttribute, operand: SCIMOperand)]? {
        switch self {
        case .compare(let part, .equal, let operand): return [(part, operand)]
        case .and(let filters):
            var all: [(part: SCIMAttribute, operand: SCIMOperand)] = []
            for filter in filters {
                guard let some = filter.equalities else { return nil }
                all += some
            }
            return Set(all.map(\.part.name)).count == all.count ? all : nil
        case .compare, .present, .or, .not: return nil
        }
    }

    private static func value(of part: SCIMAttribute, in element: JSONValue) -> JSONValue? {
        if case .object = element { return element[part.name] }
        return part.name == "value" ? element : nil
    }
}

/// A value in the form in which it is compared.
package enum SCIMOperand: Sendable, Hashable {
    /// Text as it was written, and as it is compared.
    case text(String, key: String)
    case integer(Int64)
    case decimal(Double)
    case boolean(Bool)
    /// The text, and its milliseconds since 1970.
    case time(String, Int64)

    /// Nil where the value is not of the attribute's type. `"True"` is taken for a boolean.
    init?(_ value: JSONValue, of attribute: SCIMAttribute) {
        switch (attribute.kind, value) {
        case (.string, .string(let text)), (.reference, .string(let text)), (.binary, .string(let text)):
            self = .text(text, key: attribute.isCaseExact ? text : text.lowercased())
        case (.boolean, .boolean(let isTrue)): self = .boolean(isTrue)
        case (.boolean, .string(let text)):
            guard let isTrue = SCIMValue.boolean(text) else { return nil }
            self = .boolean(isTrue)
        case (.integer, .integer(let number)), (.decimal, .integer(let number)): self = .integer(number)
        case (.integer, .decimal(let number)), (.decimal, .decimal(let number)): self = .decimal(number)
        case (.dateTime, .string(let text)):
            guard let time = Timestamp.date(text, .dateTime)?.milliseconds else { return nil }
            self = .time(text, time)
        default: return nil
        }
    }

    /// The value in JSON.
    var json: JSONValue {
        switch self {
        case .text(let text, _), .time(let text, _): .string(text)
        case .integer(let number): .integer(number)
        case .decimal(let number): .decimal(number)
        case .boolean(let isTrue): .boolean(isTrue)
        }
    }

    /// Whether the value that was found compares so with this one (RFC 7644, table 3).
    func holds(_ comparison: SCIMValueFilter.Comparison, for found: SCIMOperand) -> Bool {
        switch (found, self) {
        case (.text(_, let found), .text(_, let key)):
            switch comparison {
            case .contains: ByteText(key, isContained: true).isContained(in: found)
            case .starts: found.utf8.starts(with: key.utf8)
            case .ends: found.utf8.reversed().starts(with: key.utf8.reversed())
            case .equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual:
                Self.holds(comparison, found, key) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
        case (.boolean(let found), .boolean(let value)): comparison == .equal ? found == value : found != value
        case (.time(_, let found), .time(_, let value)), (.integer(let found), .integer(let value)):
            Self.holds(comparison, found, value, <)
        default:
            if let found = found.number, let value = number {
                Self.holds(comparison, found, value, <)
            } else {
                comparison == .notEqual
            }
        }
    }

    private var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .decimal(let number): number
        case .text, .boolean, .time: nil
        }
    }

    private static func holds<Value: Equatable>(
        _ comparison: SCIMValueFilter.Comparison, _ found: Value, _ value: Value, _ isLess: (Value, Value) -> Bool
    ) -> Bool {
        switch comparison {
        case .equal: found == value
        case .notEqual: found != value
        case .greater: isLess(value, found)
        case .greaterOrEqual: found == value || isLess(value, found)
        case .less: isLess(found, value)
        case .lessOrEqual: found == value || isLess(found, value)
        case .contains, .starts, .ends: false
        }
    }
}
