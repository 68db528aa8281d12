import Roster
import RosterSignIn
import RosterCrypto

/// How the mobile cloud's apps come in by HTTP Basic: with `Oracle-Mobile-Backend-ID`, and the name and password of a user, the
/// backend's anonymous key alone, or that key with somebody's token of a social provider.
struct BackendAccess: Sendable {
    /// Names the backend. A bearer token carries its own.
    static let field = "Oracle-Mobile-Backend-ID"

    let context: ServiceContext

    /// Who sends a request that names a backend.
    ///
    /// - Parameter signIn: Signs in with the name and the password of the request.
    func authenticate(
        _ request: HTTPRequest, _ credentials: String, _ signIn: () throws -> Authentication
    ) throws -> Authentication {
        let ids = request.headers.values(of: Self.field)
        guard ids.count == 1, let id = ids.first, id.utf8.count <= 128,
            let backend = try context.oauth.clients.backend(.backendID(id)), backend.settings.allowsBasic
        else { return .refused(.wrong) }
        if try isAnonymousKey(credentials, of: backend) { return try anonymous(request, backend) }
        // Social login excludes the other ways.
        guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
        switch try signIn() {
        case .identified(let identity): return .identified(identity.coming(by: backend))
        case .later(let work): return .later { try await work().coming(by: backend) }
        case let refused: return refused
        }
    }

    private func isAnonymousKey(_ text: String, of backend: Backend) throws -> Bool {
        guard text.utf8.count <= 128, let digest = backend.record.anonymousDigest else { return false }
        return constantTimeEqual(try SHA256.hex(text), digest)
    }

    private func anonymous(_ request: HTTPRequest, _ backend: Backend) throws -> Authentication {
        let names = request.headers.values(of: "Oracle-Mobile-Social-Identity-Provider")
        let tokens = request.headers.values(of: "Oracle-Mobile-Social-Access-Token")
        guard names.count <= 1, tokens.count == names.count else {
            throw RequestError(.badRequest, "Name one social provider, with one access token.")
        }
        guard let name = names.first, let token = tokens.first else {
            guard !backend.settings.allowsSocialLogin else { return .refused(.wrong) }
            return .identified(
                Identity(.nobody, name: "anonymous", scopes: ["profile"]).coming(by: backend))
        }
        guard backend.settings.allowsSocialLogin else { return .refused(.wrong) }
        let peer = request.peer
        return .later { [context] in
            do {
                guard
                    let identity = try await context.relyingParty.socialIdentity(
                        provider: name.lowercased(), token: token, from: peer)
                else { throw AuthenticationFailure.wrong }
                return identity.coming(by: backend)
            } catch let refusal as RelyingParty.Refusal {
                throw RelyingPartyAPI.error(refusal)
            }
        }
    }
}
