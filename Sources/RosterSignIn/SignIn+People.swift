public import Foundation
public import Roster

/// Signing in by password and by session, passwords, and second factors.
extension SignIn {
    /// Signs a user in by name, password and, where the user has one, second factor.
    ///
    /// Failed attempts delay further ones, for the account and for their origin. Neither the answer nor the time that it takes tells
    /// whether a name is known. Cost: a password's hash, about 0.15 s and 32 MiB; some microseconds for a user who was verified some
    /// seconds ago. (`authenticate:password:` of the mobile SDK.)
    ///
    /// - Parameters:
    ///   - name: The user's name, in any spelling that means the same.
    ///   - password: The password.
    ///   - proof: A code, or the answers to the challenge questions.
    ///   - origin: The origin of the attempt, such as an address, for the delays and the change feed.
    /// - Throws: ``AuthenticationFailure``; `DirectoryError`.
    public func person(
        named name: String, password: String, proof: SecondFactorProof = SecondFactorProof(),
        from origin: String = "app"
    ) async throws -> Person {
        try await oauth.signingIn.signIn(
            Login(name: name, password: password, proof: proof), at: .app, from: ClientOrigin(origin))
    }

    /// Gives a user another password, which ends the user's sessions and tokens at once. Cost: a password's hash, and another one to
    /// verify the old password.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - user: The user.
    ///   - view: The view of the user, or of an administrator.
    ///   - old: The present password. Users who change their own password must give it if they have one. A wrong one counts as a
    ///     failed attempt to sign in.
    ///   - origin: The origin of the attempt, such as an address, for the delays.
    /// - Throws: `DirectoryError` `invalidAttribute` for a password that is too short, too common or the user's name, and if the old
    ///   password is missing; `notFound`, `notPermitted`, `overloaded`. ``AuthenticationFailure`` `wrong` for a wrong old password,
    ///   `tooManyAttempts`, `overloaded`.
    public func setPassword(
        _ password: String, of user: some UserReferenceConvertible, replacing old: String? = nil,
        in view: DirectoryView,
        from origin: String = "app"
    ) async throws {
        let found = try await view.users.user(user)
        if case .user(found.id) = view.caller,
            try oauth.directory.accounts.account(named: found.uid)?.passwordHash != nil
        {
            guard let old else { throw DirectoryError.oldPasswordMissing }
            _ = try await passwords.version(of: found.uid, password: old, from: origin)
        }
        let hash = try await passwords.hash(password, in: view) { try $0.users.namesToSetPassword(of: .id(found.id)) }
        try await view.users.modify(.id(found.id), attributes: ["password": .string(hash)])
    }

    /// The second factors of users: authenticator apps and challenge questions. No rights are checked here; the app must know whose
    /// second factor it changes.
    public var secondFactors: SecondFactorKeeper { oauth.secondFactors }

    // MARK: Sessions

    /// Begins a session for a person who has signed in.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - lifetime: The lifetime after the last use, from 1 to 31,536,000 seconds; a day by default. The session ends after 30
    ///     days in any case, or after this lifetime if it is longer.
    /// - Returns: The session's value, which the browser or the app keeps. The directory stores a digest of the value.
    /// - Throws: `DirectoryError` `invalidInput` for a lifetime out of its range; ``AuthenticationFailure`` `wrong` if the account
    ///   has been deleted or disabled since the person signed in.
    public func beginSession(for person: Person, lifetime: TimeInterval = 86_400) async throws -> String {
        guard (1...31_536_000).contains(lifetime) else {
            throw DirectoryError(
                .invalidInput, "A session lives 1 to 31536000 seconds.", advice: "Give another lifetime.")
        }
        guard try Person(person.holder, in: oauth.directory) != nil else { throw AuthenticationFailure.wrong }
        return try await oauth.sessions.begin(
            person.holder, version: person.version, at: person.signedIn ?? oauth.clock(), amr: person.amr,
            lifetime: lifetime)
    }

    /// Finds the person of a session, and prolongs the session. Returns nil for an unknown or ended session. A changed password or
    /// a disabled account ends a session, too. Cost: some microseconds, and a write if a tenth of the lifetime has passed.
    public func person(ofSession session: String) async throws -> Person? {
        guard let found = try await oauth.sessions.use(session) else { return nil }
        var person = try Person(found.holder, in: oauth.directory)
        person?.amr = found.amr
        person?.version = found.version
        person?.signedIn = Date(timeIntervalSince1970: TimeInterval(found.authenticationTime))
        return person
    }

    /// Ends a session.
    ///
    /// - Returns: Whether there was a session.
    @discardableResult
    public func endSession(_ session: String) async throws -> Bool { try await oauth.sessions.end(session) }

    /// Signs a user out everywhere: all sessions and tokens end at once. No rights are checked.
    public func signOutEverywhere(_ user: UserID, from origin: String = "app") async throws {
        try await oauth.introspection.signOutEverywhere(user, from: ClientOrigin(origin))
    }
}
