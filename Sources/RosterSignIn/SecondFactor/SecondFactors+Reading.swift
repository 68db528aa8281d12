package import Roster

extension SecondFactors {
    /// Returns the second factors of a user. The result has no secrets.
    ///
    /// - Parameters:
    ///   - view: The view of the user, of an administrator, or of the help desk.
    ///   - keys: The keys of the directory, which are not asked for if the user has no second factor.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`; `damaged` for factors that cannot be read.
    package static func all(
        of user: UserReference, in view: DirectoryView, keys: @autoclosure () throws -> KeyRing
    ) async throws -> SecondFactors {
        let (id, sealed) = try await view.awaitRead { transaction in
            let id = try transaction.sessions.userWithSessions(user)
            return (id, try StoredFactors.sealed(of: id, on: transaction.connection))
        }
        guard let sealed else { return SecondFactors(all: [], isLost: false) }
        // The key of lost factors is gone, so that nothing but the loss is known.
        if sealed.isEmpty { return SecondFactors(all: [], isLost: true) }
        return SecondFactors(all: try StoredFactors(sealed: sealed, of: id, try keys()).shown, isLost: false)
    }
}
