package import Foundation
import RosterStore
import RosterText

extension Directory {
    /// A user's account with the hash of the password.
    package struct Account: Sendable {
        /// The user's identifier.
        package let id: UserID
        /// The user's name.
        package let uid: String
        /// Whether the account can be used: it is enabled, and the time is between its start and end dates.
        package let isActive: Bool
        /// The moment at which the account ends; nil for no end.
        package let ends: Date?
        /// Whether sign-in requires a second factor.
        package let hasSecondFactor: Bool
        /// The hash of the password with its scheme; nil if there is no password.
        package let passwordHash: String?
        /// The current version of the password and the second factor.
        package let version: CredentialVersion
    }

    /// Finds an account by the text that a person enters: the name in any case or, if nobody has that name, a mail address that one user alone
    /// has. White space around the text does not count. Cost: some microseconds.
    package func account(enteredAs text: String) throws -> Account? {
        let text = EntityName.entered(text)
        if let account = try account(named: text) { return account }
        guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let names = try core.store.read { connection in
            try connection.all(AccessStatements.usersWithAddress, [.text(TextKey.of(text))]) { $0.text(0) }
        }
        return names.count == 1 ? try account(named: names[0]) : nil
    }

    /// Finds an account by name in any case; returns nil if there is none. Cost: some microseconds.
    package func account(named name: String) throws -> Account? {
        let now = now
        return try core.store.read { connection in
            try connection.first(AccessStatements.credential, text: TextKey.of(name)) {
                let id = UserID(rawValue: $0.integer(0))
                let dates = AccountDates($0, at: 6)
                return Account(
                    id: id, uid: $0.text(1), isActive: $0.boolean(2) && dates.contain(now),
                    ends: dates.ends.map { Date(milliseconds: $0) },
                    hasSecondFactor: $0.boolean(4), passwordHash: $0.optionalText(3),
                    version: CredentialVersion(id, epoch: $0.integer(5), hasSecondFactor: $0.boolean(4)))
            }
        }
    }

    /// Replaces a hash by a better one of the same password, unless the password has changed meanwhile.
    package func upgrade(_ user: UserID, from old: String, to new: String) async throws {
        if let cost = PasswordCost(new) { core.passwordCosts.note(cost) }
        try await core.store.awaitWrite { connection in
            try connection.run(
                AccessStatements.upgradePassword, [.integer(user.rawValue), .text(old), .text(new)])
        }
    }

    /// The costliest hash of each scheme that is stored now, or was stored since the directory was opened.
    ///
    /// Cost: some microseconds. The first call reads all hashes, about a million per second.
    /// - Parameter isVerifiable: Whether sign-in can verify a hash.
    package func costliestHashes(where isVerifiable: (String) -> Bool) throws -> [PasswordCost.Scheme: PasswordCost] {
        try core.passwordCosts.costliest(in: core.store, where: isVerifiable)
    }
}
