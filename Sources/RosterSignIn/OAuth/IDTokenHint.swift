import RosterText

/// An id token that an app sends as a hint.
package struct IDTokenHint: Sendable, Hashable {
    /// The user whom the app expects.
    package let subject: String?
    /// The client that the id token was issued to.
    package let clientID: String?

    init(_ claims: JSONValue) {
        subject = claims["sub"]?.text
        clientID = claims["aud"]?.text
    }
}
