import Foundation

/// An attribute path of a filter, resolved: where its values stand in a record, and how they are compared.
struct ResolvedPath: Sendable {
    let definition: AttributeDefinition
    /// The attribute that is stored: `emails` for `mail`.
    let stored: AttributeName
    /// Set where only elements of a type are meant: `mobile`.
    let element: AttributeDefinition.Element?
    let part: String?
    /// Set where the caller may not read elements of every type: then only those count that everyone may read.
    let elementReaders: ElementReaders?

    init(_ path: AttributePath, _ definition: AttributeDefinition, _ elementReaders: ElementReaders?) {
        self.definition = definition
        self.elementReaders = elementReaders
        element = definition.element
        stored = definition.element?.attribute ?? definition.name
        part = definition.element?.part ?? path.part
    }

    /// The elements in a record that count for the caller.
    func elements(in record: AttributeSet) -> [AttributeValue] {
        guard let value = record[stored] else { return [] }
        guard let elementReaders else { return value.elements }
        return value.elements.filter { elementReaders.shows($0, to: .signedIn) }
    }

    /// The values in a record; those to be compared with what counts where nothing is said.
    func values(in record: AttributeSet, isCompared: Bool = false) -> [AttributeValue] {
        elements(in: record).compactMap { element in
            if let selection = self.element, !selection.selects(element) { return nil }
            if let part { return isCompared ? element.comparedPart(part) : element.part(part) }
            return definition.kind == .complex ? element.part("value") ?? element.part("formatted") : element
        }
    }
}

/// A comparison with its operand in the form in which values are compared.
struct Condition: Sendable {
    let comparison: Filter.Comparison
    let operand: Binding
    let isCaseExact: Bool

    func holds(for value: AttributeValue) -> Bool {
        let key: Binding
        switch value {
        case .string(let text): key = .text(isCaseExact ? text : FoldedText.of(text))
        case .integer(let number): key = .integer(number)
        case .decimal(let number): key = .real(number)
        case .boolean(let isTrue): key = .integer(isTrue ? 1 : 0)
        case .time(let date): key = .integer(date.milliseconds)
        case .binary, .complex, .list: return false
        }
        return holds(forKey: key)
    }

    func holds(forKey key: Binding) -> Bool {
        if case .text(let text) = key, case .text(let operand) = operand {
            switch comparison {
            case .equal, .notEqual: return text == operand && text.utf8.elementsEqual(operand.utf8)
            case .contains: return operand.isEmpty || Array(text.utf8).contains(run: Array(operand.utf8))
            case .starts: return text.utf8.starts(with: operand.utf8)
            case .ends: return text.utf8.reversed().starts(with: operand.utf8.reversed())
            case .greater: return operand.utf8.lexicographicallyPrecedes(text.utf8)
            case .greaterOrEqual: return !text.utf8.lexicographicallyPrecedes(operand.utf8)
            case .less: return text.utf8.lexicographicallyPrecedes(operand.utf8)
            case .lessOrEqual: return !operand.utf8.lexicographicallyPrecedes(text.utf8)
            }
        }
        guard let number = key.number, let other = operand.number else { return false }
        switch comparison {
        case .equal, .notEqual: return number == other
        case .greater: return number > other
        case .greaterOrEqual: return number >= other
        case .less: return number < other
        case .lessOrEqual: return number <= other
        case .contains, .starts, .ends: return false
        }
    }
}

extension Binding {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }
}

extension Filter {
    /// Whether one element of a multi-valued attribute satisfies a filter over its parts.
    func holds(forElement element: AttributeValue, isCaseExact: Bool) -> Bool {
        switch self {
        case .everything: return true
        case .and(let filters): return filters.allSatisfy { $0.holds(forElement: element, isCaseExact: isCaseExact) }
        case .or(let filters): return filters.contains { $0.holds(forElement: element, isCaseExact: isCaseExact) }
        case .not(let filter): return !filter.holds(forElement: element, isCaseExact: isCaseExact)
        case .present(let path): return element.part(path.partName) != nil
        case .element: return false
        case .compare(let path, let comparison, let operand):
            let condition = Condition(
                comparison: comparison, operand: operand.operandKey(isCaseExact: isCaseExact), isCaseExact: isCaseExact)
            let holds = element.comparedPart(path.partName).map(condition.holds) ?? false
            return comparison == .notEqual ? !holds : holds
        }
    }
}

extension AttributePath {
    /// The part that a path within an element names: parsers write `type` as an attribute, or as a part of one.
    var partName: String { part ?? attribute.rawValue }
}

extension AttributeValue {
    /// The part of an element as filters see it: whatever does not say that it is the primary one is not
    /// (RFC 7643, section 2.4).
    func comparedPart(_ name: String) -> AttributeValue? { part(name) ?? (name == "primary" ? .boolean(false) : nil) }

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

extension Array where Element == UInt8 {
    /// Whether the bytes stand somewhere in these.
    fileprivate func contains(run other: [UInt8]) -> Bool {
        guard other.count <= count else { return false }
        return (0...(count - other.count)).contains { start in self[start..<(start + other.count)].elementsEqual(other)
        }
    }
}
