import RosterText

/// What may happen to the elements of a multi-valued attribute (RFC 7643, section 2.4; RFC 7644, section 3.5.2). Every
/// operation is linear in the elements, so that large groups do not cost the square of their size.
extension SCIMAttribute {
    /// The elements that a value gives: an array, or a single one. Those that the directory alone writes are passed over.
    func canonicalElements(_ value: JSONValue) throws -> [JSONValue] {
        let elements = try value.elements.compactMap { element in
            if case .array = element { throw mistyped() }
            return try canonical(element)
        }.filter { !isReadOnly(element: $0) }
        try checkPrimary(elements)
        return elements
    }

    /// Refuses elements of which more than one is to be primary.
    func checkPrimary(_ elements: [JSONValue]) throws {
        guard elements.count(where: Self.isPrimary) <= 1 else {
            throw SCIMError(.invalidValue, "'\(name)' has more than one primary value.")
        }
    }

    /// The elements with others behind them. One that is there already is not there twice; it takes what is new, such
    /// as `primary`. A new primary element is the only one.
    func appending(_ given: [JSONValue], to old: [JSONValue]) throws -> [JSONValue] {
        var elements = old
        var places: [JSONValue: Int] = [:]
        for (index, element) in old.enumerated() { places[identity(of: element)] = index }
        for element in given {
            let key = identity(of: element)
            if let index = places[key] {
                guard kind == .complex, !isReferenceList else { continue }
                for member in element.members where subAttribute(named: member.name)?.isWritable != false {
                    elements[index][member.name] = member.value
                }
            } else {
                places[key] = elements.count
                elements.append(element)
            }
        }
        return withOnePrimary(elements, before: old)
    }

    /// The elements without those that are given, which need not name more parts than their `value`, as Entra ID does
    /// it. What is not there need not be removed.
    func removing(_ given: [JSONValue], from old: [JSONValue], _ effort: inout SCIMEffort) throws -> [JSONValue] {
        let byValue = Dictionary(grouping: given) { Self.comparable($0["value"] ?? $0, of: valuePart) }
        return try old.filter { element in
            let candidates =
                byValue[Self.comparable(element["value"] ?? element, of: valuePart)] ?? (valuePart == nil ? given : [])
            try effort.spend(candidates.count)
            return !candidates.contains { isContained($0, in: element) }
        }
    }

    /// The elements with at most one primary one: one that has just become it takes it from the others.
    ///
    /// - Parameter old: The elements before, at the same places.
    func withOnePrimary(_ elements: [JSONValue], before old: [JSONValue]) -> [JSONValue] {
        let primary = elements.indices.filter { Self.isPrimary(elements[$0]) }
        guard primary.count > 1 else { return elements }
        let became = primary.first { $0 >= old.count || !Self.isPrimary(old[$0]) } ?? primary.first
        var elements = elements
        for index in primary where index != became { elements[index]["primary"] = false }
        return elements
    }

    /// What makes two elements the same: references their `value`, others all that clients write except what is only
    /// about the element.
    func identity(of element: JSONValue) -> JSONValue {
        guard case .object(let members) = element else { return Self.comparable(element, of: self) }
        if isReferenceList { return Self.comparable(element["value"] ?? .null, of: valuePart) }
        let kept = members.compactMap { member -> JSONValue.Member? in
            guard let part = subAttribute(named: member.name), part.isWritable,
                !["primary", "display"].contains(part.name)
            else { return nil }
            return JSONValue.Member(part.name, Self.comparable(member.value, of: part))
        }
        return .object(kept.sorted { $0.name < $1.name })
    }

    private var valuePart: SCIMAttribute? { kind == .complex ? subAttribute(named: "value") : self }

    /// Whether the element has all that is given.
    private func isContained(_ given: JSONValue, in element: JSONValue) -> Bool {
        guard case .object(let members) = given else {
            return Self.comparable(given, of: self) == Self.comparable(element, of: self)
        }
        return members.allSatisfy { member in
            guard let part = subAttribute(named: member.name), let value = element[part.name] else { return false }
            return Self.comparable(member.value, of: part) == Self.comparable(value, of: part)
        }
    }

    private static func comparable(_ value: JSONValue, of attribute: SCIMAttribute?) -> JSONValue {
        guard case .string(let text) = value, attribute?.isCaseExact != true else { return value }
        return .string(text.lowercased())
    }

    private static func isPrimary(_ element: JSONValue) -> Bool { element["primary"] == .boolean(true) }
}
