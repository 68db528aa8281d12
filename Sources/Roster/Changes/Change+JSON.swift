package import RosterText

extension Change {
    /// The entry for programs.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [.init("sequence", .integer(sequence))]
        if kind == .pruned { members.append(.init("first", .integer(first))) }
        members += [
            .init("time", .string(Timestamp.text(time))), .init("actor", .string(actor)),
            .init("kind", .string("\(kind)")), .init("entity", .string("\(entity)")),
            .init("id", .string(subjectID)), .init("name", .string(name)), .init("before", before.jsonObject),
            .init("after", after.jsonObject),
        ]
        if let batch { members.append(.init("batch", .integer(batch))) }
        if kind.isSignIn {
            members += [.init("count", .integer(count)), .init("last_time", .string(Timestamp.text(lastTime)))]
        }
        return .object(members)
    }
}

extension AttributeSet {
    /// The values by name.
    package var jsonObject: JSONValue { .object(map { .init($0.name.rawValue, JSONValue($0.value)) }) }
}
