import Foundation
import Roster
import RosterCrypto
import RosterText

/// Bearer tokens (RFC 6750), and HTTP Basic of the mobile cloud's apps, which name their backend.
package struct CredentialChecker: Sendable {
    let relyingParty: RelyingParty
    let issuer: String
    let clients: ClientDirectory
    let directory: Directory
    let passwords: PasswordKeeper
    let clock: @Sendable () -> Date
    let accessTokens: AccessTokens
    let lastUses: LastUses

    /// Finds out to whom a bearer token belongs: an access token of ours, an id token of a provider, or the token of a program.
    func authenticate(bearer token: String, from origin: ClientOrigin) -> Authentication {
        do {
            return try accessToken(token) ?? relyingParty.authenticate(idToken: token, from: origin)
                ?? apiToken(token, from: origin)
        } catch {
            return .later { throw error }
        }
    }

    private func accessToken(_ text: String) throws -> Authentication? {
        guard text.utf8.contains(UInt8(ascii: ".")), let (token, name) = try accessTokens.check(text) else {
            return nil
        }
        // A token that is bound to a key is accepted only with a proof of that key, which a thief of the token cannot make.
        guard token.key == nil else { return .refused(.wrong) }
        return try identified(token, name, text)
    }

    /// The identity of an access token that was checked.
    func identified(_ token: AccessToken, _ name: String, _ text: String) throws -> Authentication {
        // A token for the interfaces of another service is not accepted here.
        guard token.audiences.contains(issuer) else { return .refused(.wrong) }
        let caller: Caller
        var presence = Presence.app
        var scopes: Set<Scope>? = token.scopes
        switch token.subject {
        case .holder(.user(let id), _, _):
            caller = .user(id)
            if token.scopes.contains(.directoryManage),
                try clients.backend(.clientID(token.clientID))?.settings.isTrusted == true
            {
                presence = .person(token.personalSignIn)
            }
        case .holder(.virtualUser, _, _):
            caller = .virtualUser(
                issuer: token.claims["origin"]?["iss"]?.text ?? "",
                subject: token.claims["origin"]?["sub"]?.text ?? "")
        case .pairwise: return .refused(.wrong)
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

    private func apiToken(_ text: String, from origin: ClientOrigin) throws -> Authentication {
        // A text that does not look like such a token never reaches the directory. Nobody guesses 32 random bytes, so attempts
        // are not counted.
        guard let digest = APIToken.digest(of: text), let token = try directory.signInRecords.apiToken(digest: digest),
            token.isAccepted(from: origin.address)
        else { return .refused(.wrong) }
        var identity = Identity(token.caller, name: token.caller.description)
        identity.presence = .program(token.key, source: token.source)
        lastUses.note(token)
        return .identified(identity)
    }

    // MARK: HTTP Basic with a backend

    /// Finds out who uses an app that names its backend.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for an anonymous key with several social providers or tokens.
    func authenticate(_ credential: BackendCredential, from origin: ClientOrigin) throws -> Authentication {
        guard let id = credential.backendID, id.utf8.count <= 128,
            let backend = try clients.backend(.backendID(id)), backend.settings.allowsBasic, !backend.settings.isFAPI
        else { return .refused(.wrong) }
        let clientID = backend.clientID
        @Sendable func withBackend(_ identity: Identity) -> Identity {
            var identity = identity
            identity.clientID = clientID
            return identity
        }
        if let digest = backend.anonymousDigest, credential.key.utf8.count <= 128,
            constantTimeEqual(try SHA256.hex(credential.key), digest)
        {
            guard credential.providers.count <= 1, credential.tokens.count == credential.providers.count else {
                throw DirectoryError(
                    .invalidInput, "Name one social provider, with one access token.")
            }
            guard let name = credential.providers.first, let token = credential.tokens.first else {
                guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
                return .identified(withBackend(Identity(.nobody, name: "anonymous", scopes: [.profile])))
            }
            guard backend.settings.allowsSocialLogin else { return .refused(.wrong) }
            return .later { [relyingParty] in
                guard
                    let identity = try await relyingParty.socialIdentity(
                        provider: name.lowercased(), apps: backend.settings.socialApps, token: token, from: origin)
                else { throw AuthenticationFailure.wrong }
                return withBackend(identity)
            }
        }
        // A backend with social login accepts no passwords.
        guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
        switch passwords.authenticate(basic: credential.key, from: origin.address, credential.login) {
        case .identified(let identity): return .identified(withBackend(identity))
        case .later(let work): return .later { withBackend(try await work()) }
        case .refused(let failure): return .refused(failure)
        }
    }
}
