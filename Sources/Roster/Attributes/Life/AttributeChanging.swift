import RosterStore

/// The changes of declared attributes, and of the rules of built-in ones. Each runs in the transaction of its caller, so
/// that it changes the definition together with all stored values, or nothing.
extension AdministratorAttributes {
    func widen(
        _ name: AttributeName, to kind: AttributeDefinition.Kind?, isMultiValued: Bool?, isCaseExact: Bool?
    ) throws {
        let old = try declaration(of: name, "widened")
        var new = old
        new.kind = kind ?? old.kind
        new.isMultiValued = isMultiValued ?? old.isMultiValued
        new.isCaseExact = isCaseExact ?? old.isCaseExact
        guard new != old else { return }
        try old.checkWidening(to: new)
        try new.checkRulesFit()
        if new.kind != old.kind || new.isMultiValued != old.isMultiValued {
            var unfit = HolderCount()
            try forEachHolder(of: old.name, old.entity) { holder in
                let elements = holder.value.elements.map { $0.widened(to: new.kind) }
                guard !elements.contains(nil) else { return unfit.add(holder.name) }
                let value =
                    new.isMultiValued ? .list(elements.compactMap { $0 }) : (elements.first ?? nil) ?? holder.value
                try rewrite(holder, old.name, to: old.name, value, old.entity)
            }
            guard unfit.count == 0 else {
                throw DirectoryError(
                    .invalidAttribute,
                    "The values of '\(old.name)' of \(unfit.text(old.entity)), have no exact form as \(new.kind.rawValue).",
                    advice: "Change the values first, or widen the attribute to text.", attribute: old.name)
            }
        }
        try buildEntries(of: new)
        if new.isUnique { try checkNoneShared(new) }
        try store(new, insteadOf: old)
    }

    func rename(_ name: AttributeName, to newName: AttributeName) throws {
        let old = try declaration(of: name, "renamed")
        var new = old
        new.name = newName
        guard new != old else { return }
        try new.checkDeclarable()
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        for entity in [AttributeDefinition.Entity.user, .role] {
            // The attribute itself may change the case of its name.
            guard let other = vocabulary.definition(named: newName.rawValue, for: entity), other.name != old.name else {
                continue
            }
            throw DirectoryError(
                .alreadyExists, "'\(newName)' names another attribute already.", advice: "Choose another name.",
                attribute: newName)
        }
        try forEachHolder(of: old.name, old.entity) { holder in
            try rewrite(holder, old.name, to: newName, holder.value, old.entity)
        }
        try transaction.connection.run(
            AttributeStatements.renameEntries, [.text(old.name.rawValue), .text(newName.rawValue)])
        try store(new, insteadOf: old)
    }

    func setIndexed(_ isIndexed: Bool, _ name: AttributeName) throws {
        if let builtIn = try AttributeManager.vocabulary(on: transaction.connection).indexableBuiltIn(name) {
            return try setIndexed(isIndexed, builtIn: builtIn)
        }
        let old = try declaration(of: name, "given another index")
        var new = old
        new.isIndexed = isIndexed
        guard new != old else { return }
        guard old.entity == .user, old.kind != .binary else {
            throw DirectoryError(
                .invalidAttribute, "'\(old.name)' cannot have an index.",
                advice: "Indexes are for attributes of users, and not for binary data.", attribute: old.name)
        }
        guard isIndexed || !old.isUnique else {
            throw DirectoryError(
                .invalidAttribute, "'\(old.name)' is unique, which needs the index.",
                advice: "Remove the rule that values are unique first.", attribute: old.name)
        }
        try buildEntries(of: new)
        try store(new, insteadOf: old)
    }

    /// Gives a built-in attribute an index, or takes it away. The index is stored with the rules of the attribute.
    private func setIndexed(_ isIndexed: Bool, builtIn old: AttributeDefinition) throws {
        var new = old
        new.isIndexed = isIndexed
        guard new != old else { return }
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        let sharesEntries = vocabulary.indexedBuiltIn.contains { $0.name != old.name && $0.entries == old.entries }
        if !sharesEntries { try buildEntries(of: new) }
        try storeBuiltIn(new)
        try recordDefinition(.modified, of: new, from: old, to: new)
    }

    /// Stores what a built-in attribute has in addition to what every directory gives it.
    private func storeBuiltIn(_ definition: AttributeDefinition) throws {
        try transaction.connection.run(AttributeStatements.delete, [.text(definition.name.rawValue)])
        let hasIndexOfItsOwn = definition.isIndexed && !definition.isIndexedFromTheStart
        guard hasIndexOfItsOwn || definition.rules != AttributeRules() else { return }
        try transaction.connection.run(
            AttributeStatements.insert, [.text(definition.name.rawValue), .text(try definition.json)])
    }

    /// - Returns: Whether anything changed.
    @discardableResult
    func setRules(_ rules: AttributeRules, of name: AttributeName) throws -> Bool {
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        let old = try vocabulary.attributeOfRules(name)
        var new = old
        new.rules = rules
        guard new != old else { return false }
        if old.isBuiltIn {
            try transaction.access.checkPresence(to: "set the rules of a built-in attribute")
        } else if rules.isUnique, !old.isIndexed, old.kind != .binary {
            new.isIndexed = true
        }
        try new.checkRulesFit()
        if new.isIndexed != old.isIndexed { try buildEntries(of: new) }
        try checkStoredValues(of: new, insteadOf: old)
        guard old.isBuiltIn else {
            try store(new, insteadOf: old)
            return true
        }
        try storeBuiltIn(new)
        try recordDefinition(.modified, of: new, from: old, to: new)
        return true
    }

    func undeclare(_ name: AttributeName, removingValues: Bool) throws {
        let definition = try declaration(of: name, "undeclared")
        var holders = HolderCount()
        try forEachHolder(of: definition.name, definition.entity) { holder in
            holders.add(holder.name)
            guard removingValues else { return }
            let clear = [AttributeChange.clear(definition.name)]
            switch definition.entity {
            case .user: _ = try transaction.users.modify(.id(UserID(rawValue: holder.id)), clear, ifVersion: nil)
            case .role:
                _ = try transaction.asProvisioning(to: "undeclare attributes").roles
                    .modify(.id(RoleID(rawValue: holder.id)), clear, ifVersion: nil)
            }
        }
        guard holders.count == 0 || removingValues else {
            throw DirectoryError(
                .invalidAttribute, "'\(definition.name)' has values of \(holders.text(definition.entity)).",
                advice: "Clear the values first, or undeclare the attribute together with its values.",
                attribute: definition.name)
        }
        try transaction.connection.run(AttributeStatements.deleteEntries, [.text(definition.name.rawValue)])
        try transaction.connection.run(AttributeStatements.delete, [.text(definition.name.rawValue)])
        try recordDefinition(.deleted, of: definition, from: definition, to: nil)
    }

    // MARK: Definitions

    /// The stored definition of a declared attribute.
    ///
    /// - Parameter participle: The change, worded to follow "cannot be".
    func declaration(of name: AttributeName, _ participle: String) throws -> AttributeDefinition {
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        if let declared = vocabulary.declaration(of: name) { return declared }
        guard let builtIn = vocabulary.definition(of: name) ?? vocabulary.definition(of: name, for: .role) else {
            throw vocabulary.unknownAttribute(name, of: .user)
        }
        throw DirectoryError(
            .invalidAttribute, "'\(builtIn.name)' is built in, so it cannot be \(participle).",
            advice: "Declare an attribute of your own.", attribute: builtIn.name)
    }

    func store(_ new: AttributeDefinition, insteadOf old: AttributeDefinition) throws {
        try transaction.connection.run(
            AttributeStatements.rename, [.text(old.name.rawValue), .text(new.name.rawValue), .text(try new.json)])
        try recordDefinition(.modified, of: new, from: old, to: new)
    }

    private func recordDefinition(
        _ kind: Change.Kind, of definition: AttributeDefinition, from old: AttributeDefinition?,
        to new: AttributeDefinition?
    ) throws {
        try transaction.feed.record(
            kind, .attribute, id: 0, name: definition.name.rawValue, before: old?.recorded, after: new?.recorded)
    }
}

extension Vocabulary {
    /// The built-in attribute of users that can be given an index: one that is stored in the record, and has none from the start; nil
    /// for other attributes.
    fileprivate func indexableBuiltIn(_ name: AttributeName) -> AttributeDefinition? {
        guard declaration(of: name) == nil, let definition = definition(of: name),
            StandardAttributes.isStandardUser(definition.name), !definition.isIndexedFromTheStart,
            definition.kind == .string || definition.kind == .complex
        else { return nil }
        return definition
    }

    /// The declaration of an attribute of users or of roles; nil for built-in and unknown ones.
    fileprivate func declaration(of name: AttributeName) -> AttributeDefinition? {
        [AttributeDefinition.Entity.user, .role].lazy.compactMap { definition(of: name, for: $0) }
            .first { !$0.isBuiltIn }
    }

    /// The attribute that stores the rules of a name: `emails` for `mail`.
    fileprivate func attributeOfRules(_ name: AttributeName) throws -> AttributeDefinition {
        if let declared = declaration(of: name) { return declared }
        guard let builtIn = definition(of: name) else { throw unknownAttribute(name, of: .user) }
        let isAddress = builtIn.name == "mail" || builtIn.name == "emails"
        guard isAddress, let emails = definition(of: "emails") else {
            throw DirectoryError(
                .invalidAttribute, "'\(builtIn.name)' is built in, so it can have no rules.",
                advice: "Among the built-in attributes only 'mail' takes rules.", attribute: builtIn.name)
        }
        return emails
    }
}

extension AttributeValue {
    /// The same value as one of a wider kind; nil if that kind has no exact form of the value.
    fileprivate func widened(to kind: AttributeDefinition.Kind) -> AttributeValue? {
        switch (kind, self) {
        case (.decimal, .integer(let number)):
            let decimal = Double(number)
            return Int64(exactly: decimal) == number ? .decimal(decimal) : nil
        case (.string, .string): return self
        case (.string, _): return .string(ExchangeText.text(self))
        default: return self
        }
    }
}
