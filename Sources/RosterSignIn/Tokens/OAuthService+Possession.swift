import Foundation
import Roster
package import RosterOpenID
import RosterText

/// Tokens that count only together with a proof of a key (DPoP, RFC 9449).
extension CredentialChecker {
    /// The thumbprint of the key that a client proves to have; nil for a client that sends no proof. A proof counts once.
    ///
    /// - Throws: ``OAuthError`` `invalid_dpop_proof`, also for a client that must send a proof and does not.
    func provenKey(_ sent: PossessionProof.Sent?, of backend: Backend) async throws -> String? {
        guard let sent else {
            guard !backend.settings.needsPossession else {
                throw OAuthError(.invalidDPoPProof, "This client must send a proof of its key in the field DPoP.")
            }
            return nil
        }
        return try await spent(sent, accessToken: nil).thumbprint
    }

    /// Checks a proof and uses it up.
    ///
    /// - Throws: ``OAuthError`` `invalid_dpop_proof`.
    private func spent(_ sent: PossessionProof.Sent, accessToken: String?) async throws -> PossessionProof {
        let proof: PossessionProof
        do {
            proof = try PossessionProof(sent, accessToken: accessToken, now: clock())
        } catch {
            throw OAuthError(.invalidDPoPProof, error.reason.replacing("'", with: ""))
        }
        guard
            try await directory.spentTokens.spend(UseOnce("dpop:" + proof.id, issued: proof.issued, until: proof.ends))
        else {
            throw OAuthError(.invalidDPoPProof, "The DPoP proof was used before.")
        }
        return proof
    }

    /// Finds out to whom a bound access token belongs, whose sender proves to have the token's key.
    func authenticate(bound text: String, by sent: PossessionProof.Sent) throws -> Authentication {
        guard text.utf8.contains(UInt8(ascii: ".")), let (token, name) = try accessTokens.check(text),
            let key = token.key,
            case .identified(let identity) = try identified(token, name, text)
        else { return .refused(.wrong) }
        return .later { [self] in
            do {
                guard try await spent(sent, accessToken: text).thumbprint == key else {
                    throw AuthenticationFailure.wrong
                }
            } catch is OAuthError {
                throw AuthenticationFailure.wrong
            }
            return identity
        }
    }

    /// Whether a bound token is still good. An answer that goes on for long asks without a new proof.
    package func stillAccepts(bound text: String) throws -> Bool { try accessTokens.check(text)?.token.key != nil }

    /// Checks the proof that comes with a token at user info.
    ///
    /// - Throws: ``OAuthError`` `invalid_dpop_proof`, `invalid_token` for a token that is bound to another key.
    package func prove(_ sent: PossessionProof.Sent, with text: String) async throws {
        guard let (token, _) = try accessTokens.check(text), let key = token.key else {
            throw OAuthError(.invalidToken, "The access token is not bound to a key, or is not good.")
        }
        guard try await spent(sent, accessToken: text).thumbprint == key else {
            throw OAuthError(.invalidToken, "The access token is bound to another key.")
        }
    }
}

extension AccessToken {
    /// The thumbprint of the key that the token is bound to; nil for a bearer token.
    var key: String? { claims["cnf"]?["jkt"]?.text }
}
