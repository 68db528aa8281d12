import Foundation
import Roster
import RosterText

/// Bearer tokens (RFC 6750).
extension OAuthService {
    /// Finds out to whom a bearer token belongs: an access token of ours, an id token of a provider, or the token of a program.
    func authenticate(bearer token: String, from address: String) -> Authentication {
        do {
            return try accessToken(token) ?? relyingParty.authenticate(idToken: token, from: address)
                ?? apiToken(token)
        } catch {
            return .later { throw error }
        }
    }

    private func accessToken(_ text: String) throws -> Authentication? {
        guard text.utf8.contains(UInt8(ascii: ".")), let (token, name) = try check(text) else { return nil }
        // A token for the interfaces of another service is not accepted here.
        guard token.audiences.contains(issuer) else { return .refused(.wrong) }
        let caller: Caller
        var presence = Presence.app
        var scopes: Set<String>? = token.scopes
        switch token.subject {
        case .holder(.user(let id), _, _):
            caller = .user(id)
            if token.scopes.contains(AuthorizationRequest.managing),
                try clients.backend(.clientID(token.clientID))?.settings.isTrusted == true
            {
                presence = .person(token.personalSignIn)
            }
        case .holder(.virtualUser, _, _):
            caller = .virtualUser(
                issuer: token.claims["origin"]?["iss"]?.text ?? "",
                subject: token.claims["origin"]?["sub"]?.text ?? "")
        case .client:
            guard let backend = try clients.backend(.clientID(token.clientID)) else { return .refused(.wrong) }
            let role = backend.settings.directoryRole
            caller = role?.caller(named: role == .administrator ? "backend " + backend.title : backend.title) ?? .nobody
            presence = .program(backend.id.description)
            // A program's rights are those of its backend; it asks for no scope.
            scopes = nil
        }
        var identity = Identity(caller, name: name, scopes: scopes, token: text, clientID: token.clientID)
        identity.presence = presence
        return .identified(identity)
    }

    private func apiToken(_ text: String) throws -> Authentication {
        // A text that does not look like such a token never reaches the directory. Nobody guesses 32 random bytes, so attempts
        // are not counted.
        guard let digest = APIToken.digest(of: text), let token = try directory.apiToken(digest: digest) else {
            return .refused(.wrong)
        }
        var identity = Identity(token.caller, name: token.caller.description)
        identity.presence = .program(token.key)
        return .identified(identity)
    }
}
