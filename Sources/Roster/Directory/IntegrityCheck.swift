import RosterStore

extension Transaction {
    /// Lists problems of the file in words; an empty list if there are none. Reads everything.
    func check() throws -> [String] {
        try rights.checkAdministrator(to: "check the directory")
        var problems = try connection.all(StoreStatements.integrity) { $0.text(0) }.filter { $0 != "ok" }
        problems += try connection.all(StoreStatements.foreignKeys) {
            "Row \($0.integer(1)) of '\($0.text(0))' refers to a row of '\($0.text(2))' that is not there."
        }
        try connection.forEach(ChangeStatements.gaps) { row in
            if row.integer(0) != row.integer(1) { problems.append("The change feed has gaps.") }
        }
        try checkKeys(&problems)
        problems += try connection.all(ReportingStatements.inCycle) {
            "User \($0.text(0)) reports to themselves through others."
        }
        return problems
    }

    /// Compares the index keys with the records that they are computed from.
    private func checkKeys(_ problems: inout [String]) throws {
        let vocabulary = vocabulary
        var values = 0
        try connection.forEachInPages(UserStatements.withKeys) { row in
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
            if problems.count > 100 {
                throw DirectoryError(.damaged, "There are more than 100 problems.", advice: "Restore a backup.")
            }
        }
        let stored = try connection.first(UserStatements.valueCount) { Int($0.integer(0)) } ?? 0
        if stored != values { problems.append("The table of values has \(stored) rows, and should have \(values).") }
    }
}

extension DirectoryView {
    /// Checks the whole directory: the file, references, search keys, reporting lines and the change feed. PostgreSQL checks its own
    /// files.
    ///
    /// - Returns: The problems in words; an empty list if there are none.
    /// - Throws: `notPermitted` unless the caller is an administrator.
    /// - Complexity: Reads everything: some seconds for a million users.
    public func check() throws -> [String] {
        let shared = try embedded()
        return try shared.core.store.readAlone { try Transaction($0, shared).check() }
    }

    /// Checks the whole directory, as the synchronous form does.
    ///
    /// - Throws: The errors of the synchronous form; `CancellationError`.
    public func check() async throws -> [String] { try await awaitRead { try $0.check() } }
}
