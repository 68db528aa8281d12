package import Roster

extension Seed {
    /// The same seed with hashes in place of its passwords in plain text. A person who has the password already keeps the stored
    /// hash, so that loading the seed again changes nothing.
    ///
    /// - Parameters:
    ///   - cost: The cost of the hashes.
    ///   - view: The view of an administrator. Others are refused before the hashing, which takes time.
    /// - Throws: `DirectoryError` `invalidInput` with the place of a password that the policy refuses; `notPermitted`.
    package func hashingPasswords(
        _ cost: PasswordParameters, for directory: Directory, in view: DirectoryView
    ) async throws -> Seed {
        guard !plainPasswords.isEmpty else { return self }
        try await view.awaitRead { try $0.checkAdministrator(to: "load a seed") }
        let slots = HashSlots()
        return try await hashingPasswords { plain in
            do throws(PasswordProblem) {
                try PasswordPolicy.check(plain.password, name: plain.uid, mails: plain.addresses)
            } catch {
                throw DirectoryError(.invalidInput, error.message, advice: error.advice, at: plain.place)
            }
            let stored = try directory.accounts.account(named: plain.uid)?.passwordHash
            return try await slots.run(for: HashSlots.Share("seed")) {
                if let stored, let hash = try? PasswordHash(stored), !hash.needsRehash(cost),
                    try hash.match(plain.password) == .prepared
                {
                    return nil
                }
                return try PasswordHash.make(plain.password, cost).text
            }
        }
    }
}
