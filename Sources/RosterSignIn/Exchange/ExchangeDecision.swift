package import Foundation
package import Roster
import RosterStore

/// What a token is exchanged under: who asks, where, and what holds for issuers that say nothing else.
package struct ExchangeRequest: Sendable, Hashable {
    /// The backend that asks; it has proven itself already.
    package let backend: ExchangingBackend
    /// The server's own address without a path, as it is configured; never taken from a request.
    package let baseURL: String
    /// The lifetimes of issued tokens.
    package let policy: TokenExchangePolicy
    /// The time.
    package let now: Date

    /// Makes a value of the four.
    package init(
        backend: ExchangingBackend, baseURL: String, policy: TokenExchangePolicy = .standard, now: Date
    ) {
        self.backend = backend
        self.baseURL = baseURL
        self.policy = policy
        self.now = now
    }
}

/// Whom our token is issued to, and for how long.
package struct ExchangedIdentity: Sendable, Hashable {
    /// Where the user is.
    package enum User: Sendable, Hashable {
        /// Nowhere here. Known by ``ExchangedIdentity/issuer`` and ``ExchangedIdentity/subject`` together, never by name:
        /// else an issuer could name users of the directory or of another issuer.
        case virtual
        /// In the directory, to be found by the user name or the primary mail address, compared so. The account must be there
        /// and active.
        case local(TrustedIssuer.UserMapping, NameComparison)
    }

    /// What kind of token it was.
    package let format: VerifiedToken.Format
    /// Who issued the external token.
    package let issuer: String
    /// Whom it names: its subject, or the user name where it has none.
    package let subject: String
    /// The user's name as the issuer knows it.
    package let username: String
    /// Where the user is.
    package let user: User
    /// The roles that the token and the issuer's rules grant, in order, none twice. Which of them count, the directory says
    /// (``Credentials/accepted(_:)``). A local user has those of the directory besides.
    package let roles: [GrantedRole]
    /// How long our token is good for, in whole seconds, at least 1.
    package let lifetimeSeconds: Int
    /// When our token ends: a whole second.
    package let expires: Date

    /// Looks for the user in the directory; nil where the user is virtual.
    package func localUser(in directory: Directory) throws -> LocalUser? {
        switch user {
        case .virtual: nil
        case .local(.name, let comparison): try directory.localUser(named: username, comparison)
        case .local(.mail, let comparison): try directory.localUser(primaryMail: username, comparison)
        }
    }
}

/// One rule that was looked at.
package struct ExchangeStep: Sendable, Hashable {
    /// The rules in the order in which they are looked at.
    package enum Rule: String, Sendable, CaseIterable {
        /// The token is of this issuer and kind.
        case issuer
        /// The issuer is not switched off.
        case enabled
        /// The backend may use the issuer.
        case backend
        /// The token is meant for us.
        case audience
        /// A filter holds. There is one step for each.
        case filter
        /// The token names a user.
        case username
        /// The mail address that a local user is found by was verified.
        case verifiedMail = "verified mail"
        /// The token is a user's and no client's.
        case clientToken = "client token"
        /// Our token has a time to end.
        case lifetime
        /// Which roles there are. Never refuses.
        case roles
    }

    /// The rule.
    package let rule: Rule
    /// Whether it lets the token pass.
    package let hasPassed: Bool
    /// What was compared, in words, for the administrator: it shows claims and must not be sent to who brought the token.
    package let explanation: String
}

/// What an issuer's rules say about a token, and why.
package struct ExchangeDecision: Sendable, Hashable {
    /// What they say.
    package enum Outcome: Sendable, Hashable {
        /// A token may be issued.
        case accepted(ExchangedIdentity)
        /// None may, for the rule that was the first to refuse.
        case refused(ExchangeStep)
    }

    /// What they say.
    package let outcome: Outcome
    /// The rules that were looked at, in order. The last is the one that refused, where one did.
    package let steps: [ExchangeStep]

    /// Whom a token is issued to; nil where none is.
    package var identity: ExchangedIdentity? {
        if case .accepted(let identity) = outcome { return identity }
        return nil
    }
}
