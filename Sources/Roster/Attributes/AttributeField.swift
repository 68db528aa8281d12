/// A field of an attribute's definition. The raw value is the one name that everything writes: exports, the wire, REST, the
/// change feed, lists and options of the command line. It is SCIM's name (RFC 7643, section 7) where SCIM has the field.
///
/// Earlier versions of Roster wrote other names for some fields. Every interface reads these earlier names as well.
package enum AttributeField: String, Sendable, Hashable, CaseIterable {
    case name, of, type, multiValued, caseExact, indexed, unique, pattern, minimumLength, maximumLength, minimum,
        maximum,
        readers, writers, labels, descriptions

    /// The names that older versions wrote, beginning with the name in stored definitions if that is another one.
    package var olderNames: [String] {
        switch self {
        case .of: ["entity"]
        case .type: ["kind"]
        case .multiValued: ["isMultiValued", "multi_valued", "several"]
        case .caseExact: ["isCaseExact", "case_exact"]
        case .indexed: ["isSearchable", "searchable"]
        case .unique: ["isUnique"]
        case .minimumLength: ["minimum_length"]
        case .maximumLength: ["maximum_length"]
        case .name, .pattern, .minimum, .maximum, .readers, .writers, .labels, .descriptions: []
        }
    }

    /// The fields that limit the values of an attribute.
    package static let rules: [AttributeField] = [
        .unique, .pattern, .minimumLength, .maximumLength, .minimum, .maximum,
    ]

    /// Finds the field that has a written name or an older one. Returns nil for any other text.
    package init?(named name: String) {
        guard let field = Self.named[name] else { return nil }
        self = field
    }

    private static let named = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { field in ([field.rawValue] + field.olderNames).map { ($0, field) } })

    /// A name in the encoded form of definitions and of operations about them.
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(_ field: AttributeField) { stringValue = field.rawValue }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}

extension KeyedDecodingContainer<AttributeField.Key> {
    /// Decodes the value of a field that has its written name or an older one. Returns nil if the value is missing or null.
    func decodeIfPresent<Value: Decodable>(_ field: AttributeField, as _: Value.Type = Value.self) throws -> Value? {
        for name in [field.rawValue] + field.olderNames {
            if let value = try decodeIfPresent(Value.self, forKey: .init(name)) { return value }
        }
        return nil
    }

    /// Decodes the value of a field that has its written name or an older one.
    ///
    /// - Throws: `DecodingError` if the value is missing or null.
    func decode<Value: Decodable>(_ field: AttributeField, as _: Value.Type = Value.self) throws -> Value {
        if let value = try decodeIfPresent(field, as: Value.self) { return value }
        return try decode(Value.self, forKey: .init(field))
    }
}

extension AttributeDefinition {
    /// The fields with their values, for answers, exports and the change feed. Rules that the attribute does not have are left out.
    package var fields: [(field: AttributeField, value: AttributeValue)] {
        var fields: [(field: AttributeField, value: AttributeValue)] = [
            (.name, .string(name.rawValue)), (.type, .string(kind.rawValue)), (.of, .string(entity.rawValue)),
            (.multiValued, .boolean(isMultiValued)), (.caseExact, .boolean(isCaseExact)), (.unique, .boolean(isUnique)),
        ]
        fields += rules.fields
        fields.append((.indexed, .boolean(isIndexed)))
        fields.append((.readers, .string("\(readers)")))
        fields.append((.writers, .string(writers.rawValue)))
        return fields + texts.fields
    }

    /// The definition as the change feed shows it.
    var recorded: AttributeSet {
        var set = AttributeSet()
        for (field, value) in fields { set[AttributeName(field.rawValue)] = value }
        return set
    }
}

extension AttributeRules {
    /// The rules for values, without uniqueness.
    fileprivate var fields: [(field: AttributeField, value: AttributeValue)] {
        var fields: [(field: AttributeField, value: AttributeValue)] = []
        if let pattern { fields.append((.pattern, .string(pattern))) }
        if let minimumLength { fields.append((.minimumLength, .integer(Int64(minimumLength)))) }
        if let maximumLength { fields.append((.maximumLength, .integer(Int64(maximumLength)))) }
        if let minimum { fields.append((.minimum, .decimal(minimum))) }
        if let maximum { fields.append((.maximum, .decimal(maximum))) }
        return fields
    }

    /// The rules for values in words, for lists that people read.
    package var text: String {
        fields.map { "\($0.field.rawValue) \(ExchangeText.text($0.value))" }.joined(separator: ", ")
    }
}
