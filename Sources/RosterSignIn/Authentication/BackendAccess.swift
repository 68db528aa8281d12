import Roster
import RosterCrypto

/// HTTP Basic of the mobile cloud's apps, which name their backend.
extension OAuthService {
    /// Finds out who uses an app that names its backend.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for an anonymous key with several social providers or tokens.
    func authenticate(_ credential: BackendCredential, from address: String) throws -> Authentication {
        guard let id = credential.backendID, id.utf8.count <= 128,
            let backend = try clients.backend(.backendID(id)), backend.settings.allowsBasic
        else { return .refused(.wrong) }
        let clientID = backend.clientID
        @Sendable func withBackend(_ identity: Identity) -> Identity {
            var identity = identity
            identity.clientID = clientID
            return identity
        }
        if try isAnonymousKey(credential.key, of: backend) {
            guard credential.providers.count <= 1, credential.tokens.count == credential.providers.count else {
                throw DirectoryError(
                    .invalidInput, "Name one social provider, with one access token.")
            }
            guard let name = credential.providers.first, let token = credential.tokens.first else {
                guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
                return .identified(withBackend(Identity(.nobody, name: "anonymous", scopes: ["profile"])))
            }
            guard backend.settings.allowsSocialLogin else { return .refused(.wrong) }
            return .later { [relyingParty] in
                guard
                    let identity = try await relyingParty.socialIdentity(
                        provider: name.lowercased(), token: token, from: address)
                else { throw AuthenticationFailure.wrong }
                return withBackend(identity)
            }
        }
        // A backend with social login accepts no passwords.
        guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
        switch passwords.authenticate(basic: credential.key, from: address, credential.login) {
        case .identified(let identity): return .identified(withBackend(identity))
        case .later(let work): return .later { withBackend(try await work()) }
        case .refused(let failure): return .refused(failure)
        }
    }

    private func isAnonymousKey(_ text: String, of backend: Backend) throws -> Bool {
        guard text.utf8.count <= 128, let digest = backend.anonymousDigest else { return false }
        return constantTimeEqual(try SHA256.hex(text), digest)
    }
}
