/// The readers of the elements of a list such as `phoneNumbers`, by the type of the element.
///
/// Elements of the type `work`, and elements without a type, have the readers of the list. Elements of other types have
/// the readers of their view (`mobile`, `homePhone`, `homeAddress` …); with several views the smallest group counts.
/// Elements without a view are private unless the readers of the list itself were set.
struct ElementReaders: Sendable {
    private let byType: [String: AttributeDefinition.Readers]
    private let others: AttributeDefinition.Readers
    /// The smallest group of readers of any element.
    let narrowest: AttributeDefinition.Readers

    init(byType: [String: AttributeDefinition.Readers], others: AttributeDefinition.Readers) {
        self.byType = byType
        self.others = others
        narrowest = byType.values.reduce(others, min)
    }

    func readers(ofType type: String) -> AttributeDefinition.Readers { byType[type] ?? others }

    func shows(_ element: AttributeValue, to group: AttributeDefinition.Readers) -> Bool {
        guard let type = element.part("type") else { return readers(ofType: "work") >= group }
        return (type.text.map { readers(ofType: $0.lowercased()) } ?? others) >= group
    }

    /// The elements of a list that a group may read; nil if there are none.
    func shown(_ list: AttributeValue, to group: AttributeDefinition.Readers) -> AttributeValue? {
        if narrowest >= group { return list }
        let elements = list.elements.filter { shows($0, to: group) }
        return elements.isEmpty ? nil : .list(elements)
    }
}
