public import RosterClient
public import RosterTransport

/// Clients of users who are known otherwise than by an account.
extension RESTClient {
    /// Uses the tokens of the user who is signed in at a security service. Each request begins the idle timer anew.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - origins: The origins to which tokens may go, such as `https://api.example.com`: scheme, host and port must be the same.
    ///   - transport: How the APIs are reached.
    /// - Throws: `ClientError` `badConfiguration` for a text that is not an origin.
    public convenience init(_ service: SecurityService, origins: [String], transport: Transport = .shared) throws {
        try self.init(.user(service), origins, transport)
    }

    /// Uses the credentials of the user of a mobile backend, and sends the field `Oracle-Mobile-Backend-ID` with each request.
    ///
    /// - Parameters:
    ///   - authorization: The authorization. The token of a user who signed in with OAuth is renewed.
    ///   - origins: The origins to which credentials may go, such as `https://api.example.com`: scheme, host and port must be the same.
    ///   - transport: How the APIs are reached.
    /// - Throws: `ClientError` `badConfiguration` for a text that is not an origin.
    public convenience init(
        _ authorization: MobileBackendAuthorization, origins: [String], transport: Transport = .shared
    ) throws {
        try self.init(.credentials(authorization), origins, transport)
    }
}
