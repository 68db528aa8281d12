package import Roster

extension SCIMResourceType {
    /// The type of groups (RFC 7643, section 4.2), with an extension for the directory's other attributes of roles.
    package static func group(_ vocabulary: Vocabulary) -> SCIMResourceType {
        SCIMResourceType(
            name: "Group", endpoint: "/Groups", description: "A role and its members", core: groupSchema,
            extensions: [directorySchema(groupExtensionURN, of: .role, named: "Directory Group", vocabulary)])
    }

    /// The URN of the extension with attributes of roles that SCIM's schema does not have. Its `name` is the unique
    /// name of the role.
    package static let groupExtensionURN = "urn:roster:params:scim:schemas:extension:directory:2.0:Group"

    /// The core schema of groups (RFC 7643, section 4.2).
    static let groupSchema = SCIMSchema(
        id: "urn:ietf:params:scim:schemas:core:2.0:Group", name: "Group", description: "A role and its members",
        attributes: [
            SCIMAttribute(name: "displayName", description: "The name to be shown", isRequired: true),
            SCIMAttribute(
                name: "members", description: "Who is in the group", kind: .complex, isMultiValued: true,
                subAttributes: [
                    SCIMAttribute(
                        name: "value", description: "The id of the member", isRequired: true, isCaseExact: true,
                        mutability: .immutable),
                    .reference("The address of the member", to: ["User", "Group"], publishedAs: .immutable),
                    SCIMAttribute(
                        name: "type", description: "What the member is", mutability: .immutable,
                        canonicalValues: ["User", "Group"]),
                    .readOnly("display", "The name of the member"),
                ]),
        ])

    /// The schema of stored attributes that SCIM has no name for. It has no views of other attributes.
    static func directorySchema(
        _ urn: String, of entity: AttributeDefinition.Entity, named name: String, _ vocabulary: Vocabulary
    ) -> SCIMSchema {
        let definitions = vocabulary.definitions(for: entity).filter { $0.names[.scim] == nil && $0.element == nil }
        return SCIMSchema(
            id: urn, name: name, description: "What the directory has besides",
            attributes: definitions.map { attribute($0, of: entity) })
    }

    /// The English description or label of an attribute. The schema is the same for all callers, whatever their language is.
    private static func description(of definition: AttributeDefinition) -> String {
        definition.texts.description(in: "en") ?? definition.texts.label(in: "en")
            ?? "The directory's attribute \(definition.name)"
    }

    private static func attribute(
        _ definition: AttributeDefinition, of entity: AttributeDefinition.Entity
    ) -> SCIMAttribute {
        let isSecret = definition.readers == .nobody
        return SCIMAttribute(
            name: definition.name.rawValue, description: description(of: definition),
            kind: definition.kind == .time ? .dateTime : .init(rawValue: definition.kind.rawValue) ?? .string,
            isMultiValued: definition.isMultiValued,
            isAlwaysAssigned: entity == .role && definition.name == "name", isCaseExact: definition.isCaseExact,
            mutability: definition.writers == .nobody ? .readOnly : isSecret ? .writeOnly : .readWrite,
            returned: isSecret ? .never : definition.isReturnedOnRequest ? .request : .byDefault,
            uniqueness: definition.isUnique ? .server : .none, canonicalValues: definition.examples)
    }
}
