package import Foundation

/// What an identity provider says of a person, read from an assertion whose signature has been verified.
///
/// Only ``SAMLAssertionReader`` makes one, so that whoever holds one need not ask whether it was checked.
package struct SAMLAssertion: Sendable, Hashable {
    /// Whom the assertion is about (SAML core, 2.2.3).
    package struct Subject: Sendable, Hashable {
        /// The name, exactly as it was signed; never empty, never with white space around it. It means something only
        /// together with the assertion's ``SAMLAssertion/issuer``.
        package let name: String
        /// The URI of the kind of name; `nil` where the provider does not say.
        package let format: String?

        /// Whether the provider gives the person another name each time (SAML core, 8.3.8), so that it tells nobody again.
        package var isTransient: Bool { format?.utf8.elementsEqual(SAMLNames.transient.utf8) == true }
    }

    /// The assertion's own identifier, an XML name; its issuer never uses it twice.
    package let id: String
    /// The provider, by the name under which its certificates are pinned.
    package let issuer: String
    /// Whom it is about; `nil` where the provider does not name them but in attributes.
    package let subject: Subject?
    /// For whom it was made: every audience of every restriction, in each of which is one of ours.
    package let audiences: [String]
    /// The texts of each attribute by its name, in the order of the document. Values that are not text are left out;
    /// an attribute without values is there with none.
    package let attributes: [String: [String]]
    /// When the person proved to the provider who they are; the earliest where there are several statements.
    package let authnInstant: Date
    /// When the provider wants the session to have ended; the earliest where there are several statements.
    package let sessionNotOnOrAfter: Date?
    /// Before this the assertion is not valid.
    package let notBefore: Date?
    /// From this on it is not valid: when the conditions or the last of the subject's confirmations end, whichever is first.
    package let notOnOrAfter: Date

    /// How long it could be presented once more, and so how long its ``id`` is to be remembered:
    /// ``notOnOrAfter`` and the difference of clocks that is put up with.
    package var claimUntil: Date { notOnOrAfter.addingTimeInterval(SAMLAssertionReader.clockSkew) }
}
