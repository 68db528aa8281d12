import RosterStore

/// The elements of a multi-valued attribute as a filter in brackets sees them: the parts that it can compare.
package struct FilterElements: Sendable, Hashable {
    /// A part of an element, such as `type`.
    package struct Part: Sendable, Hashable {
        /// The name of the part.
        package let name: String
        /// The type of its values.
        package let kind: AttributeDefinition.Kind
        /// Whether the case of its text counts.
        package let isCaseExact: Bool
        /// Whether its values have an order.
        package let isOrdered: Bool

        /// Makes a part.
        package init(_ name: String, _ kind: AttributeDefinition.Kind, isCaseExact: Bool, isOrdered: Bool) {
            self.name = name
            self.kind = kind
            self.isCaseExact = isCaseExact
            self.isOrdered = isOrdered
        }
    }

    /// The attribute.
    let attribute: AttributeName
    /// The parts of its elements.
    let parts: [Part]
    /// Whether text must be in quotation marks.
    private let quotesText: Bool

    /// Describes the elements of an attribute of a protocol.
    package init(of attribute: AttributeName, parts: [Part]) {
        self.attribute = attribute
        self.parts = parts
        quotesText = true
    }

    /// The elements of an attribute of the directory.
    init(_ definition: AttributeDefinition) {
        attribute = definition.name
        parts = FilterTarget.parts(of: definition).map { name, kind in
            Part(
                name, kind, isCaseExact: definition.isCaseExact,
                isOrdered: kind != .boolean && kind != .binary)
        }
        quotesText = false
    }

    /// The part that a name means, whatever the name's case.
    func target(of name: String) -> FilterTarget? {
        var lowered = name.lowercased()
        // Groups are known by their names, which is all that a filter can compare of them.
        if attribute == "memberOf", lowered == "display" { lowered = "value" }
        guard let part = parts.first(where: { $0.name.lowercased() == lowered }) else { return nil }
        var target = FilterTarget(AttributePath(AttributeName(part.name)), part.kind)
        target.isOrdered = part.isOrdered
        target.quotesText = quotesText
        return target
    }
}

/// A filter over the parts of an element of a multi-valued attribute, ready to be asked of many elements.
package struct ElementFilter: Sendable, Hashable {
    private let filter: Filter
    private let elements: FilterElements
    private let condition: ElementCondition
    /// The parts that the conditions compare. A condition knows its part by the index.
    private let compared: [FilterElements.Part]

    /// Prepares a filter. Its paths are the names of parts.
    init(_ filter: Filter, of elements: FilterElements) {
        self.filter = filter
        self.elements = elements
        var compared: [FilterElements.Part] = []
        func part(_ name: String) -> FilterElements.Part {
            elements.parts.first { $0.name == name } ?? .init(name, .string, isCaseExact: false, isOrdered: true)
        }
        condition = ElementCondition(filter, isCaseExact: { part($0).isCaseExact }) { name in
            compared.append(part(name))
            return compared.count - 1
        }
        self.compared = compared
    }

    /// How many comparisons the filter has.
    package var comparisons: Int { filter.comparisons }

    /// Whether an element satisfies the filter.
    ///
    /// - Parameter value: The value of a part of the element, or nil. Text represents a value of the part's type, too.
    package func holds(for value: (String) -> AttributeValue?) -> Bool {
        condition.holds(hasPart: { value($0) != nil }) { index in
            let part = compared[index]
            var found = value(part.name) ?? AttributeValue.assumedPart(part.name)
            if case .string(let text)? = found { found = FilterLiteral.string(text).value(as: part.kind) }
            return found?.comparedKey(isCaseExact: part.isCaseExact)
        }
    }

    /// The parts that an element must have to satisfy the filter, with their values, if the filter is nothing but `eq`
    /// joined by `and`; nil for any other filter.
    package var equalities: [(part: String, value: AttributeValue)]? {
        guard let equalities = filter.equalities, Set(equalities.map(\.part)).count == equalities.count else {
            return nil
        }
        return equalities
    }

    /// Filters of the same elements are equal if they say the same.
    package static func == (left: Self, right: Self) -> Bool {
        left.filter == right.filter && left.elements == right.elements
    }

    /// Hashes the filter and the elements, which are compared.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(filter)
        hasher.combine(elements)
    }
}

extension Filter {
    fileprivate var equalities: [(part: String, value: AttributeValue)]? {
        switch self {
        case .compare(let path, .equal, let value): return [(path.partName, value)]
        case .and(let filters):
            var all: [(part: String, value: AttributeValue)] = []
            for filter in filters {
                guard let some = filter.equalities else { return nil }
                all += some
            }
            return all
        case .compare, .present, .or, .not, .element, .everything, .below: return nil
        }
    }
}

/// A filter over the parts of one element, with operands in the form in which values are compared.
indirect enum ElementCondition: Sendable {
    case constant(Bool)
    case and([ElementCondition])
    case or([ElementCondition])
    case not(ElementCondition)
    case present(part: String)
    /// The number that the caller gave to the part, and the comparison with it.
    case compare(column: Int, Condition)

    /// - Parameters:
    ///   - isCaseExact: Whether the case of a part's text counts.
    ///   - column: Gives a number to a part.
    init(_ filter: Filter, isCaseExact: (String) -> Bool, column: (String) -> Int) {
        switch filter {
        case .everything: self = .constant(true)
        case .and(let filters): self = .and(filters.map { Self($0, isCaseExact: isCaseExact, column: column) })
        case .or(let filters): self = .or(filters.map { Self($0, isCaseExact: isCaseExact, column: column) })
        case .not(let filter): self = .not(Self(filter, isCaseExact: isCaseExact, column: column))
        case .present(let path): self = .present(part: path.partName)
        case .element, .below: self = .constant(false)
        case .compare(let path, let comparison, let operand):
            let name = path.partName
            let isCaseExact = isCaseExact(name)
            let condition = Self.compare(
                column: column(name),
                Condition(comparison, operand.operandKey(isCaseExact: isCaseExact), isCaseExact: isCaseExact))
            self = comparison == .notEqual ? .not(condition) : condition
        }
    }

    /// Whether an element satisfies the filter.
    ///
    /// - Parameters:
    ///   - hasPart: Whether the element has a part.
    ///   - key: The value of the part with that number, in the form in which values are compared.
    func holds(hasPart: (String) -> Bool, key: (Int) throws -> Binding?) rethrows -> Bool {
        switch self {
        case .constant(let holds): return holds
        case .and(let conditions): return try conditions.allSatisfy { try $0.holds(hasPart: hasPart, key: key) }
        case .or(let conditions): return try conditions.contains { try $0.holds(hasPart: hasPart, key: key) }
        case .not(let condition): return try !condition.holds(hasPart: hasPart, key: key)
        case .present(let part): return hasPart(part)
        case .compare(let column, let condition): return try key(column).map(condition.holds) ?? false
        }
    }
}
