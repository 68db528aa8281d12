import Roster
import RosterWire

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
            var scopes: Set<String>? = token.scopes
            switch token.subject {
            case .holder(.user(let id), _, _): caller = .user(id)
            case .holder(.virtualUser, _, _):
                caller = .virtualUser(
                    issuer: token.claims["origin"]?["iss"]?.text ?? "",
                    subject: token.claims["origin"]?["sub"]?.text ?? "")
            case .client:
                caller = try self.caller(ofClient: token.clientID)
                // What a program may do is said of its backend; it asks for no scope.
                scopes = nil
            }
            return .identified(
                Identity(caller, name: name, scopes: scopes, token: credentials, clientID: token.clientID))
        } catch {
            return .later { throw error }
        }
    }

    private func caller(ofClient id: String) throws -> Caller {
        guard let backend = try oauth.clients.backend(.clientID(id)), let role = backend.settings.directoryRole else {
            return .nobody
        }
        switch role {
        case .provisioning: return .provisioning(backend.title)
        case .monitoring: return .monitoring(backend.title)
        case .administrator: return .administrator("backend " + backend.title)
        }
    }
}
