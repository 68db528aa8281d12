package import RosterText

/// Whole resources as clients send them (RFC 7644, sections 3.3 and 3.5.1).
extension SCIMResourceType {
    /// A resource in canonical form: names in the schemas' spelling, values of their types, extensions below their
    /// URNs, without what is unassigned and what the directory alone writes. What an absent attribute means to PUT is
    /// for the caller to say.
    ///
    /// - Throws: ``SCIMError`` `invalidSyntax`, `invalidValue` or `invalidFilter`.
    package func normalised(_ body: JSONValue) throws -> JSONValue {
        guard case .object = body else { throw SCIMError(.invalidSyntax, "The body is no object.") }
        if let schemas = body.member("schemas"),
            !schemas.elements.contains(where: { $0.text.map { SCIMName.isSame($0, core.id) } ?? false })
        {
            throw SCIMError(.invalidSyntax, "'schemas' does not have '\(core.id)'.")
        }
        // A new resource is one that is put into nothing.
        var editor = SCIMEditor(.object([]), of: self)
        try editor.merge(body, .replace, below: nil)
        for attribute in core.attributes where attribute.isRequired && editor.resource[attribute.name] == nil {
            throw SCIMError(.invalidValue, "'\(attribute.name)' is required.")
        }
        return withSchemas(editor.resource)
    }

    /// The resource with `schemas` in front: the core, and the extensions that it has attributes of
    /// (RFC 7643, section 3).
    func withSchemas(_ resource: JSONValue) -> JSONValue {
        let present = extensions.map(\.id).filter { resource[$0] != nil }
        let schemas = JSONValue.array(([core.id] + present).map(JSONValue.string))
        return .object([.init("schemas", schemas)] + resource.members.filter { $0.name != "schemas" })
    }

    /// The attributes that are returned on request only.
    var keysOnRequest: [Key] {
        core.attributes.filter { $0.returned == .request }.map { Key($0.name) }
            + extensions.flatMap { schema in
                schema.attributes.filter { $0.returned == .request }.map { Key($0.name, in: schema.id) }
            }
    }

    /// The attributes in which two resources in canonical form differ, in the order of the schemas. What the directory
    /// alone writes does not count, nor does the order of references such as `members`.
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

    /// The members that are not the same in two objects. Most changes leave most members as they are, in their places.
    private static func namesChanged(from old: JSONValue, to new: JSONValue) -> [String] {
        let (before, after) = (old.members, new.members)
        let changed = after.enumerated().filter { index, member in
            !(before.indices.contains(index) && before[index] == member) && old[member.name] != member.value
        }.map(\.element.name)
        return changed + before.map(\.name).filter { new[$0] == nil }
    }

    /// The values of the references that one list has and the other has not: who came into a group and who left.
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
    /// The value of an attribute in a resource in canonical form; nil where it is unassigned. Setting nil removes it, and
    /// its extension with it when that has nothing else.
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
    /// Whether clients wrote another value, where `changed` has the names of all members that are not the same.
    fileprivate func differs(_ old: JSONValue, _ new: JSONValue, _ changed: [String]) -> Bool {
        changed.contains(name) && isWritable && significant(old[name]) != significant(new[name])
    }

    /// What of a value clients write, in a form that is equal for values that say the same.
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
