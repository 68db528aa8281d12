import RosterStore
import RosterText

extension Directory {
    /// A user by name, with the hash of the password.
    package struct Account: Sendable {
        /// The user.
        package let id: UserID
        /// The name as it is written.
        package let uid: String
        /// Whether the account may be used.
        package let isActive: Bool
        /// Whether a password alone is not enough.
        package let hasSecondFactor: Bool
        /// The hash of the password with its scheme; nil where there is none.
        package let passwordHash: String?
        /// Which password and second factor these are.
        package let version: CredentialVersion
    }

    /// The account of a name, whatever its case; nil where there is none. Cost: some microseconds.
    package func account(named name: String) throws -> Account? {
        try core.store.read { connection in
            try connection.first(AccessStatements.credential, text: FoldedText.of(name)) {
                let id = UserID(rawValue: $0.integer(0))
                return Account(
                    id: id, uid: $0.text(1), isActive: $0.boolean(2),
                    hasSecondFactor: $0.boolean(4), passwordHash: $0.optionalText(3),
                    version: CredentialVersion(id, epoch: $0.integer(5), hasSecondFactor: $0.boolean(4)))
            }
        }
    }

    /// Replaces a hash by a better one of the same password, unless the password was changed meanwhile.
    package func upgrade(_ user: UserID, from old: String, to new: String) async throws {
        if let cost = PasswordCost(new) { core.passwordCosts.note(cost) }
        try await core.store.awaitWrite { connection in
            try connection.run(
                AccessStatements.upgradePassword, [.integer(user.rawValue), .text(old), .text(new)])
        }
    }

    /// The costliest hash of each scheme that is stored, or was since the directory was opened.
    ///
    /// Cost: some microseconds; the first time all hashes are read, at about a million a second.
    /// - Parameter isVerifiable: Whether a hash is one that sign-in can verify.
    package func costliestHashes(
        where isVerifiable: (String) -> Bool
    ) throws -> [PasswordCost.Scheme: PasswordCost] {
        try core.passwordCosts.costliest(in: core.store, where: isVerifiable)
    }
}
