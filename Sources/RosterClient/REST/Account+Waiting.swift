import RosterText

/// Access tokens for callers that wait on their thread.
extension Account {
    /// An access token that can be used now, as ``validAccessToken(scopes:)`` gives it. The calling thread waits for a renewal, which
    /// needs no thread of Swift's pool.
    ///
    /// - Parameter scopes: The scopes that the token must have.
    /// - Throws: The errors of ``validAccessToken(scopes:)``, without `CancellationError`.
    public func validAccessTokenAndWait(scopes: [String] = []) throws -> String {
        if let token = try freshAccessToken(scopes: scopes) { return token }
        return try renewedAndWait(rejecting: nil).token(scopes)
    }

    /// An access token in place of one that a server has refused with 401, as ``accessToken(replacing:scopes:)`` gives it. The calling
    /// thread waits for a renewal.
    ///
    /// - Parameters:
    ///   - rejected: The refused token.
    ///   - scopes: The scopes that the token must have.
    /// - Throws: The errors of ``validAccessTokenAndWait(scopes:)``.
    public func accessTokenAndWait(replacing rejected: String, scopes: [String] = []) throws -> String {
        if let token = try freshAccessToken(scopes: scopes), token != rejected { return token }
        let session = try renewedAndWait(rejecting: rejected)
        // A renewal that began for another caller may have found that very token.
        guard session.accessToken == rejected else { return try session.token(scopes) }
        return try renewedAndWait(rejecting: rejected).token(scopes)
    }

    private func renewedAndWait(rejecting rejected: String?) throws -> StoredSession {
        switch try course(rejecting: rejected) {
        case .ready(let session): session
        case .wait(let result): try result.valueAndWait()
        }
    }
}
