package import Foundation
package import Roster
import RosterStore

/// The user and the lifetime of an issued token.
package struct ExchangedIdentity: Sendable, Hashable {
    /// The places where a user can be known.
    package enum User: Sendable, Hashable {
        /// The user is not in the directory, and is known by ``ExchangedIdentity/issuer`` and ``ExchangedIdentity/subject``
        /// together. A name alone would let an issuer name users of the directory or of another issuer.
        case virtual
        /// The user is in the directory, and is found by the user name or the primary mail address. The account must be active.
        case local(TrustedIssuer.UserMapping, NameComparison)
    }

    package let format: VerifiedToken.Format
    package let issuer: String
    /// The subject of the external token, or the user name where it has no subject.
    package let subject: String
    package let username: String
    package let user: User
    /// The roles that the token and the issuer's rules grant, in order and without duplicates. The directory decides which of them
    /// count (``Credentials/accepted(_:)``). A local user has those of the directory as well.
    package let roles: [GrantedRole]
    /// The lifetime of our token in whole seconds, at least 1.
    package let lifetimeSeconds: Int
    /// The end of our token, a whole second.
    package let expires: Date

    /// Looks for the user in the directory; nil for a virtual user.
    package func localUser(in directory: Directory) throws -> LocalUser? {
        switch user {
        case .virtual: nil
        case .local(.name, let comparison): try directory.holders.localUser(named: username, comparison)
        case .local(.mail, let comparison): try directory.holders.localUser(primaryMail: username, comparison)
        }
    }
}

/// One rule that was applied to a token of another issuer.
package struct ExchangeStep: Sendable, Hashable {
    /// The rules: first those about the token itself, then those of its issuer's entry, in the order in which they are applied.
    package enum Rule: String, Sendable, CaseIterable {
        /// The text of an assertion is base64, maybe of gzip.
        case text
        /// The XML of an assertion is well-formed, small enough, and means the same to all readers.
        case xml
        /// The text is a JWT; or a signed assertion is where it should and names its issuer.
        case form
        case kind
        /// A key or a certificate of the issuer made the signature.
        case signature
        /// The response around an assertion is good.
        case response
        /// The assertion names a subject, and its bearer may use it here.
        case subject
        /// The assertion is valid at this time and for us.
        case conditions
        /// The statements of the assertion are good.
        case statements
        /// The JWT has begun and has not ended.
        case times
        /// The issuer is trusted, and for this kind of token.
        case issuer
        case enabled
        case backend
        /// The token is meant for us.
        case audience
        /// A filter holds. Each filter is a step.
        case filter
        /// The token names a user.
        case username
        /// The mail address by which a local user is found was verified.
        case verifiedMail = "verified mail"
        /// The token is a user's and not a client's.
        case clientToken = "client token"
        /// Our token gets an end.
        case lifetime
        /// The roles of the user. This step never refuses.
        case roles
        /// The token was not used before.
        case use
    }

    package let rule: Rule
    package let hasPassed: Bool
    /// The text says what was compared. It is for the administrator: it shows claims, and must not be sent to the client.
    package let explanation: String
}

/// The rules that were applied to a token of another issuer, in order, and their result.
package struct ExchangeReport: Sendable {
    /// Ends the check of a token that a rule refused.
    package struct Refusal: Error {}

    /// The rules that were applied. If a rule refused, it is the last one.
    package private(set) var steps: [ExchangeStep] = []
    /// The user of the issued token; nil if a rule refused the token.
    package internal(set) var identity: ExchangedIdentity?
    /// The issuer; nil if it is not trusted.
    package internal(set) var issuer: TrustedIssuer?
    /// The use that must not happen again; nil if the token may be used several times.
    package internal(set) var use: UseOnce?

    package init() {}

    package var refusal: ExchangeStep? { steps.last.flatMap { $0.hasPassed ? nil : $0 } }

    /// Adds a rule.
    ///
    /// - Throws: ``Refusal`` if the token does not pass.
    mutating func add(_ rule: ExchangeStep.Rule, _ hasPassed: Bool, _ explanation: String) throws(Refusal) {
        if !hasPassed { throw refuse(rule, explanation) }
        steps.append(ExchangeStep(rule: rule, hasPassed: true, explanation: explanation))
    }

    mutating func refuse(_ rule: ExchangeStep.Rule, _ explanation: String) -> Refusal {
        steps.append(ExchangeStep(rule: rule, hasPassed: false, explanation: explanation))
        identity = nil
        return Refusal()
    }
}
