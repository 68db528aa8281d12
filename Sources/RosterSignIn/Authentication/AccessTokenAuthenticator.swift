import Roster
import RosterText

/// Bearer tokens (RFC 6750) that are access tokens of ours.
struct AccessTokenAuthenticator: Authenticator {
    let oauth: OAuthService

    func authenticate(scheme: String, credentials: String, from peer: String) -> Authentication {
        guard scheme == "bearer", credentials.utf8.contains(UInt8(ascii: ".")) else { return .notMine }
        do {
            guard let (token, name) = try oauth.checker.check(credentials) else { return .notMine }
            // A token for another service's interfaces is none for these.
            guard token.audiences.contains(oauth.issuer) else { return .refused(.wrong) }
            let caller: Caller
            var presence = Presence.app
            var scopes: Set<String>? = token.scopes
            switch token.subject {
            case .holder(.user(let id), _, _):
                caller = .user(id)
                if token.scopes.contains(AuthorizationRequest.managing), try isTrusted(token.clientID) {
                    presence = .person(token.personalSignIn)
                }
            case .holder(.virtualUser, _, _):
                caller = .virtualUser(
                    issuer: token.claims["origin"]?["iss"]?.text ?? "",
                    subject: token.claims["origin"]?["sub"]?.text ?? "")
            case .client:
                guard let backend = try oauth.clients.backend(.clientID(token.clientID)) else {
                    return .refused(.wrong)
                }
                caller = Self.caller(of: backend)
                presence = .program(backend.record.id.description)
                // What a program may do is said of its backend; it asks for no scope.
                scopes = nil
            }
            var identity = Identity(
                caller, name: name, scopes: scopes, token: credentials, clientID: token.clientID)
            identity.presence = presence
            return .identified(identity)
        } catch {
            return .later { throw error }
        }
    }

    private func isTrusted(_ clientID: String) throws -> Bool {
        try oauth.clients.backend(.clientID(clientID))?.settings.isTrusted == true
    }

    private static func caller(of backend: Backend) -> Caller {
        switch backend.settings.directoryRole {
        case .provisioning?: .provisioning(backend.title)
        case .monitoring?: .monitoring(backend.title)
        case .administrator?: .administrator("backend " + backend.title)
        case nil: .nobody
        }
    }
}
