import Foundation

extension AttributeDefinition: Codable {
    /// The names of the members that describe built-in attributes, and of the object with rules that older versions wrote.
    private static let (onRequest, names, element, rules) = (
        AttributeField.Key("isReturnedOnRequest"), AttributeField.Key("names"), AttributeField.Key("element"),
        AttributeField.Key("rules")
    )

    /// Decodes a definition that this version or an older one encoded.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        // Older versions encoded the rules as an object of their own, except that values are unique.
        var rules = try values.decodeIfPresent(AttributeRules.self, forKey: Self.rules) ?? AttributeRules(from: decoder)
        rules.isUnique = try values.decode(.unique)
        self.init(
            try values.decode(.name), of: try values.decode(.of), kind: try values.decode(.type),
            isMultiValued: try values.decode(.multiValued), isCaseExact: try values.decode(.caseExact), rules: rules,
            isIndexed: try values.decode(.indexed),
            isReturnedOnRequest: try values.decode(Bool.self, forKey: Self.onRequest),
            readers: try values.decode(.readers), writers: try values.decode(.writers),
            names: try values.decode([NameSpace: String].self, forKey: Self.names),
            element: try values.decodeIfPresent(Element.self, forKey: Self.element),
            texts: try AttributeTexts(from: decoder))
    }

    /// Encodes the definition.
    public func encode(to encoder: any Encoder) throws {
        var values = try encodeFields(to: encoder) { $0.rawValue }
        try rules.encode(to: encoder)
        try texts.encode(to: encoder)
        try values.encode(readers, forKey: .init(.readers))
    }

    private func encodeFields(
        to encoder: any Encoder, named name: (AttributeField) -> String
    ) throws -> KeyedEncodingContainer<AttributeField.Key> {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        func key(_ field: AttributeField) -> AttributeField.Key { .init(name(field)) }
        try values.encode(self.name, forKey: key(.name))
        try values.encode(entity, forKey: key(.of))
        try values.encode(kind, forKey: key(.type))
        try values.encode(isMultiValued, forKey: key(.multiValued))
        try values.encode(isCaseExact, forKey: key(.caseExact))
        try values.encode(isUnique, forKey: key(.unique))
        try values.encode(isIndexed, forKey: key(.indexed))
        try values.encode(isReturnedOnRequest, forKey: Self.onRequest)
        try values.encode(writers, forKey: key(.writers))
        try values.encode(names, forKey: Self.names)
        try values.encodeIfPresent(element, forKey: Self.element)
        return values
    }

    /// A definition in the form of a directory's file. It has the names of older versions, because programs of older versions can have
    /// the same file open: servers are upgraded one after the other.
    struct Stored: Encodable {
        let definition: AttributeDefinition

        func encode(to encoder: any Encoder) throws {
            var values = try definition.encodeFields(to: encoder) { $0.olderNames.first ?? $0.rawValue }
            try values.encode(definition.readers.rawValue, forKey: .init(.readers))
            if definition.rules != AttributeRules() {
                try values.encode(definition.rules, forKey: AttributeDefinition.rules)
            }
            try definition.texts.encode(to: encoder)
        }
    }
}

extension AttributeDefinition.Readers {
    /// Decodes the name of a group, or the number that older versions encoded.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let group =
            try (try? value.decode(Int.self)).map { Self(rawValue: $0) } ?? Self(named: value.decode(String.self))
        guard let group else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "no group of readers has this name")
        }
        self = group
    }

    /// Encodes the name of the group.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode("\(self)")
    }
}

extension AttributeRights {
    /// Decodes rights, also those that an older version has encoded.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            name: try values.decode(.name), entity: try values.decode(.of),
            readers: try values.decodeIfPresent(.readers), writers: try values.decodeIfPresent(.writers))
    }

    /// Encodes the rights.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(name, forKey: .init(.name))
        try values.encode(entity, forKey: .init(.of))
        try values.encodeIfPresent(readers, forKey: .init(.readers))
        try values.encodeIfPresent(writers, forKey: .init(.writers))
    }
}

extension AttributeDefinition {
    /// The declaration as JSON, for the table of declared attributes.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(Stored(definition: self)), as: UTF8.self)
        }
    }
}
