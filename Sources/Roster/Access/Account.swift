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
}

extension DirectoryAccounts {
    /// Finds an account by the text that a person enters: the name in any case or, if nobody has that name, a mail address that one user alone
    /// has. White space around the text does not count. Cost: some microseconds.
    package func account(enteredAs text: String) throws -> Directory.Account? {
        let text = EntityName.entered(text)
        if let account = try account(named: text) { return account }
        guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let names = try directory.core.store.read { connection in
            try connection.all(AccessStatements.usersWithAddress, [.text(TextKey.of(text))]) { $0.text(0) }
        }
        return names.count == 1 ? try account(named: names[0]) : nil
    }

    /// Finds an account by name in any case; returns nil if there is none. Cost: some microseconds.
    package func account(named name: String) throws -> Directory.Account? {
        let now = directory.now
        return try directory.core.store.read { connection in
            try connection.first(AccessStatements.credential, text: TextKey.of(name)) {
                let id = UserID(rawValue: $0.integer(0))
                let dates = AccountDates($0, at: 6)
                return Directory.Account(
                    id: id, uid: $0.text(1), isActive: $0.boolean(2) && dates.contain(now),
                    ends: dates.ends.map { Date(milliseconds: $0) },
                    hasSecondFactor: $0.boolean(4), passwordHash: $0.optionalText(3),
                    version: CredentialVersion(id, epoch: $0.integer(5), hasSecondFactor: $0.boolean(4)))
            }
        }
    }

    /// Replaces a hash by a better one of the same password, unless the password has changed meanwhile.
    package func upgrade(_ user: UserID, from old: String, to new: String) async throws {
        if let cost = PasswordCost(new) { directory.core.passwordCosts.note(cost) }
        try await directory.core.store.awaitWrite { connection in
            try connection.run(
                AccessStatements.upgradePassword, [.integer(user.rawValue), .text(old), .text(new)])
        }
    }

    /// The costliest hash of each scheme that is stored now, or was stored since the directory was opened.
    ///
    /// Cost: some microseconds. The first call reads all hashes, about a million per second.
    /// - Parameter isVerifiable: Whether sign-in can verify a hash.
    package func costliestHashes(where isVerifiable: (String) -> Bool) throws -> [PasswordCost.Scheme: PasswordCost] {
        try directory.core.passwordCosts.costliest(in: directory.core.store, where: isVerifiable)
    }

    /// Counts a sign-in of an account.
    ///
    /// - Parameter user: The user; nil for a person without a user here.
    /// - Returns: Nil, or the seconds until the account may sign in again.
    package func secondsUntilSignIn(_ way: Directory.RatedSignIn, of account: String, user: UserID?) throws -> Int? {
        guard directory.core.rates.rates != .none else { return nil }
        let isTrusted = try user.map(isAdministrator) ?? false
        let kind: RateMemory.Kind =
            switch way {
            case .password: .signIn
            case .session: .session
            case .tokens: .tokens
            }
        return directory.core.rates.rate(of: kind, isTrusted: isTrusted).flatMap {
            directory.core.rates.take(1, kind, of: account, $0, at: directory.core.clock())
        }
    }

    /// Counts a change that a user makes to their own account outside the directory's attributes.
    ///
    /// - Throws: `overloaded` if the user has made too many changes.
    package func countChange(of user: UserID) throws {
        guard directory.core.rates.rates != .none else { return }
        try CountedChanges(directory.core, .user(user), isTrusted: isAdministrator(user))?.add()
    }

    private func isAdministrator(_ user: UserID) throws -> Bool {
        try directory.core.store.read { try Rights.powers(of: user, on: $0).contains(.administrator) }
    }
}
