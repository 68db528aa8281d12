import Foundation
import RosterStore
import RosterText

/// An attribute path of a filter, resolved: which values of a record it means, and how they are compared.
struct ResolvedPath: Sendable {
    let definition: AttributeDefinition
    /// The attribute that is stored: `emails` for `mail`.
    let stored: AttributeName
    /// The kind of element that the path means, as `mobile` means phone numbers of one type; nil if it means all elements.
    let element: AttributeDefinition.Element?
    let part: String?
    /// The readers of the elements if the caller may not read every element; only elements that all may read count then.
    let elementReaders: ElementReaders?

    init(_ path: AttributePath, _ definition: AttributeDefinition, _ elementReaders: ElementReaders?) {
        self.definition = definition
        self.elementReaders = elementReaders
        element = definition.element
        stored = definition.element?.attribute ?? definition.name
        part = definition.element?.part ?? path.part
    }

    /// The elements in a record that count for the caller.
    func elements(in record: ResidualRecord) -> [AttributeValue] {
        (record.value(of: stored)?.elements ?? []).filter(counts)
    }

    /// Whether an element counts for the caller.
    func counts(_ element: AttributeValue) -> Bool { elementReaders?.shows(element, to: .signedIn) ?? true }

    /// The value that an element has for the path; nil if it has none.
    ///
    /// - Parameter isCompared: Whether the value is compared, so that a missing `primary` counts as false.
    func value(in element: AttributeValue, isCompared: Bool = false) -> AttributeValue? {
        guard counts(element) else { return nil }
        if let selection = self.element, !selection.selects(element) { return nil }
        if let part { return isCompared ? element.comparedPart(part) : element.part(part) }
        return definition.kind == .complex ? element.part("value") ?? element.part("formatted") : element
    }

    /// The column of the values that a condition compares.
    var column: ResidualColumn {
        ResidualColumn(stored: stored, isCaseExact: definition.isCaseExact) { value(in: $0, isCompared: true) }
    }
}

/// A comparison with its operand, which is kept in the form in which values are compared.
struct Condition: Sendable {
    private let comparison: Filter.Comparison
    private let text: ByteText?
    /// Whether text is compared by its ``TextKey``, which has the order of the results.
    private let isByKey: Bool
    private let integer: Int64?
    private let number: Double?

    init(_ comparison: Filter.Comparison, _ operand: Binding, isCaseExact: Bool) {
        self.comparison = comparison
        isByKey = !isCaseExact && [.greater, .greaterOrEqual, .less, .lessOrEqual].contains(comparison)
        if case .text(let text) = operand {
            self.text = ByteText(isByKey ? TextKey.of(folded: text) : text, isContained: comparison == .contains)
        } else {
            text = nil
        }
        integer = operand.integer
        number = operand.number
    }

    /// Whether a value compares so with the operand. For ``Filter/Comparison/notEqual`` this answers whether both are equal.

    func holds(for key: Binding) -> Bool {
        if case .text(let found) = key, let text {
            let key = isByKey ? TextKey.of(folded: found) : found
            switch comparison {
            case .equal, .notEqual: return text.isEqual(to: key)
            case .contains: return text.isContained(in: key)
            case .starts: return text.begins(key)
            case .ends: return text.ends(key)
            case .greater: return text.precedes(key)
            case .greaterOrEqual: return !text.follows(key)
            case .less: return text.follows(key)
            case .lessOrEqual: return !text.precedes(key)
            }
        }
        // A double cannot hold every whole number of 64 bits.
        if let found = key.integer, let integer { return holds(found, integer) }
        guard let found = key.number, let number else { return false }
        return holds(found, number)
    }

    private func holds<Number: Comparable>(_ found: Number, _ operand: Number) -> Bool {
        switch comparison {
        case .equal, .notEqual: found == operand
        case .greater: found > operand
        case .greaterOrEqual: found >= operand
        case .less: found < operand
        case .lessOrEqual: found <= operand
        case .contains, .starts, .ends: false
        }
    }
}

extension Binding {
    fileprivate var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }
}

extension AttributePath {
    /// The name of the part that a path within an element means. Parsers write `type` as an attribute or as a part of one.
    var partName: String { part ?? attribute.rawValue }
}

extension AttributeValue {
    /// The part of an element as filters compare it. An element without `primary` is not the primary one (RFC 7643,
    /// section 2.4).
    func comparedPart(_ name: String) -> AttributeValue? { part(name) ?? Self.assumedPart(name) }

    /// The value that filters assume for a part that an element does not have; nil if they assume none.
    static func assumedPart(_ name: String) -> AttributeValue? { name == "primary" ? .boolean(false) : nil }

    /// The form in which a value of a record is compared; nil if values of its type cannot be compared.
    func comparedKey(isCaseExact: Bool) -> Binding? {
        let key = operandKey(isCaseExact: isCaseExact)
        return key == .null ? nil : key
    }

    /// The form in which an operand is compared.
    func operandKey(isCaseExact: Bool) -> Binding {
        switch self {
        case .string(let text): .text(isCaseExact ? text : FoldedText.of(text))
        case .integer(let number): .integer(number)
        case .decimal(let number): .real(number)
        case .boolean(let isTrue): .integer(isTrue ? 1 : 0)
        case .time(let date): .integer(date.milliseconds)
        case .binary, .complex, .list: .null
        }
    }
}
