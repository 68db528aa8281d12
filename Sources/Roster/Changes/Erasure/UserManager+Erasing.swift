extension UserManager {
    /// Erases the remaining data of deleted users: their values and names in the change feed, the client addresses of
    /// their sign-ins, and refused sign-ins under their names. The entries keep their numbers, times and identifiers.
    /// What the data have left in the file and its log is then overwritten, between the changes of others, which wait for some hundredths
    /// of a second at most. Backups keep their data.
    ///
    /// - Parameter users: The identifiers of deleted users, or of virtual users, who are deleted as well.
    /// - Returns: The number of emptied entries.
    /// - Throws: `invalidInput` for a user who still exists, `notFound` for an unknown identifier, `notPermitted`
    ///   unless the caller is an administrator; `overloaded` if somebody reads an old state of the file for half a minute, such as a
    ///   backup. In the last case the values are already out of the feed, and erasing again overwrites the rest.
    @discardableResult
    public func erase(_ users: [UserID]) throws -> Int {
        try view.change(EraseUsers(users: users))
    }

    /// Erases the remaining data of deleted users, as the synchronous form does.
    @discardableResult
    public func erase(_ users: [UserID]) async throws -> Int {
        try await view.change(EraseUsers(users: users))
    }

    /// Lists the identifiers of the deleted users with a name, latest first. Erased users are not included.
    public func deleted(_ name: String) throws -> [UserID] { try view.read(DeletedUsers(user: name)) }
    /// Lists the identifiers of the deleted users with a name, as the synchronous form does.
    public func deleted(_ name: String) async throws -> [UserID] {
        try await view.read(DeletedUsers(user: name))
    }
}

extension EmbeddedView {
    /// Refuses to erase within a transaction, because what erased values have left in the file is overwritten after the transaction.
    func checkMayErase() throws {
        guard open != nil else { return }
        throw DirectoryError(
            .reentrantCall, "Nothing can be erased within a transaction, since the file is overwritten afterwards.",
            advice: "Erase after the transaction.")
    }
}

extension DirectoryView {
    /// Looks for the entries about users to erase; returns nil for a caller who may not erase.
    func foundEntries(of users: [UserReference]) throws -> FoundEntries? {
        try read(isBrief: false) { try $0.erasure.found(of: users) }
    }

    /// Looks for the entries as the synchronous form does.
    func awaitFoundEntries(of users: [UserReference]) async throws -> FoundEntries? {
        try await awaitRead { try $0.erasure.found(of: users) }
    }
}
