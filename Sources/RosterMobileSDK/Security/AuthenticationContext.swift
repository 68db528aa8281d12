public import RosterClient
public import RosterText

/// A user who is signed in at a security service. Mirrors `OMAuthenticationContext`.
///
/// The description shows no token.
public struct AuthenticationContext: Sendable, CustomStringConvertible, Redacted {
    let record: SessionRecord
    let service: SecurityService

    /// The user's name as the user typed it, or as the server says; nil if neither is known.
    public var userName: String? { record.userName }
    /// The identity domain of the request; nil for none.
    public var identityDomain: String? { record.identityDomain }
    /// Whether the server has decided about the sign-in, rather than this device alone (`authenticatedMode`).
    public var isOnline: Bool { record.isOnline }
    /// The account with the user's tokens; nil after an offline sign-in of a user who has no tokens on this device.
    public var account: Account? { try? service.account(of: record) }

    /// Whether the user is still signed in (`isValid`): no timer has run out, nobody has signed out, and after an online sign-in there
    /// are tokens.
    ///
    /// - Throws: The errors of the store.
    public func isValid() throws -> Bool { try service.left(of: record, isUse: false) != nil }

    /// The time that is left on each timer (`sessionExpiryDate`, `idleTimeExpiryDate`); empty after the end.
    ///
    /// - Throws: The errors of the store.
    public func timeLeft() throws -> [SessionTimer: Duration] {
        try service.left(of: record, isUse: false)?.mapValues { .seconds($0) } ?? [:]
    }

    /// Says that the user is active, so that the idle timer begins anew. Requests of a `RESTClient` do so too.
    ///
    /// - Throws: `ClientError` `notSignedIn` after the end; the errors of the store.
    public func recordUse() throws {
        guard try service.left(of: record, isUse: true) != nil else { throw SecurityService.ended }
    }

    /// An access token of the user, as `Account.validAccessToken(scopes:)` gives it. The idle timer begins anew.
    ///
    /// - Parameter scopes: The scopes that the token must have.
    /// - Throws: `ClientError` `notSignedIn` after the end, or if the user has no tokens on this device; the errors of
    ///   `Account.validAccessToken(scopes:)`.
    public func validAccessToken(scopes: [String] = []) async throws -> String {
        try recordUse()
        guard let account = try service.account(of: record) else { throw SecurityService.noTokens }
        return try await account.validAccessToken(scopes: scopes)
    }

    /// Whether the sign-in was online.
    public var description: String { "\(record.isOnline ? "online" : "offline") session" }
}
