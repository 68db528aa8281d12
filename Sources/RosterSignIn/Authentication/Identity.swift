public import Foundation
package import Roster
import RosterText

package enum Authentication: Sendable {
    /// The credential is good, which was known without waiting.
    case identified(Identity)
    /// The credential is refused, which was known without waiting.
    case refused(AuthenticationFailure)
    /// The check takes longer, for example to hash a password. The work throws ``AuthenticationFailure``.
    case later(@Sendable () async throws -> Identity)

    /// The identity, after waiting for the check.
    ///
    /// - Throws: ``AuthenticationFailure``; `DirectoryError`.
    package func identity() async throws -> Identity {
        switch self {
        case .identified(let identity): identity
        case .refused(let failure): throw failure
        case .later(let work): try await work()
        }
    }
}

package struct Identity: Sendable, Hashable, Codable {
    /// The caller on whose behalf the directory is asked.
    package let caller: Caller
    package let name: String
    /// The scopes of the sender's token; nil for senders who proved who they are themselves and may do everything that they
    /// have rights to.
    package let scopes: Set<Scope>?
    /// The access token that came with the request.
    package let token: String?
    /// The client id of the backend that the sender uses; nil without a backend.
    package internal(set) var clientID: String?
    /// The social provider that vouches for the sender; nil for everybody else.
    package var socialProvider: String?
    /// The seconds for which the sender's session lives on, where this request prolonged it; nil otherwise.
    package var prolongedSession: TimeInterval?
    /// Whether the sender used a session that ended with this request.
    package var isOneTime = false

    /// Whether the user has a second factor, which an interface without a place for it cannot accept.
    let hasSecondFactor: Bool
    /// The authentication methods of a sign-in by password (RFC 8176).
    var amr: [String] = []
    /// The password that the sender proved to know; nil for senders without one.
    package internal(set) var version: CredentialVersion?
    /// The app password that the sender proved to know; nil for another proof.
    package internal(set) var appPassword: ProvedAppPassword?
    /// The proof of the request that a person is present or that a program acts. By default there is no proof.
    package var presence = Presence.person(nil)

    package init(
        _ caller: Caller, name: String, scopes: Set<Scope>? = nil, token: String? = nil,
        clientID: String? = nil, hasSecondFactor: Bool = false
    ) {
        (self.hasSecondFactor, self.caller, self.name) = (hasSecondFactor, caller, name)
        (self.scopes, self.token, self.clientID) = (scopes, token, clientID)
    }

    /// Whether the sender may use the directory's interfaces. An app's token that only says who somebody is must not let the app
    /// do everything that this person may do.
    package var mayUseDirectory: Bool {
        guard let scopes else { return true }
        return scopes.contains(.directory) || scopes.contains(where: \.isConsumer)
    }
}

/// Remembers for a minute to whom a token of another issuer belongs, so that the issuer is asked less often.
struct IdentityMemory: Sendable {
    private let known = Locked(GenerationalMap<[UInt8], (identity: Identity, until: Date)>(capacity: 5_000))

    /// The identity that a token was found to have within the last minute.
    func identity(of digest: [UInt8], now: Date) -> Identity? {
        guard let found = known.withLock({ $0.value(digest) }), now < found.until,
            // A clock that was set back does not make it known for longer.
            found.until <= now.addingTimeInterval(60)
        else { return nil }
        return found.identity
    }

    func remember(_ identity: Identity, of digest: [UInt8], now: Date, end: Date) {
        known.withLock { $0.set((identity, min(end, now.addingTimeInterval(60))), for: digest) }
    }
}

/// The reason why a sign-in is refused. It never says whether the name or the password was wrong.
public enum AuthenticationFailure: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The credential is unknown, wrong, expired, revoked or unreadable, or the account is disabled.
    case wrong
    /// There were too many attempts. The next one is possible after this many seconds.
    case tooManyAttempts(seconds: Int)
    /// More passwords wait to be hashed than can be hashed in time.
    case overloaded
    /// The password is right, and a second factor is missing: a code, or the answers to these questions.
    case secondFactorRequired(questions: [String])
    /// The password is right, and the code, or an answer to one of these questions, is wrong.
    case secondFactorWrong(questions: [String])
    /// The password is right, but the second factor was lost with the directory's key file.
    case secondFactorLost

    /// The text says what is wrong.
    public var description: String {
        switch self {
        case .wrong: "The credentials are wrong, or the account cannot be used."
        case .tooManyAttempts(let seconds): "Too many attempts. Wait \(seconds) seconds."
        case .overloaded: "Too many sign-ins at once. Try again in some seconds."
        case .secondFactorRequired: "A second factor is needed as well."
        case .secondFactorWrong(let questions):
            questions.isEmpty
                ? "The code of the second factor is wrong, or was used already." : "An answer is wrong or missing."
        case .secondFactorLost: StoredFactors.lost.description
        }
    }

    /// The same as ``description``, with advice on what to do next.
    public var errorDescription: String? {
        switch self {
        case .wrong: description + " Check the name and the password."
        case .tooManyAttempts, .overloaded, .secondFactorLost: description
        case .secondFactorRequired(let questions):
            description
                + (questions.isEmpty
                    ? " Give a code of the authenticator app." : " Give the answers to the challenge questions.")
        case .secondFactorWrong(let questions):
            description + (questions.isEmpty ? " Give the app's next code." : " Give the answers again.")
        }
    }
}

extension OAuthError {
    /// The error that OAuth has for a refused sign-in; nil for a sign-in that has to be tried again later.
    package init?(_ failure: AuthenticationFailure) {
        switch failure {
        case .wrong:
            self.init(.invalidGrant, "The name or the password is wrong, or the account cannot be used.")
        case .secondFactorRequired(let questions):
            self.init(
                .secondFactorRequired,
                questions.isEmpty
                    ? "A code of the second factor is needed as well: send 'otp'."
                    : "The answers to the challenge questions are needed as well: send 'kba_answers'.",
                questions: questions)
        case .secondFactorWrong(let questions):
            self.init(.invalidGrant, failure.description, questions: questions)
        case .secondFactorLost: self.init(.invalidGrant, failure.description)
        case .tooManyAttempts, .overloaded: return nil
        }
    }
}
