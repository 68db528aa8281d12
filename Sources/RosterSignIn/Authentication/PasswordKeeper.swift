import Foundation
package import Roster
import RosterText

/// Hashes new passwords and verifies presented ones.
///
/// The time of a refusal does not tell whether a name is known, nor how its password is stored: see ``DummyHash``. Attempts wait
/// for their hash in turns by client address. A place is kept for users who signed in before from the same address.
package final class PasswordKeeper: Sendable {
    private let directory: Directory
    /// The cost of new hashes.
    package let parameters: PasswordParameters
    package let slots: HashSlots
    /// The slots for new passwords are separate, so that somebody who sets many passwords does not delay sign-ins.
    package let slotsForNew: HashSlots
    private let cache: CredentialCache
    private let throttle: AttemptThrottle
    private let dummy: DummyHash
    /// The clock of the delays after failed attempts.
    let now: MonotonicTime

    /// Makes the keeper of a directory. Cost: a password's hash.
    ///
    /// - Parameter now: The clock of the delays after failed attempts.
    package init(
        _ directory: Directory, parameters: PasswordParameters = .standard,
        now: @escaping MonotonicTime = systemMonotonicTime()
    ) throws {
        self.directory = directory
        self.parameters = parameters
        slots = HashSlots()
        slotsForNew = HashSlots(slots: 1)
        cache = try CredentialCache(now: now)
        throttle = AttemptThrottle("passwords", directory, now: now)
        self.now = now
        dummy = try DummyHash(parameters)
    }

    /// The hash of a new password, for a caller who may set it. Callers take turns, and a place is kept for callers who manage
    /// the accounts of others.
    ///
    /// - Parameters:
    ///   - view: The view of the caller.
    ///   - check: Refuses a caller who may not set the password, before anything is hashed. It returns the user's names and
    ///     addresses, because the password must not be one of them.
    /// - Throws: What `check` throws; `DirectoryError` `invalidAttribute` for a password that the policy refuses,
    ///   `overloaded`.
    package func hash(
        _ password: String, in view: DirectoryView,
        ifAllowed check: @escaping @Sendable (Transaction) throws -> [String]
    ) async throws -> String {
        let (names, keepsAccounts) = try await view.awaitRead(isBrief: true) { (try check($0), $0.keepsAccounts) }
        do {
            try PasswordPolicy.check(password, name: names.first ?? "", mails: Array(names.dropFirst()))
            return try await newHash(of: password, for: HashSlots.Share(view.caller.description, isKept: keepsAccounts))
        } catch let problem as PasswordProblem {
            throw DirectoryError(
                .invalidAttribute, problem.message, advice: problem.advice, attribute: "password")
        }
    }

    /// The hash of a text that is not a password, so that no password policy applies.
    func hash(machineText text: String, of user: UserID) async throws -> String {
        try await newHash(of: text, for: HashSlots.Share(Caller.user(user).description))
    }

    private func newHash(of text: String, for share: HashSlots.Share) async throws -> String {
        let parameters = parameters
        return try await slotsForNew.run(for: share) { try PasswordHash.make(text, parameters).text }
    }

    /// Whether a text matches a hash. The attempt is counted when its turn comes.
    ///
    /// - Throws: ``AuthenticationFailure`` `overloaded`, `tooManyAttempts`.
    func isRight(
        _ text: String, for hash: String, _ throttle: AttemptThrottle, account: String, from address: String
    ) async throws -> Bool {
        let (dummy, stored) = (dummy, try? PasswordHash(hash))
        return try await attempt(throttle, try share(throttle, account, address), account: account, from: address) {
            try dummy.match(text, against: stored)
        } != nil
    }

    /// The share whose turn an attempt uses: that of the account if it signed in before from this address, else that of the
    /// address.
    private func share(_ throttle: AttemptThrottle, _ account: String, _ address: String) throws -> HashSlots.Share {
        try throttle.isKnown(account: account, address: address)
            ? HashSlots.Share(account, isKept: true) : HashSlots.Share(AttemptThrottle.network(of: address))
    }

    /// Makes an attempt in a slot and counts it there. Attempts that come at once are delayed as much as attempts that come one
    /// after the other.
    private func attempt(
        _ throttle: AttemptThrottle, _ share: HashSlots.Share, account: String, from address: String,
        _ match: @escaping @Sendable () throws -> PasswordHash.Form?
    ) async throws -> PasswordHash.Form? {
        do {
            return try await slots.run(for: share) {
                try throttle.admit(account: account, address: address)
                let result = Result { try match() }
                if case .failure(let error) = result, !(error is PasswordProblem) {
                    // An attempt that could not be decided counts too, so that nobody can guess without delay meanwhile.
                    try throttle.failed(account: account, address: address)
                    throw error
                }
                guard case .success(let form?) = result else {
                    try throttle.failed(account: account, address: address)
                    return nil
                }
                try throttle.succeeded(account: account, address: address)
                return form
            }
        } catch let error as DirectoryError where error.code == .overloaded {
            throw AuthenticationFailure.overloaded
        }
    }

    /// Verifies the name and the password in a text of HTTP Basic. A user who has a second factor is refused.
    ///
    /// - Parameter login: Reads the name and the password, if the text was not verified within the last minute.
    func authenticate(
        basic text: String, from address: String, _ login: (String) -> Login?
    ) -> Authentication {
        // Changes are counted before the account is looked up, so that no later change is missed.
        let changes = directory.commitCount
        if var identity = cache.identity(by: text, changes: changes), let version = identity.version {
            identity.presence = presence(version)
            return .identified(identity)
        }
        guard let login = login(text) else { return .refused(.wrong) }
        return authenticate(
            name: login.name, password: login.password, from: address, takesSecondFactor: false
        ) { cache.remember($0, by: text, verified: $1, changes: changes) }
    }

    /// Verifies a name and a password. The answer is immediate if the same pair was verified within the last minute.
    ///
    /// - Parameters:
    ///   - takesSecondFactor: Whether the caller verifies a second factor afterwards. If not, a user who has one is refused as if
    ///     the password were wrong.
    ///   - isKnown: Called with a user whose password was verified within the last minute, and the time of that.
    package func authenticate(
        name: String, password: String, from address: String, takesSecondFactor: Bool = true,
        _ isKnown: (Identity, Duration) -> Void = { _, _ in }
    ) -> Authentication {
        let account: Directory.Account?
        let name = EntityName.entered(name)
        do {
            // A name that is too long for any user is not looked up.
            account = name.utf8.count <= 1_024 ? try directory.accounts.account(enteredAs: name) : nil
        } catch {
            return .later { throw error }
        }
        // Without an account, a hash that no password matches is verified, which takes as long.
        let text = account?.passwordHash ?? dummy.text
        let isUsable = account.map { $0.isActive && (takesSecondFactor || !$0.hasSecondFactor) } ?? false
        let verified = cache.verified(name: account?.uid ?? name, password: password, hash: text)
        if let verified, let account, isUsable {
            let identity = identity(account)
            // An account that ends within the minute of the cache is looked up at each request.
            if account.ends.map({ directory.now.addingTimeInterval(60) < $0 }) ?? true { isKnown(identity, verified) }
            return .identified(identity)
        }
        let parsed = try? PasswordHash(text)
        let stored = account?.passwordHash == nil ? nil : parsed
        // All spellings of a name are one account, known or not; otherwise the delays would tell which names are known.
        let key =
            (try? EntityName(account?.uid ?? name))?.key
            // Nobody has a longer name, and folding a long run of combining marks takes a minute, so only its beginning counts.
            ?? String(decoding: name.utf8.prefix(512), as: UTF8.self).precomposedStringWithCompatibilityMapping
            .lowercased()
        // An attempt that is delayed anyway does not wait for a slot.
        do {
            if case .wait(let seconds) = try throttle.check(account: key, address: address, isAttempt: false) {
                return .refused(.tooManyAttempts(seconds: seconds))
            }
        } catch {
            return .later { throw error }
        }
        return .later { [self] in
            guard let account = try await self.verified(account, isUsable, stored, password, key: key, from: address)
            else {
                throw AuthenticationFailure.wrong
            }
            return identity(account)
        }
    }

    /// The version of a user's password, where the given one is right. A wrong one counts as a failed attempt to sign in.
    ///
    /// - Throws: ``AuthenticationFailure`` `wrong`, `tooManyAttempts`, `overloaded`.
    package func version(of name: String, password: String, from address: String) async throws -> CredentialVersion {
        let identity = try await authenticate(name: name, password: password, from: address).identity()
        guard let version = identity.version else { throw AuthenticationFailure.wrong }
        return version
    }

    private func identity(_ account: Directory.Account) -> Identity {
        var identity = Identity(.user(account.id), name: account.uid, hasSecondFactor: account.hasSecondFactor)
        identity.amr = ["pwd"]
        identity.version = account.version
        identity.presence = presence(account.version)
        return identity
    }

    /// The presence that a password in the request proves.
    private func presence(_ version: CredentialVersion) -> Presence {
        .person(PersonalSignIn(time: directory.now, hasSecondFactor: false, version: version))
    }

    /// The account, if the password is right and the account may be used.
    private func verified(
        _ account: Directory.Account?, _ isUsable: Bool, _ stored: PasswordHash?, _ password: String, key: String,
        from address: String
    ) async throws -> Directory.Account? {
        let (dummy, cache, directory) = (dummy, cache, directory)
        let share = try share(throttle, key, address)
        let form = try await attempt(throttle, share, account: key, from: address) {
            // A client may send the same password on many connections at once; the hash of the first one is enough.
            if let account, isUsable, let stored,
                cache.contains(name: account.uid, password: password, hash: stored.text)
            {
                return .prepared
            }
            let form = try dummy.match(
                password, against: stored, isUsable: isUsable,
                costliest: directory.accounts.costliestHashes(where: PasswordHash.isStorable))
            return account?.isActive == true ? form : nil
        }
        guard let form, isUsable, let account, let stored else { return nil }
        guard form == .asSent || stored.needsRehash(parameters) else {
            cache.insert(name: account.uid, password: password, hash: stored.text)
            return account
        }
        let parameters = parameters
        if let better = try? await slots.run(for: share, { try PasswordHash.make(password, parameters) }) {
            try? await directory.accounts.upgrade(account.id, from: stored.text, to: better.text)
            cache.insert(name: account.uid, password: password, hash: better.text)
        }
        return account
    }
}
