import Foundation
package import Roster
import RosterText

/// Hashes new passwords and holds presented ones against what is stored.
///
/// Whether a name is known, and how its password is stored, cannot be told from the time that a refusal takes: see
/// ``DummyHash``. Those who wait for a hash take turns by the addresses that they come from, and whoever signed in before
/// from the same address has a place kept.
package final class PasswordKeeper: Sendable {
    private let directory: Directory
    private let parameters: PasswordParameters
    private let policy = PasswordPolicy()
    let slots: HashSlots
    /// New passwords wait for each other only: whoever sets many of them keeps nobody from signing in.
    let slotsForNew: HashSlots
    private let cache: CredentialCache
    private let throttle: AttemptThrottle
    private let dummy: DummyHash

    package init(_ directory: Directory, parameters: PasswordParameters = .standard) throws {
        self.directory = directory
        self.parameters = parameters
        slots = HashSlots()
        slotsForNew = HashSlots(slots: 1)
        cache = try CredentialCache()
        throttle = AttemptThrottle()
        dummy = try DummyHash(parameters)
    }

    /// The hash of a new password, for a caller who may set it. Callers take turns; those who keep the accounts of others
    /// have a place kept.
    ///
    /// - Parameters:
    ///   - view: Whoever sets the password.
    ///   - check: Refuses what the caller may not do, before anything is hashed. Returns the user's names and addresses,
    ///     none of which may be the password.
    /// - Throws: What `check` throws; `DirectoryError` `invalidAttribute` for a password that the policy refuses,
    ///   `overloaded`.
    package func hash(
        _ password: String, in view: DirectoryView, ifAllowed check: @escaping @Sendable (Transaction) throws -> [String]
    ) async throws -> String {
        let (names, keepsAccounts) = try await view.awaitRead(isBrief: true) { (try check($0), $0.keepsAccounts) }
        do {
            try policy.check(password, name: names.first ?? "", mails: Array(names.dropFirst()))
            return try await newHash(of: password, for: HashSlots.Share(view.caller.description, isKept: keepsAccounts))
        } catch let problem as PasswordProblem {
            throw DirectoryError(
                .invalidAttribute, problem.message, advice: problem.advice, attribute: "password")
        }
    }

    /// The hash of what is no password of a user, and no policy applies to.
    func hash(machineText text: String, of user: UserID) async throws -> String {
        try await newHash(of: text, for: HashSlots.Share(Caller.user(user).description))
    }

    private func newHash(of text: String, for share: HashSlots.Share) async throws -> String {
        let parameters = parameters
        return try await slotsForNew.run(for: share) { try PasswordHash.make(text, parameters).text }
    }

    /// Whether a text is the one of a hash. The attempt is counted when its turn comes.
    ///
    /// - Throws: ``AuthenticationFailure`` `overloaded`, `tooManyAttempts`.
    func isRight(
        _ text: String, for hash: String, _ throttle: AttemptThrottle, account: String, from peer: String
    ) async throws -> Bool {
        let (dummy, stored) = (dummy, try? PasswordHash(hash))
        return try await attempt(throttle, share(throttle, account, peer), account: account, from: peer) {
            try dummy.verify(text, against: stored)
        }
    }

    /// Whose turn an attempt takes: that of the account where it signed in before from the address, else the address's.
    private func share(_ throttle: AttemptThrottle, _ account: String, _ peer: String) -> HashSlots.Share {
        throttle.isKnown(account: account, address: peer)
            ? HashSlots.Share(account, isKept: true) : HashSlots.Share(AttemptThrottle.network(of: peer))
    }

    /// Makes an attempt in a slot, and counts it there: however many come at once, no more of them are free than of those
    /// that come one by one.
    private func attempt(
        _ throttle: AttemptThrottle, _ share: HashSlots.Share, account: String, from peer: String,
        _ isRight: @escaping @Sendable () throws -> Bool
    ) async throws -> Bool {
        do {
            return try await slots.run(for: share) {
                if case .wait(let seconds) = throttle.check(account: account, address: peer) {
                    throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
                }
                let result = Result { try isRight() }
                if case .failure(let error) = result, !(error is PasswordProblem) { throw error }
                guard case .success(true) = result else {
                    throttle.failed(account: account, address: peer)
                    return false
                }
                throttle.succeeded(account: account, address: peer)
                return true
            }
        } catch let error as DirectoryError where error.code == .overloaded {
            throw AuthenticationFailure.overloaded
        }
    }

    /// Who has a name and a password. Known at once where they were verified some seconds ago.
    ///
    /// - Parameter takesSecondFactor: Whether a second factor is asked for afterwards. Where it is not, whoever has one is
    ///   refused as if the password were wrong.
    package func authenticate(
        name: String, password: String, from peer: String, takesSecondFactor: Bool = true
    ) -> Authentication {
        authenticate(name: name, password: password, from: peer, takesSecondFactor: takesSecondFactor) { _, _ in }
    }

    /// Who has the name and the password in a field of HTTP Basic, after the scheme. Whoever has a second factor cannot sign
    /// in so.
    func authenticate(basic field: String, from peer: String) -> Authentication {
        // Counted before the account is looked up: what changes meanwhile is not missed.
        let changes = directory.changeCount
        if var identity = cache.identity(by: field, changes: changes), let version = identity.version {
            identity.presence = presence(version)
            return .identified(identity)
        }
        guard field.utf8.count <= 8_192, let data = Data(base64Encoded: field),
            let text = String(validating: data, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return .refused(.wrong) }
        return authenticate(
            name: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]), from: peer,
            takesSecondFactor: false
        ) { cache.remember($0, by: field, verified: $1, changes: changes) }
    }

    /// - Parameter isKnown: Is told who was known at once, and when the password was verified.
    private func authenticate(
        name: String, password: String, from peer: String, takesSecondFactor: Bool,
        _ isKnown: (Identity, Duration) -> Void
    ) -> Authentication {
        let account: Directory.Account?
        do {
            // A name that no user can have is looked up all the same.
            account = name.utf8.count <= 1_024 ? try directory.account(named: name) : nil
        } catch {
            return .later { throw error }
        }
        // Where there is no account, the same is done with the hash that fits none, and takes as long.
        let text = account?.passwordHash ?? dummy.text
        let isUsable = account.map { $0.isActive && (takesSecondFactor || !$0.hasSecondFactor) } ?? false
        let verified = cache.verified(name: account?.uid ?? name, password: password, hash: text)
        if let verified, let account, isUsable {
            let identity = identity(account)
            isKnown(identity, verified)
            return .identified(identity)
        }
        let parsed = try? PasswordHash(text)
        let stored = account?.passwordHash == nil ? nil : parsed
        // Known or not, all the spellings of a name are one account: else the delays would tell which names are known.
        let key =
            (try? EntityName(account?.uid ?? name))?.key
            // Of a longer name, which nobody has, only the beginning: to fold a long run of marks takes a minute.
            ?? String(decoding: name.utf8.prefix(512), as: UTF8.self).precomposedStringWithCompatibilityMapping
            .lowercased()
        // Who has no chance does not wait for it.
        if case .wait(let seconds) = throttle.check(account: key, address: peer, isAttempt: false) {
            return .refused(.tooManyAttempts(seconds: seconds))
        }
        return .later { [self] in
            guard let account = try await self.verified(account, isUsable, stored, password, key: key, from: peer) else {
                throw AuthenticationFailure.wrong
            }
            return identity(account)
        }
    }

    /// Which password of a user this is. The attempt is counted as one to sign in.
    ///
    /// - Throws: ``AuthenticationFailure`` `wrong`, `tooManyAttempts`, `overloaded`.
    package func version(of name: String, password: String, from peer: String) async throws -> CredentialVersion {
        let identity: Identity
        switch authenticate(name: name, password: password, from: peer) {
        case .identified(let known): identity = known
        case .later(let work): identity = try await work()
        case .refused(let failure): throw failure
        case .notMine: throw AuthenticationFailure.wrong
        }
        guard let version = identity.version else { throw AuthenticationFailure.wrong }
        return version
    }

    private func identity(_ account: Directory.Account) -> Identity {
        var identity = Identity(.user(account.id), name: account.uid, needsSecondFactor: account.hasSecondFactor)
        identity.version = account.version
        identity.presence = presence(account.version)
        return identity
    }

    /// What a password proves that comes with the request.
    private func presence(_ version: CredentialVersion) -> Presence {
        .person(PersonalSignIn(time: directory.now, hasSecondFactor: false, version: version))
    }

    /// The account, where the password is the right one and it may be used.
    private func verified(
        _ account: Directory.Account?, _ isUsable: Bool, _ stored: PasswordHash?, _ password: String, key: String,
        from peer: String
    ) async throws -> Directory.Account? {
        let (dummy, cache, directory) = (dummy, cache, directory)
        let share = share(throttle, key, peer)
        let isRight = try await attempt(throttle, share, account: key, from: peer) {
            // A client that opens many connections at once sends the same on each: the first one's hash will do.
            if let account, isUsable, let stored,
                cache.contains(name: account.uid, password: password, hash: stored.text)
            {
                return true
            }
            let isRight = try dummy.verify(
                password, against: stored, isUsable: isUsable,
                costliest: directory.costliestHashes(where: PasswordHash.isStorable))
            return isRight && account?.isActive == true
        }
        guard isRight, isUsable, let account, let stored else { return nil }
        guard stored.needsRehash(parameters) else {
            cache.insert(name: account.uid, password: password, hash: stored.text)
            return account
        }
        let parameters = parameters
        if let better = try? await slots.run(for: share, { try PasswordHash.make(password, parameters) }) {
            try? await directory.upgrade(account.id, from: stored.text, to: better.text)
            cache.insert(name: account.uid, password: password, hash: better.text)
        }
        return account
    }
}

/// HTTP Basic (RFC 7617) against passwords in the directory. Whoever has a second factor cannot sign in so: there is no place
/// for its code.
struct PasswordAuthenticator: Authenticator {
    let keeper: PasswordKeeper

    func authenticate(scheme: String, credentials: String, from peer: String) -> Authentication {
        scheme == "basic" ? keeper.authenticate(basic: credentials, from: peer) : .notMine
    }
}
