import RosterStore

extension TransactionFeed {
    /// The latest entries of the change feed about the sign-ins of a user, newest first. Cost: some microseconds for each.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators.
    package func signIns(of user: UserReference, limit: Int) throws -> [Change] {
        try history(of: user, ChangeStatements.signIns, limit)
    }

    /// The latest entries of the change feed about a user, newest first, without other actors' names. Cost: reads the whole feed.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators.
    package func history(of user: UserReference, limit: Int) throws -> [Change] {
        try history(of: user, ChangeStatements.ofUser, limit)
    }

    private func history(of user: UserReference, _ statement: SQL, _ limit: Int) throws -> [Change] {
        let id = try transaction.users.id(of: user)
        try transaction.checkSessions(of: id)
        let changes = try transaction.connection.all(statement, [.integer(id.rawValue), .integer(Int64(limit))]) {
            try Change($0)
        }
        if transaction.rights.seesAllChanges { return changes }
        return changes.map { change in
            var change = change
            if change.actor != transaction.shared.caller.description { (change.actor, change.batch) = ("", nil) }
            change.before = change.before.filtered { transaction.vocabulary.showsToPerson($0) }
            change.after = change.after.filtered { transaction.vocabulary.showsToPerson($0) }
            return change
        }
    }
}

extension Vocabulary {
    /// Whether users may read a value in entries about themselves: an attribute that they may read, or a detail of a sign-in.
    fileprivate func showsToPerson(_ name: AttributeName) -> Bool {
        definition(of: name) == nil
            ? ["from", "means", "reason", "backend", "browser"].contains(name.rawValue) : shows(name, to: .person)
    }
}
