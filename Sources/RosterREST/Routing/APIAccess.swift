import RosterSignIn

extension Identity {
    /// Refuses whoever comes by way of a backend that does not let them call an API, and a token without the scope that the
    /// directory's interfaces need: an app that somebody only signed in to must not do whatever they may.
    ///
    /// - Parameter needsScope: False for one's own profile, which is for any app that somebody signed in to.
    func check(_ api: String, needsScope: Bool = true, _ oauth: OAuthService) throws {
        if let clientID, try !oauth.allows(api, caller, by: clientID) {
            throw RequestError(
                .notPermitted, "The backend does not let whoever asks call the API '\(api)': see its 'apis'.")
        }
        guard needsScope, !mayUseDirectory else { return }
        throw OAuthError(.insufficientScope, "The access token needs the scope 'directory' here.")
    }
}

extension Exchange {
    /// Who sends the request, where everyone may and it matters who.
    func authenticated() async throws -> Identity {
        switch try context.authenticate(request) {
        case .identified(let known): return known
        case .later(let work): return try await work()
        case .notMine, .refused: throw AuthenticationFailure.wrong
        }
    }
}
