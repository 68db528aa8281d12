package import RosterText

extension DirectoryError {
    /// The members of a problem (RFC 9457) that tell the error, besides those for people.
    package var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("code", .string(code.description)), .init("problem", .string(problem)),
        ]
        if let advice { members.append(.init("advice", .string(advice))) }
        if let attribute { members.append(.init("attribute", .string(attribute.rawValue))) }
        if let place { members.append(.init("place", place.json)) }
        return members
    }

    /// Reads the error from a problem; nil if the problem has no code of this version.
    package init?(problem json: JSONValue) {
        guard let kind = json["code"]?.text.flatMap(Code.Kind.init(rawValue:)) else { return nil }
        func text(_ name: String) -> String? { json[name]?.text.map { ShownText.plain($0, limit: 1_000) } }
        self.init(
            kind, text("problem") ?? text("detail") ?? "The server cannot do that now.", advice: text("advice"),
            attribute: json["attribute"]?.text.map { AttributeName($0) },
            at: json["place"].map(Place.init))
    }
}

extension DirectoryError.Place {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = []
        for (name, text) in [("file", file), ("field", field)] {
            if let text { members.append(.init(name, .string(text))) }
        }
        for (name, number) in [("line", line), ("column", column), ("operation", operation)] {
            if let number { members.append(.init(name, .integer(Int64(number)))) }
        }
        return .object(members)
    }

    fileprivate init(_ json: JSONValue) {
        func number(_ name: String) -> Int? {
            if case .integer(let number)? = json[name] { return Int(exactly: number) }
            return nil
        }
        self.init(
            file: json["file"]?.text.map { ShownText.plain($0) }, line: number("line"), column: number("column"),
            field: json["field"]?.text.map { ShownText.plain($0) },
            operation: number("operation"))
    }
}
