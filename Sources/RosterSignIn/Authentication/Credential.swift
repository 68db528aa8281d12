package import RosterOpenID

/// The proof of an identity.
package enum Credential: Sendable {
    case password(Login)
    /// The text of HTTP Basic, and how to read it. A text that was verified within the last minute is recognized without being
    /// read.
    case basic(String, @Sendable (String) -> Login?)
    /// As `basic`, and an app password for this use is accepted in the place of the password.
    case app(AppPassword.Use, String, @Sendable (String) -> Login?)
    case backend(BackendCredential)
    /// A bearer token (RFC 6750): an access token, an id token of a provider, or the token of a program.
    case bearer(String)
    /// An access token that counts only with a proof of its key (RFC 9449); nil for a request without a proof.
    case bound(String, PossessionProof.Sent?)
    case session(String)
    /// A credential of an unknown form.
    case unreadable
}
