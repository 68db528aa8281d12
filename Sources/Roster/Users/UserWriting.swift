import Foundation
import RosterStore
import RosterText

extension Transaction {
    // MARK: Create

    package func create(_ new: NewUser) throws -> User {
        try checkCreating()
        let prepared = try PreparedUser(new, vocabulary)
        if try connection.first(UserStatements.idByName, text: prepared.name.key, { _ in true }) == true {
            throw nameTaken(prepared.name.text)
        }
        let id = UserID(rawValue: try nextID())
        let manager = try new.manager.map { try managerID($0, of: new.uid) }
        try checkIsNobodysAddress(prepared.name, of: id)
        let time = now()
        try insert(prepared, id: id, manager: manager, at: time)
        try checkUnique(prepared.keys.values, of: id)
        try rights.checkAddresses(prepared.keys.values, of: id, in: self)
        try noteFirstAddress(of: id, prepared.keys, at: time)
        return try user(.id(id))
    }

    /// Refuses callers who may not create users.
    package func checkCreating() throws { try rights.checkEditingPeople(to: "create users") }

    /// Refuses callers who may not write one of the attributes of a user.
    package func checkWriting(_ names: [AttributeName], of user: UserID) throws {
        try rights.checkWriting(names.compactMap { vocabulary.definition(of: $0) }, of: user, in: self)
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

    /// Stores a new user with its keys and its change feed entry.
    private func insert(_ user: PreparedUser, id: UserID, manager: UserID?, at time: Date) throws {
        try takeShare(recordBytes: user.record.utf8.count)
        try takeShare(rows: user.keys.values.count)
        try user.keys.checkSizes(of: user.name.text, on: connection)
        try insertRow(user, id: id, manager: manager, at: time)
        try insertValues(user.keys, id: id.rawValue)
        try insertText(user.text, id: id.rawValue)
        if !user.outsideRecord.isEmpty { _ = try storeOutsideRecord(user.outsideRecord, of: id.rawValue) }
        try write(
            .created, .user, id: id.rawValue, name: user.name.text, before: nil,
            after: user.history.text(manager: manager), at: time)
    }

    /// Stores the row of a new user.
    func insertRow(_ user: PreparedUser, id: UserID, manager: UserID?, at time: Date) throws {
        try connection.run(UserStatements.insert) { statement in
            try statement.bind(id.rawValue, at: 1)
            try statement.bind(user.name.text, at: 2)
            try statement.bind(user.name.key, at: 3)
            try statement.bind(user.isActive ? 1 : 0, at: 4)
            try statement.bind(manager?.rawValue, at: 5)
            try statement.bind(time.milliseconds, at: 6)
            for (index, key) in user.keys.columnKeys.enumerated() { try statement.bind(key, at: Int32(index + 7)) }
            try statement.bind(user.record, at: 14)
            try statement.bind(user.dates.starts, at: 15)
            try statement.bind(user.dates.ends, at: 16)
        }
    }

    /// Adds a new user to the table of values.
    func insertValues(_ keys: UserKeys, id: Int64) throws {
        for value in keys.values {
            try connection.run(UserStatements.insertValue) { statement in
                try statement.bind(value.attribute, at: 1)
                try statement.bind(connection.stored(value.key), at: 2)
                try statement.bind(id, at: 3)
            }
        }
    }

    /// Adds a new user to the text index.
    func insertText(_ text: [Binding], id: Int64) throws {
        try connection.run(UserStatements.insertText) { statement in
            try statement.bind(id, at: 1)
            for (index, column) in text.enumerated() { try statement.bind(column, at: Int32(index + 2)) }
        }
    }

    /// Records a user's creation in the change feed.
    func writeCreation(sequence: Int64, actor: String, id: Int64, name: String, after: String, at time: Date) throws {
        try connection.run(ChangeStatements.insert) { statement in
            try statement.bind(sequence, at: 1)
            try statement.bind(time.milliseconds, at: 2)
            try statement.bind(actor, at: 3)
            try statement.bind(Change.Kind.created.rawValue, at: 4)
            try statement.bind(Change.Entity.user.rawValue, at: 5)
            try statement.bind(id, at: 6)
            try statement.bind(name, at: 7)
            try statement.bind(.null, at: 8)
            try statement.bind(after, at: 9)
        }
    }

    func checkUnique(_ values: some Sequence<UserKeys.Value>, of id: UserID) throws {
        guard vocabulary.hasUnique else { return }
        let unique = values.filter { vocabulary.definition(of: AttributeName($0.attribute))?.isUnique == true }
        // Sorted, so that the same one of several taken values is named each time.
        for value in unique.sorted(by: { $0.attribute < $1.attribute }) {
            let isTaken = try connection.first(
                UserStatements.holderOfValue,
                [.text(value.attribute), connection.stored(value.key), .integer(id.rawValue)]
            ) { _ in true }
            if isTaken == true {
                throw DirectoryError(
                    .alreadyExists, "Another user has that value of '\(value.attribute)', which is unique.",
                    advice: "Choose another value.", attribute: AttributeName(value.attribute))
            }
        }
    }

    // MARK: Modify

    package func modify(
        _ reference: UserReference, _ changes: [AttributeChange], ifVersion version: Int64?
    ) throws -> User {
        let old = try stored(reference)
        let vocabulary = vocabulary
        let changes = changes.map { $0.withOwnName(in: vocabulary, .user) }
        let definitions = try changes.map { change in
            guard let definition = vocabulary.definition(of: change.name) else {
                throw DirectoryError.unknownAttribute(change.name, of: .user)
            }
            return definition
        }
        try rights.checkWriting(definitions, of: old.id, in: self)
        try check(version, of: old.version, old.uid)

        var attributes = old.attributes.decoded
        var name = try EntityName(old.uid)
        var isActive = old.isActive
        var manager = old.managerID
        var outsideRecord: [AttributeChange] = []
        var steps = Pattern.maximumSteps
        var effort = ChangeEffort(maximum: ChangeEffort.maximumInWriter)
        try takeShare(rows: changes.count)
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
        if !isSame { try rights.checkSize(of: attributes, comingFrom: old.attributes) }
        let recorded = try storeOutsideRecord(outsideRecord, of: old.id.rawValue)
        var new = old
        if !isSame || !recorded.isEmpty { new = try update(old, attributes, name, isActive, manager, recorded) }
        let now = now()
        let wasUsable = old.isActive && AccountDates(old.attributes).contain(now)
        let isUsable = isActive && AccountDates(attributes).contain(now)
        if wasUsable, !isUsable { try checkAdministratorsRemain() }
        // An account that can be used again after its end begins without its old sessions.
        if old.isActive && !isActive || wasUsable != isUsable { try endSignIns(of: old.id) }
        try present(&new, Selection(.usual, of: .user, vocabulary))
        return new
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
        try checkManager(manager, of: user.id, user.uid)
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
        let vocabulary = vocabulary
        let time = now(notBefore: old.modified)
        let stored = attributes.record
        try takeShare(recordBytes: stored.utf8.count)
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
        try newKeys.checkSizes(of: name.text, on: connection)
        if newKeys.name != oldKeys.name,
            try connection.first(UserStatements.idByName, text: name.key, { _ in true }) == true
        {
            throw nameTaken(name.text)
        }
        if newKeys.name != oldKeys.name { try checkIsNobodysAddress(name, of: old.id) }
        for (index, key) in newKeys.columnKeys.enumerated() where key != oldKeys.columnKeys[index] {
            columns.append((UserKeys.columns[index].column, key))
        }
        let hasOtherDates = AccountDates(was) != AccountDates(becomes)
        if hasOtherDates {
            let dates = AccountDates(attributes)
            columns += [("starts", .integer(dates.starts)), ("ends", .integer(dates.ends))]
        }
        try connection.run(
            dynamic: UserStatements.update(columns.map(\.name)), columns.map(\.value) + [.integer(old.id.rawValue)],
            changing: isRenamed ? .any : .one(old.id.rawValue))
        try updateValues(of: old.id, oldKeys.values, newKeys.values)
        if newKeys.hasOtherText(than: oldKeys) {
            let before = UserKeys(name: oldKeys.name, attributes: old.attributes, vocabulary: vocabulary)
            let after = UserKeys(name: newKeys.name, attributes: attributes, vocabulary: vocabulary)
            try connection.run(UserStatements.deleteText, [.integer(old.id.rawValue)] + before.text, changing: .none)
            try connection.run(UserStatements.insertText, [.integer(old.id.rawValue)] + after.text, changing: .none)
        }
        // All addresses are checked, because an existing address may have become the primary one.
        if was["emails"] != becomes["emails"] {
            try rights.checkAddresses(newKeys.values, of: old.id, in: self)
            try noteAddress(of: old.id, from: old.attributes, to: attributes, at: time)
        }
        if isRenamed || isActive != old.isActive || hasOtherDates {
            try connection.run(AccessStatements.endPasswordLink, [.integer(old.id.rawValue)], changing: .none)
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
        try record(
            .modified, .user, id: old.id.rawValue, name: name.text, before: before, after: after.adding(recorded),
            at: time)
        return User(
            id: old.id, uid: name.text, isActive: isActive, managerID: manager, version: old.version + 1,
            created: old.created, modified: Date(milliseconds: time.milliseconds),
            attributes: AttributeSet(StoredRecord(stored)), view: view)
    }

    /// Changes the entries of a user in the table of values.
    private func updateValues(of user: UserID, _ old: Set<UserKeys.Value>, _ new: Set<UserKeys.Value>) throws {
        let id = Binding.integer(user.rawValue)
        let (removed, added) = (old.subtracting(new), new.subtracting(old))
        try takeShare(rows: removed.count + added.count)
        for value in removed {
            try connection.run(
                UserStatements.deleteValue, [.text(value.attribute), connection.stored(value.key), id], changing: .none)
        }
        try checkUnique(added, of: user)
        for value in added {
            try connection.run(
                UserStatements.insertValue, [.text(value.attribute), connection.stored(value.key), id], changing: .none)
        }
    }

    // MARK: Delete

    /// Finds a user whom the caller may delete.
    func userToDelete(_ reference: UserReference) throws -> User {
        try rights.checkEditingPeople(to: "delete users")
        let user = try stored(reference)
        try rights.checkActing(on: user.id, isTakeover: false, in: self)
        return user
    }

    /// - Parameter erasing: Whether to remove the user's values from the change feed as well; see
    ///   ``UserManager/erase(_:)-([UserID])``.
    package func delete(
        _ reference: UserReference, _ policy: ReporteePolicy, ifVersion version: Int64?, erasing: Bool = false
    ) throws {
        let user = try userToDelete(reference)
        try check(version, of: user.version, user.uid)
        try takeShare(recordBytes: 0)
        try settleReportees(of: user, policy)
        try recordLeaving(user)
        let keys = UserKeys(name: try EntityName(user.uid).key, attributes: user.attributes, vocabulary: vocabulary)
        if erasing { try connection.run(ChangeStatements.deleteVirtualUsersLinked, [.integer(user.id.rawValue)]) }
        try connection.run(UserStatements.deleteText, [.integer(user.id.rawValue)] + keys.text)
        try connection.run(UserStatements.delete, [.integer(user.id.rawValue)])
        try connection.run(AccessStatements.forgetSubject, [.integer(user.id.rawValue)])
        try checkAdministratorsRemain()
        try record(
            .deleted, .user, id: user.id.rawValue, name: user.uid,
            before: history(user.attributes, uid: user.uid, isActive: user.isActive, manager: user.managerID),
            after: nil, at: now(notBefore: user.modified))
        if erasing { _ = try erase([user.id]) }
    }

    /// A user's attributes in the form that the change feed stores.
    func history(_ attributes: AttributeSet, uid: String, isActive: Bool, manager: UserID?) -> AttributeSet {
        var history = attributes
        history["uid"] = .string(uid)
        history["active"] = .boolean(isActive)
        history["manager"] = manager.map { .string($0.description) }
        return history
    }
}
