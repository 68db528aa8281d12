import RosterStore
import RosterText

/// The entries and keys of the attribute's values in the tables by which users are found.
extension AttributeDefinition {
    /// The name under which the table of values has the attribute's entries: the attribute's name, or for an element of a list the names
    /// of the list and of the part, such as `addresses.country`.
    var entries: String {
        if let element { return "\(element.attribute).\(element.part)" }
        return kind == .complex && !UserKeys.indexedLists.contains(name) ? "\(name).value" : name.rawValue
    }

    /// The key of a value in the table of values.
    func key(of value: AttributeValue) -> Binding? {
        guard let text = value.text, !isCaseExact else { return value.comparedKey(isCaseExact: true) }
        return .text(TextKey.of(text))
    }

    /// The key by which a value sorts.
    func sortKey(of value: AttributeValue) -> Binding? {
        value.text.map { .text(TextKey.sorting($0)) } ?? value.comparedKey(isCaseExact: true)
    }
}
