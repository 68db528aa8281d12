/// A change of the vocabulary.
protocol VocabularyChange: ChangeOperation where Answer == Nothing {
    func apply(in transaction: Transaction) throws
}

extension VocabularyChange {
    static var changesVocabulary: Bool { true }

    func run(in transaction: Transaction) throws -> Nothing {
        try apply(in: transaction)
        return Nothing()
    }
}

/// Carries a call of `declare(_:)` of ``AttributeManager``.
struct DeclareAttributes: VocabularyChange {
    static let name = "declareAttributes"
    let definitions: [AttributeDefinition]

    func apply(in transaction: Transaction) throws {
        _ = try transaction.asAdministrator(to: "declare attributes").attributes.declare(definitions)
    }
}

/// Carries a call of `setRights(of:for:readers:writers:)` of ``AttributeManager``.
struct SetAttributeRights: VocabularyChange {
    static let name = "setAttributeRights"
    let attribute: AttributeName
    let entity: AttributeDefinition.Entity
    let readers: AttributeDefinition.Readers?
    let writers: AttributeDefinition.Writers?

    func apply(in transaction: Transaction) throws {
        _ = try transaction.asPresentAdministrator(to: "set who reads and writes attributes").setRights(
            of: attribute, entity, readers, writers)
    }
}

extension SetAttributeRights {
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            attribute: try values.decode(AttributeName.self, forKey: .attribute), entity: try values.decode(.of),
            readers: try values.decodeIfPresent(.readers), writers: try values.decodeIfPresent(.writers))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(attribute, forKey: .attribute)
        try values.encode(entity, forKey: .init(.of))
        try values.encodeIfPresent(readers, forKey: .init(.readers))
        try values.encodeIfPresent(writers, forKey: .init(.writers))
    }
}

/// Carries a call of `resetRights(of:for:)` of ``AttributeManager``.
struct ResetAttributeRights: VocabularyChange {
    static let name = "resetAttributeRights"
    let attribute: AttributeName
    let entity: AttributeDefinition.Entity

    func apply(in transaction: Transaction) throws {
        try transaction.asPresentAdministrator(to: "set who reads and writes attributes").resetRights(
            of: attribute, entity)
    }
}

extension ResetAttributeRights {
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            attribute: try values.decode(AttributeName.self, forKey: .attribute), entity: try values.decode(.of))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(attribute, forKey: .attribute)
        try values.encode(entity, forKey: .init(.of))
    }
}

/// Carries a call of `widen(_:to:isMultiValued:isCaseExact:)` of ``AttributeManager``.
struct WidenAttribute: VocabularyChange {
    static let name = "widenAttribute"
    let attribute: AttributeName
    let kind: AttributeDefinition.Kind?
    let isMultiValued: Bool?
    let isCaseExact: Bool?

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "widen an attribute").attributes.widen(
            attribute, to: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact)
    }
}

extension WidenAttribute {
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            attribute: try values.decode(AttributeName.self, forKey: .attribute),
            kind: try values.decodeIfPresent(.type), isMultiValued: try values.decodeIfPresent(.multiValued),
            isCaseExact: try values.decodeIfPresent(.caseExact))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(attribute, forKey: .attribute)
        try values.encodeIfPresent(kind, forKey: .init(.type))
        try values.encodeIfPresent(isMultiValued, forKey: .init(.multiValued))
        try values.encodeIfPresent(isCaseExact, forKey: .init(.caseExact))
    }
}

/// Carries a call of `rename(_:to:)` of ``AttributeManager``.
struct RenameAttribute: VocabularyChange {
    static let name = "renameAttribute"
    let attribute: AttributeName
    let newName: AttributeName

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "rename an attribute").attributes.rename(attribute, to: newName)
    }
}

/// Carries a call of `index(_:)` and `removeIndex(of:)` of ``AttributeManager``.
struct SetAttributeIndex: VocabularyChange {
    static let name = "setAttributeIndex"
    let attribute: AttributeName
    let isIndexed: Bool

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "index attributes").attributes.setIndexed(isIndexed, attribute)
    }
}

extension SetAttributeIndex {
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: AttributeField.Key.self)
        self.init(
            attribute: try values.decode(AttributeName.self, forKey: .attribute), isIndexed: try values.decode(.indexed)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: AttributeField.Key.self)
        try values.encode(attribute, forKey: .attribute)
        try values.encode(isIndexed, forKey: .init(.indexed))
    }
}

/// Carries a call of `setRules(_:of:)` of ``AttributeManager``.
struct SetAttributeRules: VocabularyChange {
    static let name = "setAttributeRules"
    let rules: AttributeRules
    let attribute: AttributeName

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "set the rules of attributes").attributes.setRules(rules, of: attribute)
    }
}

/// Carries a call of `setTexts(_:of:)` of ``AttributeManager``.
struct SetAttributeTexts: VocabularyChange {
    static let name = "setAttributeTexts"
    let texts: AttributeTexts
    let attribute: AttributeName

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "set labels and descriptions of attributes").attributes.setTexts(
            texts, of: attribute)
    }
}

/// Runs `changeTexts(labels:descriptions:of:)` of ``AttributeManager``, on a file or at a server.
struct ChangeAttributeTexts: VocabularyChange {
    static let name = "changeAttributeTexts"
    let labels: [String: String?]
    let descriptions: [String: String?]
    let attribute: AttributeName

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "set labels and descriptions of attributes").attributes.changeTexts(
            of: attribute
        ) { $0.change(labels: labels, descriptions: descriptions) }
    }
}

/// Carries a call of `undeclare(_:removingValues:)` of ``AttributeManager``.
struct UndeclareAttribute: VocabularyChange {
    static let name = "undeclareAttribute"
    let attribute: AttributeName
    let removingValues: Bool

    func apply(in transaction: Transaction) throws {
        try transaction.asAdministrator(to: "undeclare attributes").attributes.undeclare(
            attribute, removingValues: removingValues)
    }
}

extension AttributeField.Key {
    /// The attribute that an operation is about.
    fileprivate static let attribute = Self("attribute")
}
