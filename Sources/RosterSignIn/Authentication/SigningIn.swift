import Foundation
import Roster

/// Signs people in, for all interfaces.
package struct SigningIn: Sendable {
    let directory: Directory
    let refusals: RefusalCounts
    let clock: @Sendable () -> Date
    let passwords: PasswordKeeper
    let secondFactors: SecondFactorKeeper
    let sessions: CookieSessions
    let audit: AuditTrail
    /// The sign-ins that wait for the second factor, by their codes.
    let begunSignIns: PendingCodes<BegunSignIn>
    let credentials: CredentialChecker
    let appPasswords: AppPasswordChecker

    /// Finds out to whom a credential belongs, counts a failed attempt, and records the outcome in the change feed.
    ///
    /// Neither the answer nor the time that it takes tells whether a name is known: see ``PasswordKeeper``.
    ///
    /// - Parameter origin: The address and the browser of the client, for the delays and the change feed.
    /// - Throws: `DirectoryError`.
    package func signIn(
        _ credential: Credential, at place: SignInPlace, from origin: ClientOrigin
    ) throws -> Authentication {
        let found = try authenticate(credential, from: origin)
        switch found {
        case .identified(let identity):
            do {
                try countSignIn(of: identity, at: place)
            } catch let failure as AuthenticationFailure {
                return .refused(failure)
            }
            recordSuccess(identity, at: place, from: origin, isRemembered: true)
        case .refused(let failure): recordRefusal(failure, credential, at: place, from: origin)
        case .later(let work):
            return .later { [self] in
                let identity: Identity
                do {
                    identity = try await work()
                } catch let failure as AuthenticationFailure {
                    recordRefusal(failure, credential, at: place, from: origin)
                    throw failure
                }
                try countSignIn(of: identity, at: place)
                recordSuccess(identity, at: place, from: origin, isRemembered: false)
                return identity
            }
        }
        return found
    }

    /// Signs a user in by name, password and, where the user has one, second factor.
    ///
    /// - Throws: ``AuthenticationFailure``; `DirectoryError`.
    package func signIn(_ login: Login, at place: SignInPlace, from origin: ClientOrigin) async throws -> Person {
        try person(of: await signIn(.password(login), at: place, from: origin).identity())
    }

    /// Counts a sign-in that is about to be recorded.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts` if the account has signed in too often.
    func countSignIn(_ way: Directory.RatedSignIn, of holder: Holder) throws {
        do {
            try directory.holders.countSignIn(way, of: holder)
        } catch let failure as AuthenticationFailure {
            refusals.count(failure)
            throw failure
        }
    }

    /// Counts a sign-in by password. A request that carries its password is not a sign-in of its own: it is recorded once an hour.
    private func countSignIn(of identity: Identity, at place: SignInPlace) throws {
        guard case .user(let id) = identity.caller else { return }
        if case .request = place { return }
        try countSignIn(.password, of: .user(id))
    }

    /// The person who has just proved an identity.
    func person(of identity: Identity) throws -> Person {
        guard case .user(let id) = identity.caller, var person = try Person(.user(id), in: directory) else {
            throw AuthenticationFailure.wrong
        }
        person.version = identity.version
        person.signedIn = clock()
        person.amr = identity.amr
        return person
    }

    /// Finds out to whom a credential belongs, and counts a failed attempt. Nothing is recorded: this is for credentials that
    /// were recorded already.
    package func authenticate(_ credential: Credential, from origin: ClientOrigin) throws -> Authentication {
        switch credential {
        case .password(let login): authenticate(login, from: origin)
        case .basic(let text, let login): passwords.authenticate(basic: text, from: origin.address, login)
        case .app(let use, let text, let login):
            try login(text).flatMap { try appPasswords.authenticate(use, $0, from: origin) }
                ?? passwords.authenticate(basic: text, from: origin.address, login)
        case .backend(let credential): try credentials.authenticate(credential, from: origin)
        case .bearer(let token): credentials.authenticate(bearer: token, from: origin)
        case .bound(let token, let proof?): try credentials.authenticate(bound: token, by: proof)
        case .bound(_, nil): .refused(.wrong)
        case .session(let value): try authenticate(session: value)
        case .unreadable: .refused(.wrong)
        }
    }

    /// Verifies a password, and then the second factor of a user who has one.
    private func authenticate(_ login: Login, from origin: ClientOrigin) -> Authentication {
        let found = passwords.authenticate(
            name: login.name, password: login.password, from: origin.address, takesSecondFactor: login.proof != nil)
        guard let proof = login.proof else { return found }
        switch found {
        case .identified(let identity) where !identity.hasSecondFactor: return found
        case .refused: return found
        case .identified, .later:
            return .later { [self] in
                var identity = try await found.identity()
                guard identity.hasSecondFactor, case .user(let id) = identity.caller else { return identity }
                guard try Person(.user(id), in: directory) != nil else { throw AuthenticationFailure.wrong }
                identity.amr.append(try await secondFactors.prove(proof, for: id, from: origin.address))
                return identity
            }
        }
    }

    /// Looks a session up. A session prolongs its life by being used; a one-time session ends.
    private func authenticate(session value: String) throws -> Authentication {
        guard let session = try sessions.find(value) else { return .refused(.wrong) }
        let caller: Caller
        switch session.holder {
        case .user(let id): caller = .user(id)
        case .virtualUser(let id):
            guard let user = try directory.holders.virtualUser(id) else { return .refused(.wrong) }
            caller = .virtualUser(issuer: user.issuer, subject: user.subject)
        }
        var identity = Identity(caller, name: session.name)
        identity.presence = .person(session.personalSignIn)
        if session.isOneTime {
            identity.isOneTime = true
            return .later { [sessions, identity] in
                // If two requests come at once, one of them finds the session ended.
                guard try await sessions.spend(value) else { throw AuthenticationFailure.wrong }
                return identity
            }
        }
        guard session.isStale(at: clock()) else { return .identified(identity) }
        identity.prolongedSession = session.lifetime
        return .later { [sessions, identity] in
            _ = try await sessions.use(value)
            return identity
        }
    }

    // MARK: Audit

    /// - Parameter isRemembered: Whether the password was verified some seconds ago, maybe for another client.
    func recordSuccess(
        _ identity: Identity, at place: SignInPlace, from origin: ClientOrigin, isRemembered: Bool
    ) {
        var method = place.method
        let reason = identity.appPassword.map { "app password " + $0.name }
        switch place {
        case .request(let scheme, _):
            guard AuditTrail.perRequest.contains(scheme) else { return }
            if isRemembered {
                guard identity.version != nil, audit.isNews(identity.name, reason, from: origin.address) else { return }
            }
        case .app: method = identity.amr.joined(separator: " ")
        case .page, .session: break
        case .grant, .registration: return
        }
        guard case .user(let id) = identity.caller, let person = try? Person(.user(id), in: directory) else { return }
        audit.record(.signedIn, person, nil, from: origin, method: method, reason: reason)
    }

    func recordRefusal(
        _ failure: AuthenticationFailure, _ credential: Credential, at place: SignInPlace, from origin: ClientOrigin
    ) {
        refusals.count(failure)
        if case .request(let scheme, let name) = place {
            let reason =
                switch failure {
                case .wrong: "wrong"
                case .tooManyAttempts: "too many attempts"
                case .overloaded: "overloaded"
                case .secondFactorRequired, .secondFactorWrong, .secondFactorLost: "second factor required"
                }
            audit.record(.refused, nil, nil, from: origin, method: scheme, reason: reason, name: name())
            return
        }
        guard let error = OAuthError(failure), case .password(let login) = credential else { return }
        var backend: Backend?
        if case .grant(_, let client) = place { backend = client }
        if case .registration(let client) = place { backend = client }
        audit.record(
            .refused, nil, backend, from: origin, method: place.method, reason: error.code.rawValue, name: login.name)
    }
}
