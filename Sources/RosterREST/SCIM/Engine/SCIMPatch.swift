package import RosterText

/// A PATCH request (RFC 7644, section 3.5.2).
package struct SCIMPatch: Sendable {
    /// The URN of the body of a request.
    package static let schema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
    package static let maximumOperations = 1_000

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case add, replace, remove
    }

    package struct Operation: Sendable, Hashable {
        package let kind: Kind
        /// The target; nil if the value names the attributes.
        package let path: SCIMPath?
        /// The value to add or to replace with, or the elements to remove.
        package let value: JSONValue?
    }

    package let operations: [Operation]
    private let type: SCIMResourceType

    /// Reads the body of a request. The case of the names of members and operations does not count, because Entra ID
    /// capitalizes them.
    ///
    /// - Throws: ``SCIMError`` `invalidSyntax`, `invalidPath`, `invalidFilter`, `invalidValue` or `noTarget`.
    package init(_ body: JSONValue, for type: SCIMResourceType) throws {
        guard case .object(let members) = body else { throw Self.malformed("The body is not an object.") }
        try SCIMAttribute.checkNames(members)
        guard let schemas = body.member("schemas"),
            schemas.elements.contains(where: { $0.text.map { SCIMName.isSame($0, Self.schema) } ?? false })
        else { throw Self.malformed("'schemas' does not have '\(Self.schema)'.") }
        guard case .array(let operations)? = body.member("Operations"), !operations.isEmpty else {
            throw Self.malformed("'Operations' is not an array with operations.")
        }
        guard operations.count <= Self.maximumOperations else {
            throw SCIMError(status: 413, "There are more than \(Self.maximumOperations) operations.")
        }
        self.type = type
        self.operations = try Self.joined(operations.map { try Self.operation($0, of: type) })
    }

    /// Applies the operations one after the other.
    ///
    /// - Parameters:
    ///   - resource: The whole resource in the canonical form of ``SCIMResourceType/normalised(_:)``.
    ///   - makesElements: Whether `replace` makes the element if the filter of its path selects none, and `remove` removes
    ///     nothing then.
    /// - Returns: The resource after all operations.
    /// - Throws: ``SCIMError`` `noTarget`, `mutability` or `invalidValue`.
    package func applied(to resource: JSONValue, makesElements: Bool = false) throws -> JSONValue {
        var editor = SCIMEditor(resource, of: type, makesElements: makesElements)
        for operation in operations { try editor.apply(operation) }
        return type.withSchemas(editor.resource)
    }

    /// Whether an operation can read or write the members of a group, of which there can be very many.
    var isAboutMembers: Bool {
        operations.contains { operation in
            guard let path = operation.path else {
                return operation.value?.members.contains { member in
                    guard let path = try? SCIMPath(member.name, in: type) else { return false }
                    return path.attribute.map { $0.name == "members" } ?? (path.urn == nil)
                } ?? false
            }
            return path.attribute.map { $0.name == "members" } ?? (path.urn == nil)
        }
    }

    /// The last password that the request gives, with or without a path.
    var password: String? {
        operations.compactMap { operation -> JSONValue? in
            guard operation.path?.urn == nil else { return nil }
            guard let attribute = operation.path?.attribute else { return password(in: operation.value) }
            return attribute.name == "password" ? operation.value : nil
        }.last?.elements.first?.text
    }

    private func password(in value: JSONValue?) -> JSONValue? {
        (value?.members ?? []).compactMap { member -> JSONValue? in
            guard let path = try? SCIMPath(member.name, in: type), path.urn == nil else { return nil }
            guard let attribute = path.attribute else { return password(in: member.value) }
            return attribute.name == "password" ? member.value : nil
        }.last
    }

    private static func operation(_ json: JSONValue, of type: SCIMResourceType) throws -> Operation {
        guard case .object(let members) = json else { throw malformed("An operation is an object.") }
        try SCIMAttribute.checkNames(members)
        guard let name = json.member("op")?.text, let kind = Kind(rawValue: SCIMName.folded(name)) else {
            throw malformed("'op' is 'add', 'replace' or 'remove'.")
        }
        try SCIMName.checkMisspelled(members, of: ["op", "path", "value"])
        let value = json.member("value")
        var path: SCIMPath?
        switch json.member("path") {
        case nil, .null?, .string("")?: break
        case .string(let text)?: path = try SCIMPath(text, in: type)
        default: throw malformed("'path' is text.")
        }
        if kind == .remove, path == nil { throw SCIMError(.noTarget, "'remove' needs a path.") }
        if kind != .remove, value == nil { throw SCIMError(.invalidValue, "'\(kind.rawValue)' needs a value.") }
        return Operation(kind: kind, path: path, value: value)
    }

    /// Joins successive operations on references to one. Some clients send one operation for each member of a group,
    /// and each operation would look at all members.
    private static func joined(_ operations: [Operation]) -> [Operation] {
        var joined: [Operation] = []
        for operation in operations {
            if let last = joined.last, last.kind == operation.kind, last.path == operation.path,
                operation.kind != .replace, let path = operation.path, path.filter == nil, path.part == nil,
                path.attribute?.isReferenceList == true, let first = last.value, let second = operation.value,
                !first.isNull, !second.isNull
            {
                joined[joined.count - 1] = Operation(
                    kind: operation.kind, path: path, value: .array(first.elements + second.elements))
            } else {
                joined.append(operation)
            }
        }
        return joined
    }

    private static func malformed(_ detail: String) -> SCIMError { SCIMError(.invalidSyntax, detail) }
}

extension JSONValue {
    /// The member with that name. The case of the name does not count.
    func member(_ name: String) -> JSONValue? { members.first { SCIMName.isSame($0.name, name) }?.value }
}
