import RosterStore

extension PresentAdministrator {
    /// Erases what is known of users who do not exist any more.
    ///
    /// - Returns: The number of emptied entries.
    func erase(_ users: [UserID]) throws -> Int {
        let rows = transaction.connection.engine.totalChangedRows
        var names: Set<String> = []
        var others = 0
        // Only the entries since the look are searched while others wait.
        let looked = try transaction.found?.entries ?? transaction.erasure.entries(about: users, after: 0)
        let since =
            try transaction.found.map { try transaction.erasure.entries(about: users, after: $0.through) } ?? [:]
        for user in users {
            let id = Binding.integer(user.rawValue)
            guard try transaction.connection.first(UserStatements.isActive, [id], { _ in true }) == nil else {
                throw DirectoryError(
                    .invalidInput, "User \(user) is still there.", advice: "Delete the user first.")
            }
            let (entries, later) = (looked[user] ?? FoundEntries.Entries(), since[user] ?? FoundEntries.Entries())
            names.formUnion(entries.names.union(later.names))
            for sequence in Set(entries.sequences + later.sequences) {
                try transaction.connection.run(ErasureStatements.eraseEntry, [.integer(sequence)])
            }
            let before = transaction.connection.engine.totalChangedRows
            let isVirtual =
                try transaction.connection.first(ErasureStatements.virtualUser, [id], { _ in true }) ?? false
            guard isVirtual || !entries.isEmpty || !later.isEmpty else {
                throw DirectoryError(
                    .notFound, "The user \(user) is unknown.", advice: "See the change feed for the identifier.")
            }
            for sequence in Set(entries.acted + later.acted) {
                try transaction.connection.run(ErasureStatements.eraseActor, [.integer(sequence)])
            }
            if let actor = looked[user]?.actor ?? since[user]?.actor {
                try transaction.connection.run(BatchStatements.eraseActor, [.text(actor)])
            }
            try transaction.connection.run(ErasureStatements.deleteVirtualUser, [id])
            try transaction.connection.run(AccessStatements.forgetSubject, [id])
            others += transaction.connection.engine.totalChangedRows - before
        }
        let isKnown = transaction.found.map { names.isSubset(of: $0.names) } ?? false
        var refusals = try transaction.erasure.refusals(of: names, after: isKnown ? transaction.found?.through ?? 0 : 0)
        if isKnown { refusals += transaction.found?.refusals ?? [] }
        for sequence in refusals { try transaction.connection.run(ErasureStatements.eraseEntry, [.integer(sequence)]) }
        let count = transaction.connection.engine.totalChangedRows - rows - others
        _ = try transaction.erasure.mergeTextIndex(isFirst: true)
        return count
    }
}
