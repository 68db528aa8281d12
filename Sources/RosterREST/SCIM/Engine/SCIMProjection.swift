import RosterText

/// The choice of attributes for a response (RFC 7644, section 3.9; RFC 7643, section 7, `returned`).
///
/// A response has the attributes that are always returned and never has those that are never returned. It has an
/// attribute that is returned on request only if the request names it. Names that no schema has are ignored.
package struct SCIMProjection: Sendable {
    /// The part of an attribute that a request names: all of it, or some of its parts.
    private enum Choice: Sendable {
        case whole
        case parts(Set<String>)
    }

    private let type: SCIMResourceType
    private let isInclusive: Bool
    private var choices: [SCIMResourceType.Key: Choice] = [:]
    private var schemas: Set<String> = []
    private var written: Set<SCIMResourceType.Key> = []

    /// Whether the request names no attributes, so that the usual ones are returned.
    var isWhole: Bool { choices.isEmpty && schemas.isEmpty && !isInclusive }

    /// Reads the names in a request.
    ///
    /// - Parameters:
    ///   - attributes: The names to return; empty for the usual ones.
    ///   - excluded: The names not to return.
    /// - Throws: ``SCIMError`` `invalidValue` if both are given.
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

    /// The names in the value of a query parameter, which commas separate. Spaces around names are ignored.
    package static func names(in parameter: String?) -> [String] {
        (parameter ?? "").split(separator: ",").map { String($0.trimmingSpace) }.filter { !$0.isEmpty }
    }

    /// The choice for the answer to a change of attributes. The answer also has the changed attributes that are
    /// returned on request, unless the request says otherwise (RFC 7643, section 7).
    func showing(_ keys: [SCIMResourceType.Key]) -> SCIMProjection {
        var projection = self
        if !isInclusive { projection.written.formUnion(keys.filter { choices[$0] == nil }) }
        return projection
    }

    /// Whether the response shows something of the attribute. If it does not, a costly value need not be read.
    package func includes(_ name: String, in urn: String? = nil) -> Bool { !shown(name, in: urn).isNothing }

    /// How much of an attribute the response shows.
    enum Shown: Sendable {
        case nothing
        case whole
        /// The parts with these names, or the parts with other names.
        case parts(Set<String>, areShown: Bool)

        /// Whether the response shows nothing of the attribute.
        var isNothing: Bool {
            if case .nothing = self { return true }
            return false
        }

        /// How much of a part the response shows.
        func part(_ name: String) -> Shown { shows(name) ? .whole : .nothing }

        func shows(_ part: @autoclosure () -> String) -> Bool {
            switch self {
            case .nothing: false
            case .whole: true
            case .parts(let names, let areShown): names.contains(part()) == areShown
            }
        }

        /// The parts of a value that the response shows; nil if nothing of the value is left.
        func cut(_ value: JSONValue) -> JSONValue? {
            switch self {
            case .nothing: return nil
            case .whole: return value
            case .parts: break
            }
            let elements = value.elements.map { element in
                JSONValue.object(element.members.filter { shows($0.name) })
            }.filter { !$0.members.isEmpty }
            if case .array = value { return elements.isEmpty ? nil : .array(elements) }
            return elements.first
        }
    }

    /// How much of an attribute the response shows.
    func shown(_ name: String, in urn: String? = nil) -> Shown {
        guard let attribute = type.attribute(named: name, in: urn) else { return .nothing }
        let key = SCIMResourceType.Key(attribute.name, in: urn)
        guard isReturned(attribute, key) else { return .nothing }
        guard attribute.returned != .always, case .parts(let names)? = choices[key] else { return .whole }
        return .parts(names, areShown: isInclusive)
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
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var trimmingSpace: Substring {
        let start = drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
    }
}
