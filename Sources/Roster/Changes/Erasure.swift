import Foundation
import RosterStore
import RosterText

extension UserManager {
    /// Erases what the directory still holds of users who were deleted: their values and names in the change feed, the
    /// addresses from which they signed in, refused sign-ins under their names. What happened stays, with its number, its
    /// time and its identifiers. Then the file is written anew, so that no freed page keeps anything; that takes as long
    /// as copying the file, and changes wait meanwhile. Backups keep what they have.
    ///
    /// - Parameter users: The identifiers of deleted users, or of virtual users, who are deleted along.
    /// - Returns: How many entries of the change feed were emptied.
    /// - Throws: `invalidInput` for a user who is still there, `notFound` for an identifier of which nothing is known,
    ///   `notPermitted` for all but administrators, `storageFull` where there is no room to write the file anew: then the
    ///   values are out of the feed, and erasing again writes the file.
    @discardableResult
    public func erase(_ users: [UserID]) throws -> Int {
        let count = try view.write { try $0.erase(users) }
        try view.core.store.rewrite()
        return count
    }

    /// Erases what the directory still holds of deleted users, as the synchronous form does.
    @discardableResult
    public func erase(_ users: [UserID]) async throws -> Int {
        let count = try await view.awaitWrite { try $0.erase(users) }
        try await view.core.store.awaitRewrite()
        return count
    }

    /// The identifiers of the deleted users who had a name when they were deleted, the latest first. Nobody whose values
    /// were erased is among them.
    public func deleted(_ name: String) throws -> [UserID] { try view.read { try $0.deletedUsers(name) } }
    /// The identifiers of the deleted users who had a name, as the synchronous form does.
    public func deleted(_ name: String) async throws -> [UserID] {
        try await view.awaitRead { try $0.deletedUsers(name) }
    }
}

extension Transaction {
    fileprivate func deletedUsers(_ name: String) throws -> [UserID] {
        try rights.checkAdministrator(to: "look for deleted users")
        let key = FoldedText.of(name)
        return try connection.all(ChangeStatements.deletedUsers) { (UserID(rawValue: $0.integer(0)), $0.text(1)) }
            .filter { FoldedText.of($0.1) == key }.map(\.0)
    }

    /// - Returns: How many entries were emptied.
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
                    .notFound, "Nothing is known of a user \(user).", advice: "See the change feed for the identifier.")
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

    /// The names and addresses under which somebody may have tried to sign in.
    private static func names(_ name: String, _ before: String?, _ after: String?) throws -> [String] {
        var names = [name]
        for text in [before, after] {
            guard let text, let set = try? AttributeSet(json: text) else { continue }
            names += [set["uid"]?.text].compactMap(\.self)
            names += set["emails"]?.elements.compactMap { $0.part("value")?.text } ?? []
        }
        return names.filter { !$0.isEmpty }.map(FoldedText.of)
    }

    /// Empties what was told of sign-ins under a name where nobody knew whose it was.
    private func eraseRefusals(_ names: Set<String>) throws -> Int {
        let named = try connection.all(ChangeStatements.namedSignIns) { ($0.integer(0), $0.text(1)) }
            .filter { names.contains(FoldedText.of($0.1)) }
        for (sequence, _) in named { try connection.run(ChangeStatements.eraseEntry, [.integer(sequence)]) }
        return named.count
    }
}
