import Foundation
import RosterStore
import RosterText

extension TransactionUsers {
    /// Creates a user, or sets the attributes of the user who has the name.
    func upsert(_ uid: String, _ attributes: AttributeSet) throws -> (user: User, wasCreated: Bool) {
        if let old = try findID(of: .named(uid)) {
            return (try modify(.id(old), attributes.map { .set($0.name, $0.value) }, ifVersion: nil), false)
        }
        var attributes = attributes
        attributes[.uid] = .string(uid)
        let editor = try transaction.asEditor(to: "create users")
        return (try editor.users.create(NewUser(attributes: attributes, transaction.vocabulary)), true)
    }

    /// Refuses callers who may not write one of the attributes of a user.
    package func checkWriting(_ names: [AttributeName], of user: UserID) throws {
        try transaction.rights.checkWriting(
            names.compactMap { transaction.vocabulary.definition(of: $0) }, of: user, in: transaction)
    }

    /// Refuses callers who may not set a user's password together with other attributes.
    ///
    /// - Returns: The user's names and addresses, which the password must not match.
    package func namesToSetPassword(of user: UserReference, with others: [AttributeName] = []) throws -> [String] {
        let user = try stored(user)
        try checkWriting(["password"] + others, of: user.id)
        return [user.uid] + (user.attributes["emails"]?.elements ?? []).compactMap(\.text)
    }

    func nameTaken(_ name: String) -> DirectoryError {
        DirectoryError(
            .alreadyExists, "The user \(EntityName.shown(name)) already exists.",
            advice: "Choose another name, or modify that user.", attribute: "uid")
    }

    func managerID(_ manager: UserReference, of user: String) throws -> UserID {
        do {
            return try id(of: manager)
        } catch let error as DirectoryError where error.code == .notFound {
            throw DirectoryError(
                .notFound, "The manager of \(EntityName.shown(user)), \(manager), does not exist.",
                advice: "Create the manager first.", attribute: "manager")
        }
    }

    // MARK: Modify

    package func modify(
        _ reference: UserReference, _ changes: [AttributeChange], ifVersion version: Int64?
    ) throws -> User {
        try modify(stored: try stored(reference), changes, ifVersion: version)
    }

    /// Changes a user who was read within the transaction, and has not been changed since.
    func modify(stored old: User, _ changes: [AttributeChange], ifVersion version: Int64?) throws -> User {
        let vocabulary = transaction.vocabulary
        let changes = changes.map { $0.withOwnName(in: vocabulary, .user) }
        let definitions = try changes.map { change in
            guard let definition = vocabulary.definition(of: change.name) else {
                throw vocabulary.unknownAttribute(change.name, of: .user)
            }
            return definition
        }
        try transaction.rights.checkWriting(definitions, of: old.id, in: transaction)
        try check(version, of: old.version, old.uid)

        var attributes = old.attributes.decoded
        var name = try EntityName(old.uid)
        var isActive = old.isActive
        var manager = old.managerID
        var outsideRecord: [AttributeChange] = []
        var steps = Pattern.maximumSteps
        var effort = ChangeEffort(maximum: ChangeEffort.maximumInWriter)
        try transaction.takeShare(rows: changes.count)
        for (change, definition) in zip(changes, definitions) {
            switch definition.name {
            case "uid":
                let text = try Self.newValue(of: change)?.text ?? ""
                if text != old.uid { name = try EntityName(new: text) }
            case "active": isActive = try Self.newValue(of: change).map(Self.boolean) ?? true
            case "manager": manager = try newManager(change, of: old)
            case "password", "externalId": outsideRecord.append(change)
            default:
                guard !definition.isMaintained else {
                    throw DirectoryError(
                        .invalidAttribute, "The directory maintains '\(definition.name)', so it cannot be set.",
                        attribute: definition.name)
                }
                try effort.spend(on: definition, of: attributes)
                try attributes.apply(change, definition, steps: &steps)
            }
        }
        let isSame =
            attributes == old.attributes && name.text == old.uid && isActive == old.isActive && manager == old.managerID
        if !isSame { try transaction.rights.checkSize(of: attributes, comingFrom: old.attributes) }
        let recorded = try transaction.accounts.storeOutsideRecord(outsideRecord, of: old.id.rawValue)
        var new = old
        if !isSame || !recorded.isEmpty { new = try update(old, attributes, name, isActive, manager, recorded) }
        let now = transaction.now()
        let wasUsable = old.isActive && AccountDates(old.attributes).contain(now)
        let isUsable = isActive && AccountDates(attributes).contain(now)
        if wasUsable, !isUsable { try transaction.accounts.checkAdministratorsRemain() }
        // An account that can be used again after its end begins without its old sessions.
        if old.isActive && !isActive || wasUsable != isUsable { try transaction.accounts.endSignIns(of: old.id) }
        try present(&new, Selection(.usual, of: .user, vocabulary))
        return new
    }

    /// Whether changes surely leave a user as the user is, which no statement has to find out. Most rows of a document that comes every
    /// night do.
    func surelyLeave(_ old: User, _ changes: [AttributeChange]) -> Bool {
        var attributes = old.attributes.decoded
        var steps = Pattern.maximumSteps
        for change in changes {
            guard let definition = transaction.vocabulary.definition(of: change.name), !definition.isMaintained else {
                return false
            }
            switch definition.name {
            case "uid", "manager", "password", "externalId": return false
            case "active":
                guard let value = try? Self.newValue(of: change).map(Self.boolean) ?? true, value == old.isActive else {
                    return false
                }
            default:
                // An invalid value is refused by the change itself.
                guard (try? attributes.apply(change, definition, steps: &steps)) != nil else { return false }
            }
        }
        return attributes == old.attributes
    }

    static func newValue(of change: AttributeChange) throws -> AttributeValue? {
        switch change {
        case .set(_, let value): return value == .string("") ? nil : value
        case .clear: return nil
        case .add(let name, _), .remove(let name, _):
            throw DirectoryError(
                .invalidAttribute, "'\(name)' has one value.", advice: "Set it instead.", attribute: name)
        }
    }

    private func newManager(_ change: AttributeChange, of user: User) throws -> UserID? {
        guard let text = try Self.newValue(of: change)?.text else { return nil }
        let manager = try managerID(.either(text), of: user.uid)
        try Hierarchy.reporting.check(
            [user.id.rawValue], below: manager.rawValue, named: user.uid, in: transaction)
        return manager
    }

    func check(_ expected: Int64?, of actual: Int64, _ name: String) throws {
        guard let expected, expected != actual else { return }
        throw DirectoryError(
            .versionConflict,
            "\(EntityName.shown(name)) has version \(actual), not \(expected): somebody changed it since.",
            advice: "Read it again and repeat the change.")
    }

    /// Stores the differences between two states of a user.
    ///
    /// - Returns: The user as stored.
    @discardableResult
    func update(
        _ old: User, _ attributes: AttributeSet, _ name: EntityName, _ isActive: Bool, _ manager: UserID?,
        _ recorded: AttributeSet = [:]
    ) throws -> User {
        let vocabulary = transaction.vocabulary
        let time = transaction.now(notBefore: old.modified)
        let stored = attributes.record
        try transaction.takeShare(recordBytes: stored.utf8.count)
        var columns: [(name: String, value: Binding)] = [
            ("active", .integer(isActive ? 1 : 0)), ("version", .integer(old.version + 1)),
            ("modified", .integer(time.milliseconds)), ("attributes", .text(stored)),
        ]
        if manager != old.managerID { columns.append(("manager", .integer(manager?.rawValue))) }
        let isRenamed = name.text != old.uid
        if isRenamed { columns += [("name", .text(name.text)), ("name_key", .text(name.key))] }
        // The keys of unchanged attributes are the same before and after, so that nobody needs them.
        let (was, becomes) = old.attributes.differences(from: attributes)
        let oldKeys = UserKeys(
            name: isRenamed ? try EntityName(old.uid).key : name.key, attributes: was, vocabulary: vocabulary)
        let newKeys = UserKeys(name: name.key, attributes: becomes, vocabulary: vocabulary)
        try newKeys.checkSizes(of: name.text, on: transaction.connection)
        if newKeys.name != oldKeys.name,
            try transaction.connection.first(UserStatements.idByName, text: name.key, { _ in true }) == true
        {
            throw nameTaken(name.text)
        }
        if newKeys.name != oldKeys.name { try transaction.signInAddresses.checkIsNobodys(name, of: old.id) }
        for (index, key) in newKeys.columnKeys.enumerated() where key != oldKeys.columnKeys[index] {
            columns.append((UserKeys.columns[index].column, key))
        }
        let hasOtherDates = AccountDates(was) != AccountDates(becomes)
        if hasOtherDates {
            let dates = AccountDates(attributes)
            columns += [("starts", .integer(dates.starts)), ("ends", .integer(dates.ends))]
        }
        try transaction.connection.run(
            dynamic: UserStatements.update(columns.map(\.name)), columns.map(\.value) + [.integer(old.id.rawValue)],
            changing: isRenamed ? .any : .one(old.id.rawValue))
        try transaction.userRows.updateValues(of: old.id, oldKeys.values, newKeys.values)
        if newKeys.hasOtherText(than: oldKeys) {
            let before = UserKeys(name: oldKeys.name, attributes: old.attributes, vocabulary: vocabulary)
            let after = UserKeys(name: newKeys.name, attributes: attributes, vocabulary: vocabulary)
            try transaction.connection.run(
                TextIndexStatements.deleteText, [.integer(old.id.rawValue)] + before.text, changing: .none)
            try transaction.connection.run(
                TextIndexStatements.insertText, [.integer(old.id.rawValue)] + after.text, changing: .none)
        }
        let words = UserWords.differences(
            from: (oldKeys.name, old.attributes), to: (newKeys.name, attributes), altering: (was, becomes))
        try updateWords(of: old.id, removing: words.removed, adding: words.added)
        // All addresses are checked, because an existing address may have become the primary one.
        if was["emails"] != becomes["emails"] {
            try transaction.rights.checkAddresses(newKeys.values, of: old.id, in: transaction)
            try transaction.signInAddresses.note(of: old.id, from: old.attributes, to: attributes, at: time)
        }
        if isRenamed || isActive != old.isActive || hasOtherDates {
            try transaction.connection.run(
                AccessStatements.endPasswordLink, [.integer(old.id.rawValue)], changing: .none)
        }
        var (before, after) = (was, becomes)
        if isRenamed { (before["uid"], after["uid"]) = (.string(old.uid), .string(name.text)) }
        if isActive != old.isActive {
            (before["active"], after["active"]) = (.boolean(old.isActive), .boolean(isActive))
        }
        if manager != old.managerID {
            before["manager"] = old.managerID.map { .string($0.description) }
            after["manager"] = manager.map { .string($0.description) }
        }
        try transaction.feed.record(
            .modified, .user, id: old.id.rawValue, name: name.text, before: before, after: after.adding(recorded),
            at: time)
        return User(
            id: old.id, uid: name.text, isActive: isActive, managerID: manager, version: old.version + 1,
            created: old.created, modified: Date(milliseconds: time.milliseconds),
            attributes: AttributeSet(StoredRecord(stored)), view: transaction.view)
    }
}
