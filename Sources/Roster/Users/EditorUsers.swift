import Foundation
import RosterStore
import RosterText

/// Creates and deletes the users of a transaction.
package struct EditorUsers {
    let editor: Editor
    var transaction: Transaction { editor.transaction }

    package func create(_ new: NewUser) throws -> User {
        let prepared = try PreparedUser(new, transaction.vocabulary)
        if try transaction.connection.first(UserStatements.idByName, text: prepared.name.key, { _ in true }) == true {
            throw transaction.users.nameTaken(prepared.name.text)
        }
        let id = UserID(rawValue: try transaction.nextID())
        let manager = try new.manager.map { try transaction.users.managerID($0, of: new.uid) }
        try transaction.signInAddresses.checkIsNobodys(prepared.name, of: id)
        let time = transaction.now()
        try insert(prepared, id: id, manager: manager, at: time)
        try transaction.userRows.checkUnique(prepared.keys.values, of: id)
        try transaction.rights.checkAddresses(prepared.keys.values, of: id, in: transaction)
        try transaction.signInAddresses.noteFirst(of: id, prepared.keys, at: time)
        return try transaction.users.user(.id(id))
    }

    /// Stores a new user with its keys and its change feed entry.
    private func insert(_ user: PreparedUser, id: UserID, manager: UserID?, at time: Date) throws {
        try transaction.takeShare(recordBytes: user.record.utf8.count)
        try transaction.takeShare(rows: user.keys.values.count)
        try user.keys.checkSizes(of: user.name.text, on: transaction.connection)
        try transaction.userRows.insert(user, id: id, manager: manager, at: time)
        try transaction.userRows.insertValues(user.keys.values, id: id.rawValue)
        try transaction.userRows.insertText(user.text, id: id.rawValue)
        try transaction.users.insertWords(user.words, id: id.rawValue)
        if !user.outsideRecord.isEmpty {
            _ = try transaction.accounts.storeOutsideRecord(user.outsideRecord, of: id.rawValue)
        }
        try transaction.feed.write(
            .created, .user, id: id.rawValue, name: user.name.text, before: nil,
            after: user.history.text(manager: manager), at: time)
    }

    /// Finds a user whom the caller may delete.
    func userToDelete(_ reference: UserReference) throws -> User {
        let user = try transaction.users.stored(reference)
        try transaction.rights.checkActing(on: user.id, isTakeover: false, in: transaction)
        return user
    }

    /// - Parameter erasing: Whether to remove the user's values from the change feed as well; see
    ///   ``UserManager/erase(_:)-([UserID])``.
    package func delete(
        _ reference: UserReference, _ policy: ReporteePolicy, ifVersion version: Int64?, erasing: Bool = false
    ) throws {
        let user = try userToDelete(reference)
        try transaction.users.check(version, of: user.version, user.uid)
        try transaction.takeShare(recordBytes: 0)
        try transaction.lines.settleReportees(of: user, policy)
        try transaction.roles.recordLeaving(user)
        let keys = UserKeys(
            name: try EntityName(user.uid).key, attributes: user.attributes, vocabulary: transaction.vocabulary)
        if erasing {
            try transaction.connection.run(ErasureStatements.deleteVirtualUsersLinked, [.integer(user.id.rawValue)])
        }
        try transaction.connection.run(TextIndexStatements.deleteText, [.integer(user.id.rawValue)] + keys.text)
        try transaction.users.deleteWords(UserWords(name: keys.name, attributes: user.attributes), of: user.id)
        for value in keys.values {
            // The table of values does not reference users, because looking for a user's values there reads everybody's.
            try transaction.connection.run(
                UserStatements.deleteValue,
                [.text(value.attribute), transaction.connection.stored(value.key), .integer(user.id.rawValue)],
                changing: .none)
        }
        try transaction.connection.run(UserStatements.delete, [.integer(user.id.rawValue)])
        try transaction.connection.run(AccessStatements.forgetSubject, [.integer(user.id.rawValue)])
        try transaction.accounts.checkAdministratorsRemain()
        try transaction.feed.record(
            .deleted, .user, id: user.id.rawValue, name: user.uid,
            before: transaction.users.history(
                user.attributes, uid: user.uid, isActive: user.isActive, manager: user.managerID),
            after: nil, at: transaction.now(notBefore: user.modified))
        if erasing {
            _ = try transaction.asPresentAdministrator(to: "erase what is known of users").erase([user.id])
        }
    }
}
