package import Foundation
package import Roster
import RosterWire

/// Users' second factors: an authenticator app, and recovery codes for when the phone is lost.
package final class SecondFactorKeeper: Sendable {
    /// What is kept, encrypted.
    private struct Stored {
        var secret: [UInt8]
        var lastStep: Int64
        /// SHA-256 of each: they are random enough that nothing slower is needed.
        var recovery: [String]

        init(secret: [UInt8], lastStep: Int64, recovery: [String]) {
            self.secret = secret
            self.lastStep = lastStep
            self.recovery = recovery
        }

        init?(_ text: String) {
            guard let json = try? JSONValue(strictly: Array(text.utf8)),
                let secret = json["secret"]?.text.flatMap({ Base64URL.bytes($0) }),
                case .integer(let step)? = json["last_step"]
            else { return nil }
            self.secret = secret
            lastStep = step
            recovery = json["recovery"]?.elements.compactMap(\.text) ?? []
        }

        var text: String {
            let json: JSONValue = [
                "secret": .string(Base64URL.text(secret)), "last_step": .integer(lastStep),
                "recovery": .array(recovery.map { .string($0) }),
            ]
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }

    /// How many recovery codes there are, each good once.
    package static let recoveryCodes = 10

    private let directory: Directory
    private let keys: KeyRing
    private let issuer: String
    private let clock: @Sendable () -> Date
    private let throttle = AttemptThrottle()
    /// Secrets that nobody has shown to have in an app yet.
    private let pending: PendingCodes<[UInt8]>

    package init(_ directory: Directory, keys: KeyRing, issuer: String, clock: @escaping @Sendable () -> Date) {
        self.directory = directory
        self.keys = keys
        self.issuer = issuer
        self.clock = clock
        pending = PendingCodes(capacity: 10_000, clock: clock)
    }

    private func context(_ user: UserID) -> String { "second factor " + user.description }

    /// Whether a user has a second factor.
    package func isSet(for user: UserID) throws -> Bool { try directory.credentials.secondFactor(of: user) != nil }

    // MARK: Setting up

    /// Begins to set one up: what an authenticator app is to be told. It counts for nothing until ``confirm(_:for:)``.
    ///
    /// - Throws: `DirectoryError` `alreadyExists` where the user has one: it is removed with a code first.
    package func begin(for user: UserID, account: String) throws -> (secret: String, address: String) {
        guard try !isSet(for: user) else {
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
    package func confirm(_ code: String, for user: UserID) async throws -> [String] {
        guard let secret = pending.value(user.description),
            let step = try OneTimePassword.step(of: code, secret, now: clock(), lastUsed: 0)
        else { throw Self.wrongCode }
        let codes = try (0..<Self.recoveryCodes).map { _ in try Self.recoveryCode() }
        let stored = Stored(secret: secret, lastStep: step, recovery: try codes.map { try Self.digest(of: $0) })
        let sealed = try keys.seal(stored.text, context(user))
        guard try await directory.credentials.setSecondFactor(sealed, of: user, replacing: nil) else {
            throw Self.wrongCode
        }
        _ = pending.take(user.description)
        return codes
    }

    /// Removes it, with one of its codes.
    package func remove(with code: String, for user: UserID) async throws {
        guard try await verify(code, for: user, from: "removal"),
            let sealed = try directory.credentials.secondFactor(of: user),
            try await directory.credentials.setSecondFactor(nil, of: user, replacing: sealed)
        else { throw Self.wrongCode }
    }

    private static let wrongCode = DirectoryError(
        .invalidInput, "The code is wrong, was used already, or nothing waits for one.", advice: "Take the next code.")

    // MARK: Signing in

    /// Whether a code is good, which uses it up: one of the app's, or a recovery code.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`.
    package func verify(_ code: String, for user: UserID, from peer: String) async throws -> Bool {
        let account = "second factor " + user.description
        if case .wait(let seconds) = throttle.check(account: account, address: peer) {
            throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
        }
        // Two requests with one code: the second finds what is stored changed, and looks again.
        for _ in 0..<3 {
            guard let sealed = try directory.credentials.secondFactor(of: user),
                var stored = Stored(try keys.open(sealed, context(user)))
            else { return false }
            let digest = try Self.digest(of: code)
            if let step = try OneTimePassword.step(
                of: code.filter { $0 != " " }, stored.secret, now: clock(), lastUsed: stored.lastStep)
            {
                stored.lastStep = step
            } else if stored.recovery.contains(where: { constantTimeEqual($0, digest) }) {
                stored.recovery.removeAll { $0 == digest }
            } else {
                throttle.failed(account: account, address: peer)
                return false
            }
            let next = try keys.seal(stored.text, context(user))
            if try await directory.credentials.setSecondFactor(next, of: user, replacing: sealed) {
                throttle.succeeded(account: account, address: peer)
                return true
            }
        }
        return false
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
