import Foundation
import Roster
import RosterCrypto
package import RosterOpenID
import RosterText

/// Pushed authorization requests (RFC 9126): a client sends the parameters itself and gets a name for them, which the browser brings.
package struct PushedAuthorization: Sendable {
    let clients: ClientDirectory
    let issuer: String
    /// The authorization requests that clients pushed, by their names.
    let pushedRequests: PendingCodes<PushedRequest>
    let clientAuthentication: ClientAuthentication
    let credentials: CredentialChecker

    private static let prefix = "urn:ietf:params:oauth:request_uri:"
    private static let lifetime: Int64 = 90
    /// The most requests of one client that wait at a time.
    private static let most = 2_000

    /// Keeps the parameters of a client for a short time.
    ///
    /// - Parameter possession: The proof that binds the code to a key (RFC 9449, section 10.1).
    /// - Returns: The name of the request, and the seconds for which it is known.
    /// - Throws: ``OAuthError``, also for parameters that the authorization endpoint would refuse.
    package func push(
        _ parameters: [(name: String, value: String)], _ sent: AuthorizationParameters, by proof: ClientProof,
        possession: PossessionProof.Sent?
    ) async throws -> (uri: String, lifetime: Int64) {
        let backend = try await clientAuthentication.authenticated(proof)
        guard sent["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "A pushed request has no 'request_uri'.")
        }
        guard sent["client_id"] == nil || sent["client_id"] == backend.clientID else {
            throw OAuthError(.invalidRequest, "The 'client_id' is another client's.")
        }
        var kept = parameters.filter {
            !["client_id", "client_secret", "client_assertion", "client_assertion_type"].contains($0.name)
        }
        kept.append(("client_id", backend.clientID))
        if let possession, let key = try await credentials.provenKey(possession, of: backend) {
            guard sent["dpop_jkt"] == nil || sent["dpop_jkt"] == key else {
                throw OAuthError(.invalidDPoPProof, "The DPoP proof is of another key than 'dpop_jkt'.")
            }
            kept.removeAll { $0.name == "dpop_jkt" }
            kept.append(("dpop_jkt", key))
        }
        let values = kept
        let complete = AuthorizationParameters(resources: sent.resources, isPushed: true) { name in
            values.first { $0.name == name }?.value
        }
        do {
            _ = try AuthorizationRequest(complete, clients, issuer: issuer)
        } catch let problem as AuthorizationRequest.Problem {
            switch problem {
            case .stay(let text): throw OAuthError(.invalidRequest, text)
            case .redirect(let error, _): throw error
            }
        }
        let code = try SecureRandom.token()
        let request = PushedRequest(backend: backend.id, parameters: kept.map { [$0.name, $0.value] })
        if let seconds = try pushedRequests.insert(
            request, for: code, lifetime: TimeInterval(Self.lifetime), of: "client \(backend.id)", atMost: Self.most)
        {
            throw OAuthError(
                .temporarilyUnavailable, "Too many requests of this client wait already.",
                retryAfter: max(Int(seconds.rounded(.up)), 1))
        }
        return (Self.prefix + code, Self.lifetime)
    }

    /// Whether a `request_uri` is the name of a pushed request. Addresses of request objects are not supported.
    package static func isPushed(_ uri: String) -> Bool { uri.hasPrefix(prefix) }

    /// The pushed request of a name; nil for an unknown name, an old one, and one of another client.
    package func pushed(_ uri: String, clientID: String?) throws -> PushedRequest? {
        guard uri.utf8.count <= 256, uri.hasPrefix(Self.prefix), let clientID, clientID.utf8.count <= 128,
            let found = try pushedRequests.value(String(uri.dropFirst(Self.prefix.count))),
            try clients.backend(.clientID(clientID))?.id == found.backend
        else { return nil }
        return found
    }

    /// Uses a pushed request up, once the app has its answer.
    package func forgetPushed(_ uri: String) throws {
        _ = try pushedRequests.take(String(uri.dropFirst(Self.prefix.count)))
    }
}
