public import RosterClient

extension ServerCredentials {
    /// The credentials of the user of a mobile backend, whose tokens must have the scope `directory`. The access token of a social provider
    /// opens no directory.
    ///
    /// - Parameter authorization: The authorization. The token of a user who signed in with OAuth is renewed.
    public static func mobileBackend(_ authorization: MobileBackendAuthorization) -> ServerCredentials {
        .user(authorization)
    }
}
