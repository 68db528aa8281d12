package import RosterText

/// Which attributes a response has (RFC 7644, section 3.9; RFC 7643, section 7, `returned`).
///
/// Names that no schema has are passed over: they ask for nothing. What is always returned stays, what never is does
/// not appear, and what is returned on request comes when it is named itself.
package struct SCIMProjection: Sendable {
    /// What a request says about an attribute: all of it, or some of its parts.
    private enum Choice: Sendable {
        case whole
        case parts(Set<String>)
    }

    private let type: SCIMResourceType
    private let isInclusive: Bool
    private var choices: [SCIMResourceType.Key: Choice] = [:]
    private var schemas: Set<String> = []
    private var written: Set<SCIMResourceType.Key> = []

    /// Whether the request says nothing about attributes: the usual ones are returned.
    var isWhole: Bool { choices.isEmpty && schemas.isEmpty && !isInclusive }

    /// Reads what a request asks for.
    ///
    /// - Parameters:
    ///   - attributes: The names to return; empty for the usual ones.
    ///   - excluded: The names not to return.
    ///   - type: The type of the resources.
    /// - Throws: ``SCIMError`` `invalidValue` where both are given.
    package init(attributes: [String] = [], excluding excluded: [String] = [], of type: SCIMResourceType) throws {
        guard attributes.isEmpty || excluded.isEmpty else {
            throw SCIMError(.invalidValue, "'attributes' and 'excludedAttributes' exclude each other.")
        }
        self.type = type
        isInclusive = !attributes.isEmpty
        for name in attributes + excluded {
            guard let path = try? SCIMPath(name, in: type), path.filter == nil else { continue }
            guard let key = path.key else {
                schemas.insert(path.urn ?? type.core.id)
                continue
            }
            switch (path.part, choices[key]) {
            case (nil, _), (_, .whole?): choices[key] = .whole
            case (let part?, .parts(let names)?): choices[key] = .parts(names.union([part.name]))
            case (let part?, nil): choices[key] = .parts([part.name])
            }
        }
    }

    /// The names in the value of a query parameter: separated by commas, with or without space.
    package static func names(in parameter: String?) -> [String] {
        (parameter ?? "").split(separator: ",").map { String($0.trimmingSpace) }.filter { !$0.isEmpty }
    }

    /// What is returned of a resource after attributes of it were written: those among them that are returned on request
    /// only are returned as well, unless the request says otherwise (RFC 7643, section 7).
    func showing(_ keys: [SCIMResourceType.Key]) -> SCIMProjection {
        var projection = self
        if !isInclusive { projection.written.formUnion(keys.filter { choices[$0] == nil }) }
        return projection
    }

    /// Whether the response may have something of the attribute, so that what is costly to read need not be read.
    package func includes(_ name: String, in urn: String? = nil) -> Bool {
        type.attribute(named: name, in: urn).map { isReturned($0, .init($0.name, in: urn)) } ?? false
    }

    /// The resource with what is returned, `schemas` in front.
    package func applied(to resource: JSONValue) -> JSONValue {
        var members: [JSONValue.Member] = []
        for member in resource.members {
            if let schema = type.extensions.first(where: { $0.id == member.name }) {
                let kept = member.value.members.compactMap { projected($0, in: schema.id) }
                if !kept.isEmpty { members.append(.init(member.name, .object(kept))) }
            } else if let kept = projected(member, in: nil) {
                members.append(kept)
            }
        }
        return type.withSchemas(.object(members))
    }

    private func isReturned(_ attribute: SCIMAttribute, _ key: SCIMResourceType.Key) -> Bool {
        switch (attribute.returned, choices[key]) {
        case (.never, _): false
        case (.always, _): true
        case (.request, _): isInclusive && choices[key] != nil || written.contains(key)
        case (.byDefault, .parts?): true
        case (.byDefault, .whole?): isInclusive
        case (.byDefault, nil): schemas.contains(key.urn ?? type.core.id) == isInclusive
        }
    }

    private func projected(_ member: JSONValue.Member, in urn: String?) -> JSONValue.Member? {
        guard let attribute = type.attribute(named: member.name, in: urn) else { return nil }
        let key = SCIMResourceType.Key(attribute.name, in: urn)
        guard isReturned(attribute, key) else { return nil }
        guard attribute.returned != .always, case .parts(let names)? = choices[key] else { return member }
        let kept: JSONValue
        if case .array(let elements) = member.value {
            kept = .array(elements.map { cut($0, to: names) }.filter { !$0.members.isEmpty })
        } else {
            kept = cut(member.value, to: names)
        }
        return SCIMValue.isUnassigned(kept) || kept == .object([]) ? nil : .init(member.name, kept)
    }

    private func cut(_ value: JSONValue, to names: Set<String>) -> JSONValue {
        .object(value.members.filter { names.contains($0.name) == isInclusive })
    }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var trimmingSpace: Substring {
        let start = drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
    }
}
