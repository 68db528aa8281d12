import RosterSignIn

extension Identity {
    /// Refuses whoever comes by way of a backend that does not let them call an API, and a token without the scope that the
    /// directory's interfaces need: an app that somebody only signed in to must not do whatever they may.
    ///
    /// - Parameter scopes: Those of which the token must have one.
    func check(_ api: String, anyOf scopes: Set<String> = ["directory"], _ oauth: OAuthService) throws {
        if let clientID, try !oauth.allows(api, self, by: clientID) {
            throw RequestError(
                .notPermitted, "The backend does not let whoever asks call the API '\(api)': see its 'apis'.")
        }
        guard !mayUseDirectory, self.scopes?.isDisjoint(with: scopes) == true else { return }
        throw OAuthError(
            .insufficientScope,
            "The access token needs the scope '\(scopes.sorted().joined(separator: "' or '"))' here.")
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
