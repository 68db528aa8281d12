import RosterText

/// Changes a resource in canonical form. In that form names are spelled as in the schemas, extensions are below their
/// URNs, and there is no `null` and no empty array.
struct SCIMEditor {
    let type: SCIMResourceType
    /// The resource after the changes that were applied so far.
    private(set) var resource: JSONValue
    /// The rest of the effort that the change may take.
    private var effort = SCIMEffort()

    /// Whether `replace` makes an element if the filter of its path selects none.
    private let makesElements: Bool

    init(_ resource: JSONValue, of type: SCIMResourceType, makesElements: Bool = false) {
        self.type = type
        self.resource = resource
        self.makesElements = makesElements
    }

    /// Applies an operation of a PATCH (RFC 7644, section 3.5.2).
    mutating func apply(_ operation: SCIMPatch.Operation) throws {
        guard let path = operation.path else { return try merge(operation.value, operation.kind, below: nil) }
        if path.attribute == nil { return try changeSchema(path.urn, operation) }
        guard !path.isReadOnly else { throw SCIMError(.mutability, "The path names what the directory alone writes.") }
        try change(path, operation.kind, operation.value, makesElements: makesElements)
    }

    /// Puts every member of an object into the resource (RFC 7644, sections 3.5.2.1 and 3.5.2.3, without a path). The
    /// name of a member can be a path, as Entra ID sends it: `name.givenName`, `emails[type eq "work"].value`,
    /// `urn:…:User:department`.
    ///
    /// The editor skips attributes that only the directory writes, foreign schemas without attributes, and `schemas` in an
    /// extension, which some clients send. If the brackets of a member select no element, both `add` and `replace` make one,
    /// because the object says what the resource shall have.
    mutating func merge(_ value: JSONValue?, _ kind: SCIMPatch.Kind, below urn: String?) throws {
        guard case .object(let members)? = value else {
            throw SCIMError(.invalidValue, "Without the path of an attribute the value is an object of attributes.")
        }
        try SCIMAttribute.checkNames(members)
        for member in members {
            if SCIMPath.isForeign(member.name, in: type) {
                // Nothing that a client gives is dropped in silence.
                guard SCIMValue.isUnassigned(member.value) || member.value == .object([]) else {
                    throw SCIMError.unknownAttribute(member.name, inPath: false)
                }
                continue
            }
            if urn != nil, SCIMName.isSame(member.name, "schemas") { continue }
            let path: SCIMPath
            do {
                path = try SCIMPath(key: member.name, of: urn, in: type)
            } catch let error as SCIMError where error.type == .invalidPath {
                throw SCIMError(.invalidValue, error.detail)
            }
            if path.isReadOnly { continue }
            if path.attribute != nil {
                try change(path, kind, member.value, makesElements: true)
            } else if urn == nil {
                try changeSchema(path.urn, SCIMPatch.Operation(kind: kind, path: path, value: member.value))
            } else {
                throw SCIMError.unknownAttribute(member.name, inPath: false)
            }
        }
    }

    /// Changes all attributes of an extension, or of the core if the URN is nil.
    private mutating func changeSchema(_ urn: String?, _ operation: SCIMPatch.Operation) throws {
        let isRemoval = operation.kind == .remove || (operation.kind == .replace && operation.value?.isNull != false)
        guard isRemoval else { return try mergeSchema(operation.value, operation.kind, urn) }
        guard let urn else { throw SCIMError(.mutability, "A resource cannot do without its core schema.") }
        let attributes = type.extensions.first { $0.id == urn }?.attributes ?? []
        // What every resource has stays, as it does in a PUT without the extension.
        for attribute in attributes where attribute.isWritable && !attribute.isAlwaysAssigned {
            resource[.init(attribute.name, in: urn)] = nil
        }
    }

    private mutating func mergeSchema(_ value: JSONValue?, _ kind: SCIMPatch.Kind, _ urn: String?) throws {
        if kind == .add, value?.isNull != false { return }
        // Schemas below the core's URN could be nested without end, so that only attributes are there.
        if urn == nil, let inner = value?.members.first(where: { type.schema($0.name) != nil }) {
            throw SCIMError.unknownAttribute(inner.name, inPath: false)
        }
        try merge(value, kind, below: urn)
    }

    private mutating func change(
        _ path: SCIMPath, _ kind: SCIMPatch.Kind, _ value: JSONValue?, makesElements: Bool
    ) throws {
        guard let attribute = path.attribute, let key = path.key else { return }
        guard path.part?.mutability != .immutable else {
            throw SCIMError(.mutability, "The parts of an element of '\(attribute.name)' stay as they are.")
        }
        let old = resource[key]
        let new: JSONValue?
        if attribute.isMultiValued {
            let selection = SCIMSelection(
                attribute: attribute, filter: path.filter, part: path.part, makesElements: makesElements)
            let elements = try selection.changed(old?.elements ?? [], kind, value, &effort)
            guard !elements.contains(where: attribute.isReadOnly) else {
                let types = attribute.readOnlyTypes.sorted().joined(separator: " and ")
                throw SCIMError(
                    .mutability, "The directory alone writes elements of '\(attribute.name)' of type \(types).")
            }
            new = elements.isEmpty ? nil : .array(elements)
        } else {
            new = try Self.single(old, attribute, path.part, kind, value)
        }
        if new == nil, old != nil, attribute.isRequired || attribute.isAlwaysAssigned {
            throw SCIMError(kind == .remove ? .mutability : .invalidValue, "'\(attribute.name)' must have a value.")
        }
        resource[key] = new
    }

    private static func single(
        _ old: JSONValue?, _ attribute: SCIMAttribute, _ part: SCIMAttribute?, _ kind: SCIMPatch.Kind,
        _ value: JSONValue?
    ) throws -> JSONValue? {
        let value = kind == .remove ? .null : value ?? .null
        if let part { return try attribute.merged(into: old, [(part, part.canonical(value))]) }
        guard attribute.kind == .complex, !SCIMValue.isUnassigned(value) else { return try attribute.canonical(value) }
        return try attribute.merged(into: old, attribute.givenParts(value))
    }
}
