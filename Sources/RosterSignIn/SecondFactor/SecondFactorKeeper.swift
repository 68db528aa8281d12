import Foundation
public import Roster
import RosterCrypto
import RosterStore

/// Users' second factors: an authenticator app, with recovery codes for a lost phone, or challenge questions. A user who has both
/// is asked for the app's code, which is harder to guess.
public final class SecondFactorKeeper: Sendable {
    package static let recoveryCodes = 10

    private let directory: Directory
    private let keys: KeyRing
    private let passwords: PasswordKeeper
    private let issuer: String
    private let clock: @Sendable () -> Date
    private let throttle: AttemptThrottle
    /// The secrets that wait for a first code from the user's app.
    private let pending: PendingCodes<[UInt8]>

    init(
        _ directory: Directory, keys: KeyRing, passwords: PasswordKeeper, issuer: String,
        clock: @escaping @Sendable () -> Date
    ) {
        (self.directory, self.keys, self.passwords) = (directory, keys, passwords)
        (self.issuer, self.clock) = (issuer, clock)
        throttle = AttemptThrottle("second factors", directory, now: passwords.now)
        pending = PendingCodes("second factors", keys, capacity: 10_000, clock: clock)
    }

    /// The second factors of a user, and their encrypted form.
    private func stored(_ user: UserID) throws -> (factors: StoredFactors, sealed: String?) {
        let sealed = try directory.store.read { try StoredFactors.sealed(of: user, on: $0) }
        return (try StoredFactors(sealed: sealed, of: user, keys), sealed)
    }

    /// Stores changed factors, unless somebody else changed them meanwhile: a code that two requests bring at once is used once.
    ///
    /// - Returns: Whether they were stored.
    private func keep(_ factors: StoredFactors, of user: UserID, replacing old: String?) async throws -> Bool {
        let sealed = try factors.sealed(for: user, keys)
        return try await directory.store.awaitWrite { connection in
            guard try StoredFactors.sealed(of: user, on: connection) == old else { return false }
            try StoredFactors.store(sealed, of: user, on: connection)
            return true
        }
    }

    /// The second factors of a user: whether there is an app, the number of recovery codes that are left, and the number of questions.
    package func summary(of user: UserID) throws -> (hasApp: Bool, recoveryCodes: Int, questions: Int) {
        let factors = try stored(user).factors
        return (factors.app != nil, factors.app?.recovery.count ?? 0, factors.questions?.texts.count ?? 0)
    }

    // MARK: Setting up an app

    /// Begins to set up an authenticator app. The secret has no effect until ``confirm(_:for:)``.
    ///
    /// - Returns: The secret and the address for the app.
    /// - Throws: `DirectoryError` `alreadyExists` for a user who has an app; it has to be removed with a code first.
    public func begin(for user: UserID, account: String) throws -> (secret: String, address: String) {
        guard try stored(user).factors.app == nil else {
            throw DirectoryError(
                .alreadyExists, "There is a second factor already.", advice: "Remove it with one of its codes first.")
        }
        let secret = try SecureRandom.bytes(20)
        try pending.insert(secret, for: user.description, lifetime: 600)
        let host = URL(string: issuer)?.host() ?? issuer
        return (OneTimePassword.base32(secret), OneTimePassword.address(secret, account: account, issuer: host))
    }

    /// Sets up the app, which proves by a code that it has the secret.
    ///
    /// - Returns: The recovery codes, which are shown once.
    /// - Throws: `DirectoryError` `invalidInput` for a wrong code.
    public func confirm(_ code: String, for user: UserID) async throws -> [String] {
        guard let secret = try pending.value(user.description),
            let step = try OneTimePassword.step(of: code, secret, now: clock(), lastUsed: 0)
        else { throw Self.wrongCode }
        let codes = try (0..<Self.recoveryCodes).map { _ in try SecureRandom.legible(groups: 4, of: 4) }
        var (factors, sealed) = try stored(user)
        guard factors.app == nil else { throw Self.wrongCode }
        try directory.accounts.countChange(of: user)
        factors.app = .init(
            secret: secret, lastStep: step, recovery: try codes.map { try Self.digest(of: $0) }, created: clock())
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongCode }
        _ = try pending.take(user.description)
        return codes
    }

    /// Removes the app with one of its codes.
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

    /// The challenge questions of a user.
    public func questions(of user: UserID) throws -> [String] { try stored(user).factors.questions?.texts ?? [] }

    /// Sets up challenge questions. Cost: a password's hash.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for questions that are too weak; `alreadyExists`.
    public func setQuestions(_ pairs: [(question: String, answer: String)], for user: UserID) async throws {
        try ChallengeQuestions.check(pairs)
        try directory.accounts.countChange(of: user)
        var (factors, sealed) = try stored(user)
        guard factors.questions == nil else {
            throw DirectoryError(
                .alreadyExists, "There are questions already.", advice: "Remove them with their answers first.")
        }
        let texts = pairs.map(\.question)
        let answers = Dictionary(pairs.map { ($0.question, $0.answer) }, uniquingKeysWith: { first, _ in first })
        guard let secret = ChallengeQuestions.secret(answers, to: texts) else { throw Self.wrongAnswers }
        factors.questions = .init(
            texts: texts, hash: try await passwords.hash(machineText: secret, of: user), created: clock())
        guard try await keep(factors, of: user, replacing: sealed) else { throw Self.wrongAnswers }
    }

    /// Removes the challenge questions with their answers. Cost: a password's hash.
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

    /// Verifies the second factor of a user who has one. A code is used up by it.
    ///
    /// - Returns: The authentication method (RFC 8176).
    /// - Throws: ``AuthenticationFailure``.
    func prove(_ proof: SecondFactorProof, for user: UserID, from address: String) async throws -> String {
        let factors: StoredFactors
        do {
            factors = try stored(user).factors
        } catch let error as DirectoryError where error == StoredFactors.lost {
            throw AuthenticationFailure.secondFactorLost
        }
        guard factors.app == nil, let questions = factors.questions else {
            guard let code = proof.code, !code.isEmpty else {
                throw AuthenticationFailure.secondFactorRequired(questions: [])
            }
            guard try await verify(code, for: user, from: address) else {
                throw AuthenticationFailure.secondFactorWrong(questions: [])
            }
            return "otp"
        }
        guard !proof.answers.isEmpty else {
            throw AuthenticationFailure.secondFactorRequired(questions: questions.texts)
        }
        guard try await verify(proof.answers, for: user, from: address) else {
            throw AuthenticationFailure.secondFactorWrong(questions: questions.texts)
        }
        return "kba"
    }

    /// Whether a code of the app, or a recovery code, is right. A right code is used up.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`.
    private func verify(_ code: String, for user: UserID, from address: String) async throws -> Bool {
        let account = "second factor " + user.description
        try throttle.admit(account: account, address: address)
        // If two requests come with one code, the second finds the factors changed and reads them again.
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
                try throttle.failed(account: account, address: address)
                return false
            }
            factors.app?.used = clock()
            if try await keep(factors, of: user, replacing: sealed) {
                try throttle.succeeded(account: account, address: address)
                return true
            }
        }
        return false
    }

    /// Whether all the answers are right. Cost: a password's hash.
    private func verify(_ answers: [String: String], for user: UserID, from address: String) async throws -> Bool {
        var (factors, sealed) = try stored(user)
        guard let questions = factors.questions else { return false }
        let isRight = try await passwords.isRight(
            ChallengeQuestions.secret(answers, to: questions.texts) ?? "", for: questions.hash, throttle,
            account: "challenge questions " + user.description, from: address)
        guard isRight else { return false }
        // Answers are not used up, so that a change of the factors at the same moment does no harm.
        factors.questions?.used = clock()
        _ = try await keep(factors, of: user, replacing: sealed)
        return true
    }

    private static func digest(of code: String) throws -> String {
        try SHA256.hex(String(code.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64)))
    }
}

extension SecureRandom {
    /// Groups of random letters and digits that cannot be mistaken for each other. Each character has 5 bits.
    static func legible(groups: Int, of length: Int) throws -> String {
        try (0..<groups).map { _ in
            String(decoding: try bytes(length).map { legibleCharacters[Int($0 & 31)] }, as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The 32 characters of ``legible(groups:of:)``.
    static let legibleCharacters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}
