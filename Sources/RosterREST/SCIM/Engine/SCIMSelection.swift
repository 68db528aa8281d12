import Roster
import RosterText

/// The elements of a multi-valued attribute that a path selects, and the part of them (RFC 7644, section 3.5.2).
struct SCIMSelection {
    let attribute: SCIMAttribute
    /// The filter that selects elements; nil for all elements.
    let filter: ElementFilter?
    /// The part that is changed; nil for whole elements.
    let part: SCIMAttribute?
    /// Whether `replace` makes an element if the filter selects none, and `remove` removes nothing then.
    let makesElements: Bool

    /// The elements after an operation.
    func changed(
        _ old: [JSONValue], _ kind: SCIMPatch.Kind, _ value: JSONValue?, _ effort: inout SCIMEffort
    ) throws -> [JSONValue] {
        try effort.spend(on: old, times: 1 + (filter?.comparisons ?? 0))
        try effort.spend(value?.elements.count ?? 0)
        guard filter == nil, part == nil else { return try changedChosen(old, kind, value) }
        switch kind {
        case .add: return try attribute.appending(attribute.canonicalElements(value ?? .null), to: old)
        case .replace: return try attribute.appending(attribute.canonicalElements(value ?? .null), to: [])
        case .remove:
            guard let value, !value.isNull else { return [] }
            let given = try attribute.canonicalElements(value)
            // A value that names no element is a mistake: the client asked to remove something.
            guard given.count == value.elements.count else {
                throw SCIMError(.invalidValue, "An element of '\(attribute.name)' to remove has no value.")
            }
            return try attribute.removing(given, from: old, &effort)
        }
    }

    private func changedChosen(_ old: [JSONValue], _ kind: SCIMPatch.Kind, _ value: JSONValue?) throws -> [JSONValue] {
        var elements: [JSONValue] = []
        var before: [JSONValue] = []
        var chosen: [JSONValue] = []
        let choice = choice(among: old)
        for (element, isChosen) in zip(old, choice) {
            if let new = isChosen ? try changed(element, kind, value) : element {
                elements.append(new)
                before.append(element)
                if isChosen { chosen.append(new) }
            }
        }
        if !choice.contains(true) {
            // Who is not a member of a group is removed from it already.
            if kind == .remove, filter == nil || attribute.isReferenceList || makesElements { return old }
            guard kind == .add || (kind == .replace && (makesElements || filter == nil)) else { throw noTarget }
            return try attribute.appending(made(value).map { [$0] } ?? [], to: old)
        }
        if kind == .remove, part == nil { return elements }
        try attribute.checkPrimary(chosen)
        let one = attribute.withOnePrimary(elements, before: before)
        return try attribute.appending(one, to: [])
    }

    /// Which elements the filter selects.
    ///
    /// A person's only address without a type is the work address: directories that were imported have no types, and a
    /// client that knows `emails[type eq "work"]` alone would give the person a second address.
    private func choice(among elements: [JSONValue]) -> [Bool] {
        guard let filter else { return elements.map { _ in true } }
        let choice = elements.map(filter.holds)
        guard !choice.contains(true), attribute.name == "emails", filter.equalities?.map(\.part) == ["type"],
            filter.holds(for: ["type": "work"]), elements.count(where: { $0["type"] == nil }) == 1
        else { return choice }
        return elements.map { $0["type"] == nil }
    }

    /// A selected element after the operation; nil if it is removed. Parts that the filter demands are set.
    private func changed(_ element: JSONValue, _ kind: SCIMPatch.Kind, _ value: JSONValue?) throws -> JSONValue? {
        let value = value ?? .null
        var element = element
        if element["type"] == nil, filter?.holds(for: element) == false { element["type"] = "work" }
        if let part {
            return try attribute.merged(into: element, [(part, kind == .remove ? nil : part.canonical(value))])
        }
        switch kind {
        case .remove: return nil
        case .add where attribute.kind == .complex:
            return try attribute.merged(into: element, attribute.givenParts(value))
        case .add, .replace: return try attribute.canonical(value)
        }
    }

    /// The element to add if the filter selects none. It has the parts that the filter demands (RFC 7644, section 3.5.2.1).
    private func made(_ value: JSONValue?) throws -> JSONValue? {
        let value = value ?? .null
        guard attribute.kind == .complex else { return try attribute.canonical(value) }
        var given: [SCIMAttribute.GivenPart] = []
        if let filter {
            guard let equalities = filter.equalities else { throw noTarget }
            for (name, value) in equalities {
                guard let part = attribute.subAttribute(named: name), part.isWritable else { throw noTarget }
                given.append((part, JSONValue(value)))
            }
        }
        if let part {
            given.append((part, try part.canonical(value)))
        } else {
            given += try attribute.givenParts(value)
        }
        return try attribute.merged(into: nil, given)
    }

    private var noTarget: SCIMError { SCIMError(.noTarget, "The path chooses nothing of '\(attribute.name)'.") }
}
