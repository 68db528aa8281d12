import RosterStore

extension TransactionIntegrity {
    /// Lists problems of the file in words; an empty list if there are none. Reads everything.
    func check() throws -> [String] {
        try transaction.rights.checkAdministrator(to: "check the directory")
        var problems = try transaction.connection.all(StoreStatements.integrity) { $0.text(0) }.filter { $0 != "ok" }
        problems += try transaction.connection.all(StoreStatements.foreignKeys) {
            "Row \($0.integer(1)) of '\($0.text(0))' refers to a row of '\($0.text(2))' that is not there."
        }
        try transaction.connection.forEach(ChangeStatements.gaps) { row in
            if row.integer(0) != row.integer(1) { problems.append("The change feed has gaps.") }
        }
        try checkFeed(&problems)
        try checkKeys(&problems)
        try checkRoles(&problems)
        problems += try transaction.connection.all(ReportingStatements.inCycle) {
            "User \($0.text(0)) reports to themselves through others."
        }
        return problems
    }

    /// Compares the last entry about each user and role with the state.
    private func checkFeed(_ problems: inout [String]) throws {
        try transaction.connection.forEach(ChangeStatements.unlikeState) { row in
            let subject = row.integer(0) == Change.Entity.role.rawValue ? "role" : "user"
            let (id, name) = (UserID(rawValue: row.integer(1)), row.text(2))
            if row.isNull(3) {
                problems.append("The change feed does not tell that the \(subject) '\(name)' (\(id)) was deleted.")
            } else {
                let present = row.text(3)
                problems.append(
                    "The last entry of the change feed about the \(subject) '\(present)' tells of another state.")
            }
            try checkCount(problems)
        }
    }

    /// Compares the index keys of roles with the records that they are computed from.
    private func checkRoles(_ problems: inout [String]) throws {
        try transaction.connection.forEachInPages(RoleStatements.withKeys) { row in
            let name = row.text(1)
            do {
                let keys = RoleKeys(name, try row.bytes(2) { try AttributeSet(stored: $0) })
                if [row.binding(3), row.binding(4), row.binding(5)] != [keys.name, keys.displayName, keys.description] {
                    problems.append("The search keys of role '\(name)' are not those of its attributes.")
                }
            } catch {
                problems.append("Role '\(name)' cannot be read: \(error)")
            }
            try checkCount(problems)
        }
    }

    private func checkCount(_ problems: [String]) throws {
        guard problems.count > 100 else { return }
        throw DirectoryError(.damaged, "There are more than 100 problems.", advice: "Restore a backup.")
    }

    /// Compares the index keys with the records that they are computed from.
    private func checkKeys(_ problems: inout [String]) throws {
        let vocabulary = transaction.vocabulary
        var values = 0
        try transaction.connection.forEachInPages(UserStatements.withKeys) { row in
            let name = row.text(1)
            do {
                let attributes = try row.bytes(2) { try AttributeSet(stored: $0) }
                let keys = UserKeys(name: try EntityName(name).key, attributes: attributes, vocabulary: vocabulary)
                values += keys.values.count
                let stored = (0..<keys.columnKeys.count).map { row.binding(Int32($0) + 4) }
                if stored != keys.columnKeys || row.text(3) != keys.name {
                    problems.append("The search keys of user '\(name)' are not those of their attributes.")
                }
            } catch {
                problems.append("User '\(name)' cannot be read: \(error)")
            }
            try checkCount(problems)
        }
        let stored = try transaction.connection.first(UserStatements.valueCount) { Int($0.integer(0)) } ?? 0
        if stored != values { problems.append("The table of values has \(stored) rows, and should have \(values).") }
    }
}

/// Carries a call of `check()` of ``DirectoryView``.
struct CheckDirectory: ReadOperation {
    static let name = "check"
    func run(in transaction: Transaction) throws -> [String] { try transaction.integrity.check() }
}

extension DirectoryView {
    /// Checks the whole directory: the file, references, search keys, reporting lines, and the change feed against the state. PostgreSQL
    /// checks its own files.
    ///
    /// - Returns: The problems in words; an empty list if there are none.
    /// - Throws: `notPermitted` unless the caller is an administrator.
    /// - Complexity: Reads everything: some seconds for a million users. The memory does not grow with the directory.
    public func check() throws -> [String] {
        if case .remote(let remote) = source { return try remote.askAndWait(CheckDirectory()) }
        let shared = try embedded()
        return try shared.core.store.readAlone { try Transaction($0, shared).integrity.check() }
    }

    /// Checks the whole directory, as the synchronous form does.
    ///
    /// - Throws: The errors of the synchronous form; `CancellationError`.
    public func check() async throws -> [String] {
        if case .remote(let remote) = source { return try await remote.ask(CheckDirectory()) }
        return try await awaitRead { try $0.integrity.check() }
    }
}
