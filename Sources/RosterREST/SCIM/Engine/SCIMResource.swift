package import RosterText

/// Reading of whole resources, as clients send them (RFC 7644, sections 3.3 and 3.5.1).
extension SCIMResourceType {
    /// Brings a resource into canonical form: names are spelled as in the schemas, values have the attributes' types,
    /// and extensions are below their URNs. Attributes without a value and attributes that only the directory writes
    /// are left out. The caller decides what an absent attribute means to PUT.
    ///
    /// - Throws: ``SCIMError`` `invalidSyntax`, `invalidValue` or `invalidFilter`.
    package func normalised(_ body: JSONValue) throws -> JSONValue {
        guard case .object = body else { throw SCIMError(.invalidSyntax, "The body is not an object.") }
        if let schemas = body.member("schemas"),
            !schemas.elements.contains(where: { $0.text.map { SCIMName.isSame($0, core.id) } ?? false })
        {
            throw SCIMError(.invalidSyntax, "'schemas' does not have '\(core.id)'.")
        }
        // The resource is merged into an empty one.
        var editor = SCIMEditor(.object([]), of: self)
        try editor.merge(body, .replace, below: nil)
        for attribute in core.attributes where attribute.isRequired && editor.resource[attribute.name] == nil {
            throw SCIMError(.invalidValue, "'\(attribute.name)' is required.")
        }
        return withSchemas(editor.resource)
    }

    /// The resource with `schemas` in front: the core schema and the extensions that the resource has attributes of
    /// (RFC 7643, section 3).
    func withSchemas(_ resource: JSONValue) -> JSONValue {
        let present = extensions.map(\.id).filter { resource[$0] != nil }
        let schemas = JSONValue.array(([core.id] + present).map(JSONValue.string))
        return .object([.init("schemas", schemas)] + resource.members.filter { $0.name != "schemas" })
    }

    /// The attributes that a response has only if the request names them.
    var keysOnRequest: [Key] {
        core.attributes.filter { $0.returned == .request }.map { Key($0.name) }
            + extensions.flatMap { schema in
                schema.attributes.filter { $0.returned == .request }.map { Key($0.name, in: schema.id) }
            }
    }

    /// The attributes in which two resources in canonical form differ, in the order of the schemas. Attributes that
    /// only the directory writes do not count, and neither does the order of references such as `members`.
    package func differences(from old: JSONValue, to new: JSONValue) -> [Key] {
        let changed = Self.namesChanged(from: old, to: new)
        let core = (self.core.attributes + Self.common.attributes).filter { $0.differs(old, new, changed) }
        return core.map { Key($0.name) }
            + extensions.filter { changed.contains($0.id) }.flatMap { schema in
                let (before, after) = (old[schema.id] ?? .object([]), new[schema.id] ?? .object([]))
                let changed = Self.namesChanged(from: before, to: after)
                return schema.attributes.filter { $0.differs(before, after, changed) }.map {
                    Key($0.name, in: schema.id)
                }
            }
    }

    /// The names of the members that differ in two objects. Most changes leave most members at their places, so that
    /// places are compared first.
    private static func namesChanged(from old: JSONValue, to new: JSONValue) -> [String] {
        let (before, after) = (old.members, new.members)
        let changed = after.enumerated().filter { index, member in
            !(before.indices.contains(index) && before[index] == member) && old[member.name] != member.value
        }.map(\.element.name)
        return changed + before.map(\.name).filter { new[$0] == nil }
    }

    /// The values of references that only one of two lists has: the new members of a group and the former ones.
    package func references(
        addedTo old: JSONValue, in new: JSONValue, attribute: String
    ) -> (added: [String], removed: [String]) {
        let before = (old[attribute]?.elements ?? []).compactMap { $0["value"]?.text }
        let after = (new[attribute]?.elements ?? []).compactMap { $0["value"]?.text }
        let (was, isNow) = (Set(before), Set(after))
        return (after.filter { !was.contains($0) }, before.filter { !isNow.contains($0) })
    }
}

extension JSONValue {
    /// The value of an attribute in a resource in canonical form; nil if there is none. Setting nil removes the value,
    /// and removes the extension if nothing else is in it.
    package subscript(key: SCIMResourceType.Key) -> JSONValue? {
        get {
            guard let urn = key.urn else { return self[key.name] }
            return self[urn]?[key.name]
        }
        set {
            guard let urn = key.urn else {
                self[key.name] = newValue
                return
            }
            var attributes = self[urn] ?? .object([])
            attributes[key.name] = newValue
            self[urn] = attributes.members.isEmpty ? nil : attributes
        }
    }
}

extension SCIMAttribute {
    /// Whether a client wrote another value. `changed` has the names of all members that differ.
    fileprivate func differs(_ old: JSONValue, _ new: JSONValue, _ changed: [String]) -> Bool {
        changed.contains(name) && isWritable && significant(old[name]) != significant(new[name])
    }

    /// The part of a value that clients write. It is equal for two values that mean the same.
    fileprivate func significant(_ value: JSONValue?) -> JSONValue? {
        guard let value, kind == .complex else { return value }
        if isReferenceList {
            let keys = value.elements.compactMap { $0["value"]?.text }
            return .array(Set(keys).sorted().map(JSONValue.string))
        }
        if isMultiValued { return .array(value.elements.map(written)) }
        let written = written(value)
        return written.members.isEmpty ? nil : written
    }

    private func written(_ value: JSONValue) -> JSONValue {
        let kept = value.members.filter { subAttribute(named: $0.name)?.isWritable == true }
        return .object(kept.sorted { $0.name < $1.name })
    }
}
