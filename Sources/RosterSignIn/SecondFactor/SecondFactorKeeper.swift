import Foundation
public import Roster
import RosterCrypto

/// Users' second factors: an authenticator app, with recovery codes for when the phone is lost; or challenge questions. Who has
/// both is asked for the app's code, which is harder to guess.
public final class SecondFactorKeeper: Sendable {
    /// How many recovery codes there are, each good once.
    package static let recoveryCodes = 10

    private let directory: Directory
    private let keys: KeyRing
    private let passwords: PasswordKeeper
    private let issuer: String
    private let clock: @Sendable () -> Date
    private let throttle = AttemptThrottle()
    /// Secrets that nobody has shown to have in an app yet.
    private let pending: PendingCodes<[UInt8]>

    init(
        _ directory: Directory, keys: KeyRing, passwords: PasswordKeeper, issuer: String,
        clock: @escaping @Sendable () -> Date
    ) {
        self.directory = directory
        self.keys = keys
        self.passwords = passwords
        self.issuer = issuer
        self.clock = clock
        pending = PendingCodes(capacity: 10_000, clock: clock)
    }

    private func context(_ user: UserID) -> String { SealedSecret.Owner.secondFactor(user).context }

    private static let lost = DirectoryError(
        .notPermitted, "The second factor was lost with the directory's key file.",
        advice: "Have an administrator remove it, then set up a new one.")

    /// What a user has, and how it is kept.
    private func stored(_ user: UserID) throws -> (factors: StoredFactors, sealed: String?) {
        guard let sealed = try directory.secondFactor(of: user) else { return (StoredFactors(), nil) }
        if sealed.isEmpty { throw Self.lost }
        guard let factors = StoredFactors(try keys.open(sealed, context(user))) else {
            throw DirectoryError(
                .damaged, "A second factor cannot be read.", advice: "Have an administrator remove it.")
        }
        return (factors, sealed)
    }

    /// Keeps what has changed, where nobody else has changed it meanwhile.
    private func keep(_ factors: StoredFactors, of user: UserID, replacing old: String?) async throws -> Bool {
        let sealed = factors.isEmpty ? nil : try keys.seal(factors.text, context(user))
        return try await directory.setSecondFactor(sealed, of: user, replacing: old)
    }

    // MARK: Setting up an app

    /// Begins to set one up: what an authenticator app is to be told. It counts for nothing until ``confirm(_:for:)``.
    ///
    /// - Throws: `DirectoryError` `alreadyExists` where the user has one: it is removed with a code first.
    public func begin(for user: UserID, account: String) throws -> (secret: String, address: String) {
        guard try stored(user).factors.app == nil else {
            throw DirectoryError(
                .alreadyExists, "There is a second factor already.", advice: "Remove it with one of its codes first.")
        }
        let secret = try SecureRandom.bytes(20)
        pending.insert(secret, for: user.description, lifetime: 600)
        let host = URL(string: issuer)?.host() ?? issuer
        return (OneTimePassword.base32(secret), OneTimePassword.address(secret, account: account, issuer: host))
    }

    /// Sets one up, now that an app has shown to have the secret.
    ///
    /// - Returns: The recovery codes, which are shown once.
    /// - Throws: `DirectoryError` `invalidInput` for a wrong code.
    public func confirm(_ code: String, for user: UserID) async throws -> [String] {
        guard let secret = pending.value(user.description),
            let step = try OneTimePassword.step(of: code, secret, now: clock(), lastUsed: 0)
        else { throw Self.wrongCode }
        let codes = try (0..<Self.recoveryCodes).map { _ in try Self.recoveryCode() }
        var (factors, sealed) = try stored(user)
        guard factors.app == nil else { throw Self.wrongCode }
        factors.app = .init(secret: secret, lastStep: step, recovery: try codes.map { try Self.digest(of: $0) })
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongCode }
        _ = pending.take(user.description)
        return codes
    }

    /// Removes it, with one of its codes.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for a wrong code; ``AuthenticationFailure`` `tooManyAttempts`.
    public func remove(with code: String, for user: UserID) async throws {
        guard try await verify(code, for: user, from: "removal of " + user.description) else { throw Self.wrongCode }
        var (factors, sealed) = try stored(user)
        factors.app = nil
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongCode }
    }

    private static let wrongCode = DirectoryError(
        .invalidInput, "The code is wrong, was used already, or nothing waits for one.", advice: "Take the next code.")

    // MARK: Setting up questions

    /// The questions of a user; none where there are none.
    public func questions(of user: UserID) throws -> [String] { try stored(user).factors.questions?.texts ?? [] }

    /// Sets up challenge questions. Cost: a password's hash.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for questions that protect nothing, `alreadyExists`.
    public func setQuestions(_ pairs: [(question: String, answer: String)], for user: UserID) async throws {
        try ChallengeQuestions.check(pairs)
        var (factors, sealed) = try stored(user)
        guard factors.questions == nil else {
            throw DirectoryError(
                .alreadyExists, "There are questions already.", advice: "Remove them with their answers first.")
        }
        let texts = pairs.map(\.question)
        let answers = Dictionary(pairs.map { ($0.question, $0.answer) }, uniquingKeysWith: { first, _ in first })
        guard let secret = ChallengeQuestions.secret(answers, to: texts) else { throw Self.wrongAnswers }
        factors.questions = .init(texts: texts, hash: try await passwords.hash(machineText: secret, of: user))
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongAnswers }
    }

    /// Removes them, with their answers. Cost: a password's hash.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for a wrong answer; ``AuthenticationFailure`` `tooManyAttempts`, `overloaded`.
    public func removeQuestions(with answers: [String: String], for user: UserID) async throws {
        guard try await verify(answers, for: user, from: "removal of " + user.description) else {
            throw Self.wrongAnswers
        }
        var (factors, sealed) = try stored(user)
        factors.questions = nil
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongAnswers }
    }

    private static let wrongAnswers = DirectoryError(
        .invalidInput, "An answer is wrong or missing, or the questions were changed meanwhile.",
        advice: "Answer each of the questions.")

    // MARK: Signing in

    /// Whether somebody who has a second factor brings it; each code is used up by it.
    ///
    /// - Returns: How they proved it (RFC 8176).
    /// - Throws: ``OAuthError`` `mfa_required` with the questions, `invalid_grant`; ``AuthenticationFailure``.
    func prove(_ proof: SecondFactorProof, for user: UserID, from peer: String) async throws -> String {
        let factors: StoredFactors
        do {
            factors = try stored(user).factors
        } catch let error as DirectoryError where error == Self.lost {
            throw OAuthError(.invalidGrant, error.description)
        }
        guard factors.app == nil, let questions = factors.questions else {
            guard let code = proof.code, !code.isEmpty else {
                throw OAuthError(.secondFactorRequired, "A code of the second factor is needed as well: send 'otp'.")
            }
            guard try await verify(code, for: user, from: peer) else {
                throw OAuthError(.invalidGrant, "The code of the second factor is wrong, or was used already.")
            }
            return "otp"
        }
        guard !proof.answers.isEmpty else {
            throw OAuthError(
                .secondFactorRequired, "The answers to the challenge questions are needed as well: send 'kba_answers'.",
                questions: questions.texts)
        }
        guard try await verify(proof.answers, for: user, from: peer) else {
            throw OAuthError(.invalidGrant, "An answer is wrong or missing.", questions: questions.texts)
        }
        return "kba"
    }

    /// Whether a code is good, which uses it up: one of the app's, or a recovery code.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`.
    private func verify(_ code: String, for user: UserID, from peer: String) async throws -> Bool {
        let account = "second factor " + user.description
        if case .wait(let seconds) = throttle.check(account: account, address: peer) {
            throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
        }
        // Two requests with one code: the second finds what is stored changed, and looks again.
        for _ in 0..<3 {
            var (factors, sealed) = try stored(user)
            guard let app = factors.app else { return false }
            let digest = try Self.digest(of: code)
            if let step = try OneTimePassword.step(
                of: code.filter { $0 != " " }, app.secret, now: clock(), lastUsed: app.lastStep)
            {
                factors.app?.lastStep = step
            } else if app.recovery.contains(where: { constantTimeEqual($0, digest) }) {
                factors.app?.recovery.removeAll { $0 == digest }
            } else {
                throttle.failed(account: account, address: peer)
                return false
            }
            if try await keep(factors, of: user, replacing: sealed) {
                throttle.succeeded(account: account, address: peer)
                return true
            }
        }
        return false
    }

    /// Whether all the answers are right. Cost: a password's hash.
    private func verify(_ answers: [String: String], for user: UserID, from peer: String) async throws -> Bool {
        guard let questions = try stored(user).factors.questions else { return false }
        return try await passwords.isRight(
            ChallengeQuestions.secret(answers, to: questions.texts) ?? "", for: questions.hash, throttle,
            account: "challenge questions " + user.description, from: peer)
    }

    /// Sixteen letters and digits that nobody mistakes for others: 80 bits.
    private static func recoveryCode() throws -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let characters = try SecureRandom.bytes(16).map { alphabet[Int($0 & 31)] }
        return stride(from: 0, to: 16, by: 4).map {
            String(decoding: characters[$0..<($0 + 4)], as: UTF8.self)
        }.joined(separator: "-")
    }

    private static func digest(of code: String) throws -> String {
        try SHA256.hex(String(code.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64)))
    }
}
