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

    func apply(in transaction: Transaction) throws { _ = try transaction.attributes.declare(definitions) }
}

/// Carries a call of `setRights(of:for:readers:writers:)` of ``AttributeManager``.
struct SetAttributeRights: VocabularyChange {
    static let name = "setAttributeRights"
    let attribute: AttributeName
    let entity: AttributeDefinition.Entity
    let readers: AttributeDefinition.Readers?
    let writers: AttributeDefinition.Writers?

    func apply(in transaction: Transaction) throws {
        _ = try transaction.attributes.setRights(of: attribute, entity, readers, writers)
    }
}

/// Carries a call of `resetRights(of:for:)` of ``AttributeManager``.
struct ResetAttributeRights: VocabularyChange {
    static let name = "resetAttributeRights"
    let attribute: AttributeName
    let entity: AttributeDefinition.Entity

    func apply(in transaction: Transaction) throws { try transaction.attributes.resetRights(of: attribute, entity) }
}

/// Carries a call of `widen(_:to:isMultiValued:isCaseExact:)` of ``AttributeManager``.
struct WidenAttribute: VocabularyChange {
    static let name = "widenAttribute"
    let attribute: AttributeName
    let kind: AttributeDefinition.Kind?
    let isMultiValued: Bool?
    let isCaseExact: Bool?

    func apply(in transaction: Transaction) throws {
        try transaction.attributes.widen(attribute, to: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact)
    }
}

/// Carries a call of `rename(_:to:)` of ``AttributeManager``.
struct RenameAttribute: VocabularyChange {
    static let name = "renameAttribute"
    let attribute: AttributeName
    let newName: AttributeName

    func apply(in transaction: Transaction) throws { try transaction.attributes.rename(attribute, to: newName) }
}

/// Carries a call of `index(_:)` and `removeIndex(of:)` of ``AttributeManager``.
struct SetAttributeIndex: VocabularyChange {
    static let name = "setAttributeIndex"
    let attribute: AttributeName
    let isSearchable: Bool

    func apply(in transaction: Transaction) throws { try transaction.attributes.setSearchable(isSearchable, attribute) }
}

/// Carries a call of `setRules(_:of:)` of ``AttributeManager``.
struct SetAttributeRules: VocabularyChange {
    static let name = "setAttributeRules"
    let rules: AttributeRules
    let attribute: AttributeName

    func apply(in transaction: Transaction) throws { try transaction.attributes.setRules(rules, of: attribute) }
}

/// Carries a call of `undeclare(_:removingValues:)` of ``AttributeManager``.
struct UndeclareAttribute: VocabularyChange {
    static let name = "undeclareAttribute"
    let attribute: AttributeName
    let removingValues: Bool

    func apply(in transaction: Transaction) throws {
        try transaction.attributes.undeclare(attribute, removingValues: removingValues)
    }
}
