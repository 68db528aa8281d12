import Roster
import RosterText

/// Who may use which interface of the service, by the settings of backends.
package struct APIRules: Sendable {
    let directory: Directory
    let direct: SignIn.DirectAccess
    let clients: ClientDirectory
    let accessTokens: AccessTokens

    /// The roles of the caller; nil for a caller who has not signed in.
    private func roles(of identity: Identity) throws -> [String]? {
        // A token that was exchanged for another issuer's token has the roles of that token as well.
        if let text = identity.token, let (token, _) = try accessTokens.check(text), case .holder = token.subject {
            return try accessTokens.person(of: token)?.roles ?? []
        }
        switch identity.caller {
        case .user(let id): return try Person(.user(id), in: directory)?.roles ?? []
        case .virtualUser(let issuer, let subject):
            let user = try directory.holders.virtualUser(issuer: issuer, subject: subject)
            return try user.flatMap { try Person(.virtualUser($0.id), in: directory) }?.roles ?? []
        case .administrator, .provisioning, .monitoring, .reading, .nobody: return nil
        }
    }

    /// Whether a caller may call an API, by the rules of the caller's backend, or by the server's rules for callers without a
    /// backend. Without rules, every caller may.
    ///
    /// - Throws: ``AuthenticationFailure`` if the backend was deleted or disabled.
    package func allows(_ api: APIName, _ identity: Identity) throws -> Bool {
        guard let clientID = identity.clientID else {
            guard let rules = direct.apis else { return true }
            // A program has signed in by its token, and has no roles.
            return try rules[api]?.allows(roles(of: identity) ?? []) ?? false
        }
        guard let backend = try clients.backend(.clientID(clientID)) else { throw AuthenticationFailure.wrong }
        guard let rules = backend.settings.apis else { return true }
        guard let rule = rules[api], rule.allowsSocialLogin || identity.socialProvider == nil else { return false }
        return rule.allows(try roles(of: identity))
    }
}
