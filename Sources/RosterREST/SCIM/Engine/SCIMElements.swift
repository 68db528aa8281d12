import RosterText

/// Changes of the elements of a multi-valued attribute (RFC 7643, section 2.4; RFC 7644, section 3.5.2). The time of
/// each change is linear in the elements, so that a large group does not take the square of its size.
extension SCIMAttribute {
    /// The elements of a value, which is an array or a single element, without elements that only the directory writes.
    func canonicalElements(_ value: JSONValue) throws -> [JSONValue] {
        let elements = try value.elements.compactMap { element in
            if case .array = element { throw mistyped() }
            return try canonical(element)
        }.filter { !isReadOnly(element: $0) }
        try checkPrimary(elements)
        return elements
    }

    /// Refuses elements if more than one of them is primary.
    func checkPrimary(_ elements: [JSONValue]) throws {
        guard elements.count(where: Self.isPrimary) <= 1 else {
            throw SCIMError(.invalidValue, "'\(name)' has more than one primary value.")
        }
    }

    /// Appends elements. A given element that is there already is not repeated; the present element takes its new
    /// parts, such as `primary`. A new primary element becomes the only primary one.
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

    /// Removes elements. A given element needs no part but its `value`, as Entra ID sends it. It may be absent from the
    /// list.
    func removing(_ given: [JSONValue], from old: [JSONValue], _ effort: inout SCIMEffort) throws -> [JSONValue] {
        let byValue = Dictionary(grouping: given) { Self.comparable($0["value"] ?? $0, of: valuePart) }
        return try old.filter { element in
            let candidates =
                byValue[Self.comparable(element["value"] ?? element, of: valuePart)] ?? (valuePart == nil ? given : [])
            try effort.spend(candidates.count)
            return !candidates.contains { isContained($0, in: element) }
        }
    }

    /// Leaves at most one primary element: an element that has just become primary takes that from the others.
    ///
    /// - Parameter old: The elements before the change, at the same places.
    func withOnePrimary(_ elements: [JSONValue], before old: [JSONValue]) -> [JSONValue] {
        let primary = elements.indices.filter { Self.isPrimary(elements[$0]) }
        guard primary.count > 1 else { return elements }
        let became = primary.first { $0 >= old.count || !Self.isPrimary(old[$0]) } ?? primary.first
        var elements = elements
        for index in primary where index != became { elements[index]["primary"] = false }
        return elements
    }

    /// The value by which two elements are the same. For a reference it is `value`; for other elements it is all that
    /// clients write, except `primary` and `display`.
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

    /// Whether the element has all parts of the given one.
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
