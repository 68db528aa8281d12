import Foundation
import RosterStore
import RosterText

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
    func elements(in record: ResidualRecord) -> [AttributeValue] {
        (record.value(of: stored)?.elements ?? []).filter(counts)
    }

    /// Whether an element counts for the caller.
    func counts(_ element: AttributeValue) -> Bool { elementReaders?.shows(element, to: .signedIn) ?? true }

    /// What an element has of the path.
    ///
    /// - Parameter isCompared: Whether it is to be compared, with what counts where nothing is said.
    func value(in element: AttributeValue, isCompared: Bool = false) -> AttributeValue? {
        guard counts(element) else { return nil }
        if let selection = self.element, !selection.selects(element) { return nil }
        if let part { return isCompared ? element.comparedPart(part) : element.part(part) }
        return definition.kind == .complex ? element.part("value") ?? element.part("formatted") : element
    }

    /// The column of the values that are compared.
    var column: ResidualColumn {
        ResidualColumn(stored: stored, isCaseExact: definition.isCaseExact) { value(in: $0, isCompared: true) }
    }
}

/// A comparison with its operand in the form in which values are compared.
struct Condition: Sendable {
    private let comparison: Filter.Comparison
    private let text: ByteText?
    private let number: Double?

    init(_ comparison: Filter.Comparison, _ operand: Binding) {
        self.comparison = comparison
        if case .text(let text) = operand {
            self.text = ByteText(text, isContained: comparison == .contains)
        } else {
            text = nil
        }
        number = operand.number
    }

    func holds(for key: Binding) -> Bool {
        if case .text(let key) = key, let text {
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
        guard let found = key.number, let number else { return false }
        switch comparison {
        case .equal, .notEqual: return found == number
        case .greater: return found > number
        case .greaterOrEqual: return found >= number
        case .less: return found < number
        case .lessOrEqual: return found <= number
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

/// A filter over the parts of one element of a multi-valued attribute, ready to be asked of many records.
indirect enum ElementCondition: Sendable {
    case constant(Bool)
    case and([ElementCondition])
    case or([ElementCondition])
    case not(ElementCondition)
    case present(part: String)
    /// The number of the column that has the part of each element.
    case compare(column: Int, Condition)

    /// - Parameter column: Gives the number of the column that has a part.
    init(_ filter: Filter, isCaseExact: Bool, column: (String) -> Int) {
        switch filter {
        case .everything: self = .constant(true)
        case .and(let filters): self = .and(filters.map { Self($0, isCaseExact: isCaseExact, column: column) })
        case .or(let filters): self = .or(filters.map { Self($0, isCaseExact: isCaseExact, column: column) })
        case .not(let filter): self = .not(Self(filter, isCaseExact: isCaseExact, column: column))
        case .present(let path): self = .present(part: path.partName)
        case .element: self = .constant(false)
        case .compare(let path, let comparison, let operand):
            let condition = Self.compare(
                column: column(path.partName), Condition(comparison, operand.operandKey(isCaseExact: isCaseExact)))
            self = comparison == .notEqual ? .not(condition) : condition
        }
    }

    /// Whether the element at a place satisfies the filter.
    func holds(for element: AttributeValue, at index: Int, in record: ResidualRecord) throws -> Bool {
        switch self {
        case .constant(let holds): return holds
        case .and(let conditions):
            return try conditions.allSatisfy { try $0.holds(for: element, at: index, in: record) }
        case .or(let conditions): return try conditions.contains { try $0.holds(for: element, at: index, in: record) }
        case .not(let condition): return try !condition.holds(for: element, at: index, in: record)
        case .present(let part): return element.part(part) != nil
        case .compare(let column, let condition):
            try record.step()
            let keys = try record.keys(ofColumn: column)
            guard keys.indices.contains(index), let key = keys[index] else { return false }
            return condition.holds(for: key)
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

    /// The form in which a value of a record is compared; nil for what cannot be compared.
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
