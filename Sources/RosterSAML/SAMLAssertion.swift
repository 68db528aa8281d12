package import Foundation

/// The contents of an assertion whose signature has been verified.
///
/// Only ``SAMLAssertionReader`` creates assertions, so that no assertion is unverified.
package struct SAMLAssertion: Sendable, Hashable {
    /// The subject of the assertion (SAML core, 2.2.3).
    package struct Subject: Sendable, Hashable {
        /// The name exactly as signed. It is never empty and has no white space around it. It is unique only within the
        /// assertion's ``SAMLAssertion/issuer``.
        package let name: String
        /// The URI of the name's format; `nil` if the provider does not state one.
        package let format: String?

        /// Whether the provider uses a new name at each sign-in (SAML core, 8.3.8), so that the name does not identify
        /// a user.
        package var isTransient: Bool { format?.utf8.elementsEqual(SAMLNames.transient.utf8) == true }
    }

    /// The assertion's identifier. Its issuer never uses it twice.
    package let id: String
    /// The provider's name, under which its certificates are pinned.
    package let issuer: String
    /// The subject; `nil` if the provider identifies the user only by attributes.
    package let subject: Subject?
    /// All audiences of all restrictions. Each restriction includes this service.
    package let audiences: [String]
    /// The texts of each attribute in document order. Values that are not text are omitted; an attribute without values
    /// has an empty list.
    package let attributes: [String: [String]]
    /// The time of the sign-in at the provider; the earliest of several statements.
    package let authnInstant: Date
    /// The time at which the provider wants the session to end; the earliest of several statements.
    package let sessionNotOnOrAfter: Date?
    /// The assertion is not valid before this time.
    package let notBefore: Date?
    /// The assertion is not valid at or after this time, which is the earlier end of the conditions and of the
    /// subject's confirmations.
    package let notOnOrAfter: Date

    /// The time until which ``id`` must be remembered to detect a replay: ``notOnOrAfter`` plus the tolerated clock
    /// difference.
    package var claimUntil: Date { notOnOrAfter.addingTimeInterval(SAMLAssertionReader.clockSkew) }
}
