public import Foundation
public import Roster

/// Who somebody is: by a password, by a session, and what they sign in with.
extension SignIn {
    /// Who has a name and a password, and the second factor where they have one.
    ///
    /// Failed attempts slow down further ones, for the account and for where they come from. Whether a name is known cannot
    /// be told from the answer, nor from the time that it takes. Cost: a password's hash, about 0.15 s and 32 MiB; some
    /// microseconds for who was verified some seconds ago. (`authenticate:password:` of the mobile SDK.)
    ///
    /// - Parameters:
    ///   - name: The user's name, in any spelling that means the same.
    ///   - proof: A code, or answers to the challenge questions.
    ///   - origin: Where the attempt comes from, such as an address: for the delays, and for the change feed.
    /// - Throws: ``AuthenticationFailure``; `DirectoryError`.
    public func person(
        named name: String, password: String, proof: SecondFactorProof = SecondFactorProof(),
        from origin: String = "app"
    ) async throws -> Person {
        try await oauth.signIn(Login(name: name, password: password, proof: proof), at: .app, from: origin)
    }

    /// Gives a user another password, which ends their sessions and tokens at once. Cost: a password's hash, and another
    /// one to verify the old password.
    ///
    /// - Parameters:
    ///   - view: Whoever may change the user: themselves, or an administrator.
    ///   - old: The password that the user has now. Who changes their own password, and has one, must give it; a wrong one
    ///     counts as a failed attempt to sign in.
    ///   - origin: Where the attempt comes from, such as an address: for the delays.
    /// - Throws: `DirectoryError` `invalidAttribute` for a password that is too short, too common or the user's name, and
    ///   where the old one is missing; `notFound`, `notPermitted`, `overloaded`. ``AuthenticationFailure`` `wrong` for a
    ///   wrong old password, `tooManyAttempts`, `overloaded`.
    public func setPassword(
        _ password: String, of user: UserReference, replacing old: String? = nil, in view: DirectoryView,
        from origin: String = "app"
    ) async throws {
        let found = try await view.users.user(user)
        if case .user(found.id) = view.caller,
            try oauth.directory.credentials.account(named: found.uid)?.passwordHash != nil
        {
            guard let old else { throw DirectoryError.oldPasswordMissing }
            _ = try await passwords.version(of: found.uid, password: old, from: origin)
        }
        let hash = try await passwords.hash(password, in: view) { try $0.namesToSetPassword(of: .id(found.id)) }
        try await view.users.modify(.id(found.id), attributes: ["password": .string(hash)])
    }

    /// Users' second factors: authenticator apps and challenge questions. Nothing is asked about rights here: whose they are
    /// is for the app to know.
    public var secondFactors: SecondFactorKeeper { oauth.secondFactors }

    // MARK: Sessions

    /// Begins a session for somebody who has signed in.
    ///
    /// - Parameters:
    ///   - lifetime: How long it lives after it was last used, in seconds from 1 to 31,536,000; a day. It ends after 30 days
    ///     however often it is used, or after this time where that is longer.
    /// - Returns: What is to be kept by the browser or the app; it is stored as a digest.
    /// - Throws: `DirectoryError` `invalidInput` for another lifetime; ``AuthenticationFailure`` `wrong` for somebody whose
    ///   account is gone or disabled by now.
    public func beginSession(for person: Person, lifetime: TimeInterval = 86_400) async throws -> String {
        guard (1...31_536_000).contains(lifetime) else {
            throw DirectoryError(
                .invalidInput, "A session lives 1 to 31536000 seconds.", advice: "Give another lifetime.")
        }
        guard try Person(person.holder, in: oauth.directory) != nil else { throw AuthenticationFailure.wrong }
        return try await oauth.sessions.begin(
            person.holder, version: person.version, at: person.signedIn ?? oauth.clock(), means: person.means,
            lifetime: lifetime)
    }

    /// Whose session it is, which lives on by being used; nil where it is none, has ended, or its user's password was
    /// changed or account disabled since. Cost: some microseconds, and a write when a tenth of its life has gone.
    public func person(ofSession session: String) async throws -> Person? {
        guard let found = try await oauth.sessions.use(session, now: oauth.clock()) else { return nil }
        var person = try Person(found.holder, in: oauth.directory)
        person?.means = found.means
        person?.version = found.version
        person?.signedIn = Date(timeIntervalSince1970: TimeInterval(found.authenticationTime))
        return person
    }

    /// Ends a session.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func endSession(_ session: String) async throws -> Bool { try await oauth.sessions.end(session) }

    /// Signs a user out everywhere: all sessions and tokens end at once. Nothing is asked about rights.
    public func signOutEverywhere(_ user: UserID, from origin: String = "app") async throws {
        try await oauth.signOutEverywhere(user, from: origin)
    }
}
