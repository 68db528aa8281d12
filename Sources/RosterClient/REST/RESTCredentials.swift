/// The credentials of a user for requests, in place of the tokens of an ``Account``.
package protocol RESTCredentials: Sendable {
    /// Whether a refused credential can be replaced by a new one.
    var canRenew: Bool { get }

    /// The credential of the user, in place of one that was refused.
    ///
    /// - Parameters:
    ///   - refused: The text of the refused credential; nil for none.
    ///   - scopes: The scopes that the credential must have.
    func token(replacing refused: String?, _ scopes: [String]) async throws -> RESTToken

    /// The credential of the user, for a caller that waits on its thread.
    func tokenAndWait(replacing refused: String?, _ scopes: [String]) throws -> RESTToken
}

/// A user whose requests have the tokens of an account, and who may be signed out and in again while a client is used.
package protocol RESTUser: Sendable {
    /// The account of the user for a request that is sent now.
    ///
    /// - Throws: ``ClientError`` `notSignedIn`; the errors of the store.
    func accountInUse() throws -> Account

    /// Requests an access token that a Webgate accepts from the user's server.
    ///
    /// - Parameters:
    ///   - field: The challenge of the Webgate.
    ///   - token: The user's access token.
    /// - Returns: The token; nil if the server gives none for Webgates, so that the access token is the token.
    func webgateToken(_ field: WebgateField, for token: String) async throws -> String?
}
