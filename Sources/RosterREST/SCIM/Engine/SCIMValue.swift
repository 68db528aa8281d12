import RosterText

/// Reading of values as clients send them into the form in which the editor keeps them (RFC 7643, section 2.3).
enum SCIMValue {
    /// A boolean that a client sent as text, as Entra ID does; nil for other text.
    static func boolean(_ text: String) -> Bool? {
        if SCIMName.isSame(text, "true") { return true }
        return SCIMName.isSame(text, "false") ? false : nil
    }

    /// Whether a value means that there is none (RFC 7643, section 2.5). Empty text means that, too, because the
    /// directory does not store empty text.
    static func isUnassigned(_ value: JSONValue) -> Bool { value.isNull || value == .string("") || value == .array([]) }
}

extension SCIMAttribute {
    /// A part of a complex value that a client gave. The value is nil if the client gave none.
    typealias GivenPart = (part: SCIMAttribute, value: JSONValue?)

    /// One value in the form in which the editor keeps it; nil if there is none. Parts that only the directory writes
    /// are left out.
    ///
    /// - Throws: ``SCIMError`` `invalidValue` for a value of another type.
    func canonical(_ value: JSONValue) throws -> JSONValue? {
        if SCIMValue.isUnassigned(value) { return nil }
        if case .array(let elements) = value {
            // Entra ID puts single values, such as the manager, into an array, and old jobs of it into an object there:
            // [{"$ref": null, "value": "…"}].
            let only = try only(of: elements)
            guard kind != .complex, let inner = only.member("value"),
                only.members.allSatisfy({ SCIMName.isSame($0.name, "value") || $0.value.isNull })
            else { return try canonical(only) }
            return try canonical(inner)
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
            // JSON's scanner rounds a number below the range of Int64 to -2^63, so that this number is refused, too.
            if number > -0x1p63, let whole = Int64(exactly: number) { return .integer(whole) }
        case (.decimal, .integer(let number)): return .decimal(Double(number))
        case (.decimal, .decimal(let number)): if number.isFinite { return value }
        case (.dateTime, .string(let text)): if Timestamp.date(text, .dateTime) != nil { return value }
        case (.binary, .string(let text)): if Base64.bytes(text) != nil { return value }
        default: break
        }
        throw mistyped()
    }

    /// The parts of a complex value that a client gave. Bare text is the `value` (a manager by identifier, `"emails":
    /// ["a@b.c"]`), and the end of a `$ref` represents the `value`.
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

    /// Sets the given parts of a complex value and removes those given as unassigned; nil if nothing is left. Parts
    /// that the directory derives (`$ref`, `displayName`) are removed if another part changes.
    func merged(into old: JSONValue?, _ given: [GivenPart]) throws -> JSONValue? {
        var new = old ?? .object([])
        for (part, value) in given { new[part.name] = value }
        if new == old { return old }
        // A part that no schema has came from the directory, which stores it. Such parts stay.
        let kept = new.members.filter { subAttribute(named: $0.name)?.isWritable != false }
        // An element without a value says nothing, whatever its type.
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

    /// The error for a value that is not of the attribute's type.
    func mistyped() -> SCIMError {
        SCIMError(.invalidValue, "'\(name)' takes \(kind.rawValue)\(isMultiValued ? ", in an array" : "").")
    }

    /// Refuses an object in which two names differ in case only, because neither value is the right one.
    static func checkNames(_ members: [JSONValue.Member]) throws {
        var seen: Set<String> = []
        for member in members where !seen.insert(SCIMName.folded(member.name)).inserted {
            throw SCIMError(.invalidSyntax, "\(SCIMError.shown(member.name)) is there twice.")
        }
    }
}
