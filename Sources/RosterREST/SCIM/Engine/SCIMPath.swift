package import Roster
package import RosterText

/// The target of a PATCH operation: an attribute, some of its elements, a part of them, or all of a schema
/// (RFC 7644, section 3.5.2, figure 7).
package struct SCIMPath: Sendable, Hashable {
    /// The longest path, in UTF-8 bytes.
    package static let maximumLength = 8 * 1024

    /// The URN of the extension; nil for attributes of the core and for attributes that all resources have.
    package let urn: String?
    /// The attribute; nil if the path is nothing but the URN of a schema.
    package let attribute: SCIMAttribute?
    /// The filter that selects elements; nil for all elements.
    package let filter: ElementFilter?
    /// The part of the attribute or of its elements; nil for the whole.
    package let part: SCIMAttribute?

    /// Reads a path such as `name.givenName`, `emails[type eq "work"].value` or
    /// `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager`. The case of names and URNs does not count.
    ///
    /// - Throws: ``SCIMError`` `invalidPath`, or `invalidFilter` for a mistake in brackets.
    package init(_ text: String, in type: SCIMResourceType) throws {
        try self.init(key: text, of: nil, in: type)
    }

    /// Reads a path that can be relative to an extension, as the name of a member below the URN is.
    init(key text: String, of extensionURN: String?, in type: SCIMResourceType) throws {
        guard text.utf8.count <= Self.maximumLength else {
            throw SCIMError(.invalidPath, "The path is longer than \(Self.maximumLength) bytes.")
        }
        let (schema, local) = Self.split(text, in: type)
        urn = schema.map { $0.id == type.core.id ? nil : $0.id } ?? extensionURN
        guard !local.isEmpty || schema == nil else {
            (attribute, filter, part) = (nil, nil, nil)
            return
        }
        let bracket = local.firstIndex(of: "[")
        var name = local[..<(bracket ?? local.endIndex)]
        var partName: Substring?
        if let point = name.firstIndex(of: ".") {
            partName = name[name.index(after: point)...]
            name = name[..<point]
        }
        guard let attribute = type.attribute(named: name, in: urn) else {
            throw SCIMError.unknownAttribute(text, inPath: true)
        }
        self.attribute = attribute
        if let bracket {
            guard partName == nil, attribute.isMultiValued else {
                throw SCIMError(.invalidPath, "\(SCIMError.shown(name)) has no elements to choose from.")
            }
            let rest: Substring
            (filter, rest) = try Self.filter(in: local[bracket...], of: attribute)
            guard rest.isEmpty || rest.hasPrefix(".") else {
                throw SCIMError(.invalidPath, "After ']' comes a '.' and a part, or nothing.")
            }
            partName = rest.isEmpty ? nil : rest.dropFirst()
        } else {
            filter = nil
        }
        part = try partName.flatMap { try Self.part($0, of: attribute) }
    }

    /// Reads the filter in brackets that a text begins with, by the parser of searches.
    ///
    /// - Returns: The filter, and the text that follows the brackets.
    /// - Throws: ``SCIMError`` `invalidFilter`.
    static func filter(
        in text: Substring, of attribute: SCIMAttribute
    ) throws -> (filter: ElementFilter, rest: Substring) {
        // An answer that depends on a secret would disclose it.
        guard attribute.returned != .never else { throw SCIMError(.invalidFilter, "'\(attribute.name)' is secret.") }
        do {
            let (filter, length) = try ElementFilter.bracketed(scim: text, of: FilterElements(attribute))
            return (filter, text[text.utf8.index(text.startIndex, offsetBy: length)...])
        } catch let error as DirectoryError {
            throw SCIMError(.invalidFilter, error.description)
        }
    }

    /// The attribute's place in a resource; nil for a whole schema.
    package var key: SCIMResourceType.Key? { attribute.map { .init($0.name, in: urn) } }

    /// Whether only the directory writes the target.
    var isReadOnly: Bool { attribute?.isWritable == false || part?.isWritable == false }

    /// Whether a member of an object belongs to a schema that the resources do not have.
    static func isForeign(_ name: String, in type: SCIMResourceType) -> Bool {
        SCIMName.rest(of: name, after: "urn:") != nil && split(name, in: type).schema == nil
    }

    /// The schema whose URN the text begins with, and the text after it. Without a URN that is all of the text.
    private static func split(_ text: String, in type: SCIMResourceType) -> (schema: SCIMSchema?, local: Substring) {
        for schema in [type.core] + type.extensions {
            guard let rest = SCIMName.rest(of: text, after: schema.id) else { continue }
            if rest.isEmpty { return (schema, rest) }
            if rest.hasPrefix(":"), rest.count > 1 { return (schema, rest.dropFirst()) }
        }
        return (nil, text[...])
    }

    /// The part with that name. The elements of plain attributes are their own `value`.
    private static func part(_ name: Substring, of attribute: SCIMAttribute) throws -> SCIMAttribute? {
        if attribute.kind != .complex, attribute.isMultiValued, SCIMName.isSame(name, "value") { return nil }
        guard let part = attribute.subAttribute(named: name) else {
            throw SCIMError(.invalidPath, "'\(attribute.name)' has no part \(SCIMError.shown(name)).")
        }
        return part
    }
}

extension FilterElements {
    /// The elements of a multi-valued attribute. The elements of a plain attribute are their own `value`.
    fileprivate init(_ attribute: SCIMAttribute) {
        var parts = attribute.subAttributes.filter { $0.returned != .never }.map { Part($0, named: $0.name) }
        if attribute.kind != .complex { parts.append(Part(attribute, named: "value")) }
        self.init(of: AttributeName(attribute.name), parts: parts)
    }
}

extension FilterElements.Part {
    fileprivate init(_ part: SCIMAttribute, named name: String) {
        let kind: AttributeDefinition.Kind =
            switch part.kind {
            // References and binary data are compared as the text that they are in JSON.
            case .string, .reference, .binary: .string
            case .boolean: .boolean
            case .integer: .integer
            case .decimal: .decimal
            case .dateTime: .time
            case .complex: .complex
            }
        self.init(name, kind, isCaseExact: part.isCaseExact, isOrdered: ![.boolean, .binary].contains(part.kind))
    }
}

extension ElementFilter {
    /// Whether an element satisfies the filter. An element that is not an object is its own `value`.
    package func holds(for element: JSONValue) -> Bool {
        holds { name in
            if case .object = element { return element[name].map(AttributeValue.init(comparing:)) }
            return name == "value" ? AttributeValue(comparing: element) : nil
        }
    }
}

extension AttributeValue {
    /// The value in the form in which filters compare it. They cannot compare objects and arrays.
    fileprivate init(comparing value: JSONValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .decimal(let number): self = .decimal(number)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .object, .array, .null: self = .complex([:])
        }
    }
}
