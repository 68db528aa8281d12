import RosterStore

/// What imports and seeds read of the directory, whatever the caller sees.
struct TransactionImport {
    let transaction: Transaction

    /// The user whose name has that key, or nil.
    func user(ofKey key: String) throws -> User? {
        try transaction.connection.first(UserStatements.byName, text: key) { try User($0, view: transaction.view) }
    }

    /// The identifier of a user by the key of the name, or nil.
    func findUserID(key: String) throws -> UserID? {
        try transaction.connection.first(UserStatements.idByName, text: key) { UserID(rawValue: $0.integer(0)) }
    }

    /// The manager's identifier as it is stored, or nil.
    func storedManager(of user: Int64) throws -> Int64? {
        try transaction.connection.first(ReportingStatements.managerOf, [.integer(user)]) { $0.optionalInteger(0) }
            ?? nil
    }

    /// The role whose name has that key, or nil.
    func role(ofKey key: String) throws -> Role? {
        try transaction.connection.first(RoleStatements.byName, text: key) { try Role($0, view: transaction.view) }
    }
}
