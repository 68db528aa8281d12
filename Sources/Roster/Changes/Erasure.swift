import Foundation
import RosterStore
import RosterText

extension UserManager {
    /// Erases the remaining data of deleted users: their values and names in the change feed, the client addresses of
    /// their sign-ins, and refused sign-ins under their names. The entries keep their numbers, times and identifiers.
    /// The file is then rewritten so that no freed page keeps erased data. The rewrite takes as long as a copy of the
    /// file, and blocks changes. Backups keep their data.
    ///
    /// - Parameter users: The identifiers of deleted users, or of virtual users, who are deleted as well.
    /// - Returns: The number of emptied entries.
    /// - Throws: `invalidInput` for a user who still exists, `notFound` for an unknown identifier, `notPermitted`
    ///   unless the caller is an administrator, `storageFull` if there is no space for the rewrite. In the last case
    ///   the values are already out of the feed, and erasing again rewrites the file.
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

extension Transaction {
    func deletedUsers(_ name: String) throws -> [UserID] {
        try rights.checkAdministrator(to: "look for deleted users")
        let key = FoldedText.of(name)
        return try connection.all(ChangeStatements.deletedUsers) { (UserID(rawValue: $0.integer(0)), $0.text(1)) }
            .filter { FoldedText.of($0.1) == key }.map(\.0)
    }

    /// - Returns: The number of emptied entries.
    func erase(_ users: [UserID]) throws -> Int {
        try checkPresentAdministrator(to: "erase what is known of users")
        var count = 0
        var names: Set<String> = []
        for user in users {
            let id = Binding.integer(user.rawValue)
            guard try connection.first(UserStatements.isActive, [id], { _ in true }) == nil else {
                throw DirectoryError(
                    .invalidInput, "User \(user) is still there.", advice: "Delete the user first.")
            }
            var isKnown = false
            try connection.forEach(ChangeStatements.valuesOf, [id]) { row in
                isKnown = true
                try names.formUnion(Self.names(row.text(0), row.optionalText(1), row.optionalText(2)))
            }
            if let origin = try connection.first(
                ChangeStatements.virtualUser, [id], { ($0.text(0), $0.text(1)) })
            {
                isKnown = true
                let actor = Caller.virtualUser(issuer: origin.0, subject: origin.1).description
                try connection.run(ChangeStatements.eraseActor, [.text(actor)])
            }
            guard isKnown else {
                throw DirectoryError(
                    .notFound, "The user \(user) is unknown.", advice: "See the change feed for the identifier.")
            }
            try connection.run(ChangeStatements.eraseValues, [id])
            count += Int(connection.changedRows)
            try connection.run(ChangeStatements.deleteVirtualUser, [id])
            try connection.run(AccessStatements.forgetSubject, [id])
        }
        count += try eraseRefusals(names)
        try connection.run(UserStatements.mergeTextIndex)
        return count
    }

    /// The names and addresses that sign-ins of the user may have used.
    private static func names(_ name: String, _ before: String?, _ after: String?) throws -> [String] {
        var names = [name]
        for text in [before, after] {
            guard let text, let set = try? AttributeSet(stored: text) else { continue }
            names += [set["uid"]?.text].compactMap(\.self)
            names += set["emails"]?.elements.compactMap { $0.part("value")?.text } ?? []
        }
        return names.filter { !$0.isEmpty }.map(FoldedText.of)
    }

    /// Empties the entries about refused sign-ins under names that matched no user.
    private func eraseRefusals(_ names: Set<String>) throws -> Int {
        let named = try connection.all(ChangeStatements.namedSignIns) { ($0.integer(0), $0.text(1)) }
            .filter { names.contains(FoldedText.of($0.1)) }
        for (sequence, _) in named { try connection.run(ChangeStatements.eraseEntry, [.integer(sequence)]) }
        return named.count
    }
}
