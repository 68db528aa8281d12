public import Roster

extension ImportOptions {
    /// Has the import take the hashes of passwords, so that users keep their passwords: `userPassword` of LDIF, or the column that is
    /// mapped to `password`.
    ///
    /// The hash of a known scheme and of a cost that one sign-in may take is stored, and replaced by one of this directory at the
    /// user's first sign-in. ``ImportReport/problems`` names each other one with the reason. Without this call, passwords in LDIF are
    /// among ``ImportReport/notGranted``.
    public mutating func takePasswords() {
        passwordProblem = { hash in
            do throws(StoredHashProblem) {
                _ = try PasswordHash(hash)
            } catch {
                return error.message + " The user needs a new password."
            }
            guard let cost = PasswordCost(hash), cost.steps > cost.scheme.mostSteps else { return nil }
            return
                "The password hash is too costly: one sign-in may take \(cost.scheme.mostSteps) steps of \(cost.scheme.rawValue). "
                + "The user needs a new password."
        }
    }
}
