import Roster

/// The beginning of a page of a relation.
struct RelationPlace: Sendable {
    /// The number of entities to skip, in a relation without another order.
    var offset = 0
    /// After the group with this number; groups come before people.
    var group: Int64 = 0
    /// After the person with this number; nil while there are groups.
    var person: Int64?

    var text: String { "\(offset)_\(group)_\(person.map { String($0) } ?? "g")" }

    init() {}
    init?(_ text: String) {
        let parts = text.split(separator: "_")
        guard parts.count == 3, let offset = Int(parts[0]), let group = Int64(parts[1]) else { return nil }
        self.offset = offset
        self.group = group
        person = Int64(parts[2])
    }
}
