import RosterText

/// Values as clients send them, brought into the one form in which the engine keeps them (RFC 7643, section 2.3).
enum SCIMValue {
    /// A boolean that came as text, as Entra ID sends it.
    static func boolean(_ text: String) -> Bool? {
        if SCIMName.isSame(text, "true") { return true }
        return SCIMName.isSame(text, "false") ? false : nil
    }

    /// Whether it says that there is no value (RFC 7643, section 2.5). Empty text is none either: the directory does
    /// not tell it from none.
    static func isUnassigned(_ value: JSONValue) -> Bool { value.isNull || value == .string("") || value == .array([]) }
}

extension SCIMAttribute {
    /// A part of a complex value that was given; nil as its value where it was given as unassigned.
    typealias GivenPart = (part: SCIMAttribute, value: JSONValue?)

    /// One value in the form in which it is kept; nil where it is unassigned. What the directory alone writes is
    /// left out.
    ///
    /// - Throws: ``SCIMError`` `invalidValue` for a value of another type.
    func canonical(_ value: JSONValue) throws -> JSONValue? {
        if SCIMValue.isUnassigned(value) { return nil }
        if case .array(let elements) = value {
            // Entra ID wraps single values, such as the manager.
            return try canonical(only(of: elements))
        }
        if case .string(let text) = value, text.utf8.contains(0) {
            throw SCIMError(.invalidValue, "'\(name)' was given text with a NUL character.")
        }
        switch (kind, value) {
        case (.complex, _): return try merged(into: nil, givenParts(value))
        case (.string, .string), (.reference, .string), (.boolean, .boolean), (.integer, .integer): return value
        case (.boolean, .string(let text)):
            if let isTrue = SCIMValue.boolean(text) { return .boolean(isTrue) }
        case (.integer, .decimal(let number)):
            if let whole = Int64(exactly: number) { return .integer(whole) }
        case (.decimal, .integer(let number)): return .decimal(Double(number))
        case (.decimal, .decimal(let number)): if number.isFinite { return value }
        case (.dateTime, .string(let text)): if Timestamp.date(text, .dateTime) != nil { return value }
        case (.binary, .string(let text)): if Base64.bytes(text) != nil { return value }
        default: break
        }
        throw mistyped()
    }

    /// The parts that a complex value gives. Bare text is the `value` (a manager by id, `"emails": ["a@b.c"]`), and a
    /// `$ref` stands for the id at its end.
    func givenParts(_ value: JSONValue) throws -> [GivenPart] {
        if case .string = value, let part = subAttribute(named: "value") { return [(part, try part.canonical(value))] }
        if case .array(let elements) = value { return try givenParts(only(of: elements)) }
        guard case .object(let members) = value else { throw mistyped() }
        try Self.checkNames(members)
        var given: [GivenPart] = []
        var reference: JSONValue?
        for member in members {
            guard let part = subAttribute(named: member.name) else {
                throw SCIMError.unknownAttribute("\(name).\(member.name)", inPath: false)
            }
            if part.isWritable { given.append((part, try part.canonical(member.value))) }
            if part.name == "$ref" { reference = member.value }
        }
        if let part = subAttribute(named: "value"), part.isWritable,
            !given.contains(where: { $0.part.name == "value" }),
            let address = reference?.text, let id = address.split(separator: "/").last
        {
            given.append((part, .string(String(id))))
        }
        return given
    }

    /// A complex value with parts put in, and those given as unassigned taken out; nil where nothing is left. Parts
    /// that the directory derives from the others (`$ref`, `displayName`) go when those change.
    func merged(into old: JSONValue?, _ given: [GivenPart]) throws -> JSONValue? {
        var new = old ?? .object([])
        for (part, value) in given { new[part.name] = value }
        if new == old { return old }
        // Parts that no schema has came from the directory, which may store them; they stay.
        let kept = new.members.filter { subAttribute(named: $0.name)?.isWritable != false }
        // Without its value an element says nothing, whatever its type.
        if let value = subAttribute(named: "value"), !kept.contains(where: { $0.name == "value" }) {
            if value.isRequired { throw SCIMError(.invalidValue, "'\(name)' needs a 'value'.") }
            return nil
        }
        return kept.isEmpty ? nil : .object(kept)
    }

    /// The one value of an array.
    private func only(of elements: [JSONValue]) throws -> JSONValue {
        guard elements.count == 1, let only = elements.first else { throw mistyped() }
        if case .array = only { throw mistyped() }
        return only
    }

    /// That a value is not of the attribute's type.
    func mistyped() -> SCIMError {
        SCIMError(.invalidValue, "'\(name)' takes \(kind.rawValue)\(isMultiValued ? ", in an array" : "").")
    }

    /// Refuses objects in which a name stands twice in different case: neither value is the right one.
    static func checkNames(_ members: [JSONValue.Member]) throws {
        var seen: Set<String> = []
        for member in members where !seen.insert(SCIMName.folded(member.name)).inserted {
            throw SCIMError(.invalidSyntax, "\(SCIMError.shown(member.name)) stands there twice.")
        }
    }
}
