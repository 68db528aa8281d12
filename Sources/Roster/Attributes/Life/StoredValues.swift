import RosterStore

/// A user or role that has values of an attribute.
struct AttributeHolder {
    let id: Int64
    let name: String
    /// All attributes of the user or role.
    let attributes: AttributeSet
    /// The values of the attribute.
    let value: AttributeValue
}

/// The number of users or roles whose values prevent a change, and the name of one of them.
struct HolderCount {
    private(set) var count = 0
    private(set) var example = ""

    mutating func add(_ name: String) {
        if count == 0 { example = name }
        count += 1
    }

    /// A text such as "3 users, for example 'ada'".
    func text(_ entity: AttributeDefinition.Entity) -> String {
        "\(count) \(entity.rawValue)\(count == 1 ? "" : "s"), for example \(EntityName.shown(example))"
    }
}

extension AdministratorAttributes {
    /// Passes every user or role that has values of an attribute to `body`, which may change that user or role.
    func forEachHolder(
        of name: AttributeName, _ entity: AttributeDefinition.Entity, _ body: (AttributeHolder) throws -> Void
    ) throws {
        let statement = entity == .user ? AttributeStatements.usersWith : AttributeStatements.rolesWith
        var last: Int64 = 0
        while true {
            let page = try transaction.connection.all(statement, [.integer(last), .text(RecordText.mark(of: name))]) {
                row in
                (id: row.integer(0), name: row.text(1), attributes: try row.bytes(2) { try AttributeSet(stored: $0) })
            }
            for (id, holder, attributes) in page {
                last = id
                // A value can contain the text of the name, too.
                guard let value = attributes.first(where: { $0.name == name })?.value else { continue }
                try body(AttributeHolder(id: id, name: holder, attributes: attributes, value: value))
            }
            if page.isEmpty { return }
        }
    }

    /// Replaces the values of an attribute in the record of their holder, without a new version or index entries.
    func rewrite(
        _ holder: AttributeHolder, _ old: AttributeName, to new: AttributeName, _ value: AttributeValue,
        _ entity: AttributeDefinition.Entity
    ) throws {
        var attributes = holder.attributes
        attributes[old] = nil
        attributes[new] = value
        try transaction.connection.run(
            entity == .user ? AttributeStatements.setOfUser : AttributeStatements.setOfRole,
            [.integer(holder.id), .text(attributes.record)])
    }

    /// Builds the index entries of an attribute of users anew.
    func buildEntries(of definition: AttributeDefinition) throws {
        let list = definition.element?.attribute ?? definition.name
        let name = definition.entries
        try transaction.connection.run(AttributeStatements.deleteEntries, [.text(name)])
        guard definition.entity == .user, definition.isIndexed else { return }
        let vocabulary =
            definition.isBuiltIn ? Vocabulary(indexed: [definition.name]) : Vocabulary(declared: [definition])
        try forEachHolder(of: list, .user) { holder in
            let keys = UserKeys(name: "", attributes: [list: holder.value], vocabulary: vocabulary)
            try keys.checkSizes(of: holder.name, on: transaction.connection)
            try transaction.userRows.insertValues(keys.values.filter { $0.attribute == name }, id: holder.id)
        }
    }

    /// Refuses values that two users share. Reads the index entries.
    func checkNoneShared(_ definition: AttributeDefinition) throws {
        let sharing = try transaction.connection.first(AttributeStatements.sharing, [.text(definition.name.rawValue)]) {
            (count: $0.integer(0), first: $0.optionalInteger(1))
        }
        guard let sharing, let first = sharing.first else { return }
        throw DirectoryError(
            .alreadyExists,
            "\(sharing.count) users share values of '\(definition.name)', for example \(EntityName.shown(try transaction.exporting.name(of: first))).",
            advice: "Give these users different values first.", attribute: definition.name)
    }

    /// Refuses stored values that break the rules of an attribute, and values that two users share if the values are
    /// unique.
    func checkStoredValues(of definition: AttributeDefinition, insteadOf old: AttributeDefinition) throws {
        let isSecret = definition.readers == .nobody
        if definition.rules.areForValues || isSecret && definition.isUnique && !old.isUnique {
            var breaking = HolderCount()
            var holderIsAbsent = true
            try forEachHolder(of: definition.name, definition.entity) { holder in
                holderIsAbsent = false
                var steps = Pattern.maximumSteps
                if holder.value.elements.contains(where: { definition.rules.broken(by: $0, steps: &steps) != nil }) {
                    breaking.add(holder.name)
                }
            }
            // Counting, or comparing users, would answer questions about values that nobody may read.
            guard !isSecret || holderIsAbsent else {
                throw DirectoryError(
                    .invalidAttribute,
                    "'\(definition.name)' is a secret and has values, so it can get no rules for them.",
                    advice: "Declare a new attribute with the rules.", attribute: definition.name)
            }
            guard breaking.count == 0 else {
                throw DirectoryError(
                    .invalidAttribute,
                    "The values of '\(definition.name)' of \(breaking.text(definition.entity)), break the rules.",
                    advice: "Correct the values first, or relax the rules.", attribute: definition.name)
            }
        }
        if definition.isUnique { try checkNoneShared(definition) }
    }
}
