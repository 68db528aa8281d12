import Roster
package import RosterSignIn

extension Identity {
    /// Refuses a caller who may not call an API by the rules of the caller's backend, or by the server's rules if there
    /// is no backend. Refuses a token without the scope `directory`: an app that a user merely signed in to must not
    /// act with all of the user's rights.
    ///
    /// - Parameter scope: A scope that is sufficient as well.
    package func check(_ api: APIName, orScope scope: Scope? = nil, _ oauth: OAuthService) throws {
        guard try oauth.apiRules.allows(api, self) else {
            throw RequestError(
                .notPermitted,
                clientID == nil
                    ? "The caller may not call the API '\(api)' without a backend: see the server's 'apis'."
                    : "The backend does not let the caller call the API '\(api)': see its 'apis'.")
        }
        guard !mayUseDirectory, scope.map({ scopes?.contains($0) == true }) != true else { return }
        try checkBringsToken()
        throw OAuthError(
            .insufficientScope,
            "The access token needs the scope 'directory'\(scope.map { " or '\($0)'" } ?? "") here. "
                + "Ask for it, and add it to the 'scope' of the app's backend.")
    }

    /// Refuses a caller who is not a user of the directory, or may not act on the user's own account.
    func checkOwnAccount(_ oauth: OAuthService) throws {
        guard case .user = caller else { throw RequestError.notUser }
        try check("mobile", oauth)
    }

    /// Refuses a caller with an anonymous key, who has no token. An error about scopes would not help such a caller.
    package func checkBringsToken() throws {
        guard token == nil else { return }
        throw RequestError(
            .notPermitted,
            "A backend's anonymous key, alone or with social login, opens one's own profile only. Sign in as a user.")
    }
}

extension Call {
    /// Authenticates the sender of a request, for a handler whose route admits everyone.
    package func authenticated() async throws -> Identity {
        do {
            return try await context.signIn(request).identity()
        } catch {
            throw context.challenge(error, to: request)
        }
    }
}
