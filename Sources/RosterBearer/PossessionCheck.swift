import Foundation
import RosterOpenID
import RosterText

/// Checks that the sender of a token has the key that the token is bound to (DPoP, RFC 9449).
struct PossessionCheck: Sendable {
    private let settings: BearerSettings
    private let clock: @Sendable () -> Date
    /// The proofs of the last minutes, with the times from which they are too old anyway. Copies of a validator share them.
    private let used = Locked<[String: Date]>([:])
    /// The proofs that are remembered at most. A validator that has so many refuses further ones, so that no proof counts twice.
    private static let most = 200_000

    init(_ settings: BearerSettings, clock: @escaping @Sendable () -> Date) {
        (self.settings, self.clock) = (settings, clock)
    }

    /// - Parameters:
    ///   - claims: The claims of a good token.
    ///   - isBound: Whether the token was sent with the scheme DPoP.
    /// - Throws: ``TokenProblem``.
    func check(_ claims: JSONValue, _ token: String, isBound: Bool, _ proofs: [PossessionProof.Sent]) throws {
        let binding = claims["cnf"]
        guard binding == nil || binding?["jkt"]?.text != nil else {
            throw TokenProblem(.invalidToken, "The token is bound in another way than to a DPoP key ('cnf').")
        }
        guard let key = binding?["jkt"]?.text else {
            guard !isBound else { throw TokenProblem(.invalidToken, "The token is bound to no key ('cnf').") }
            guard !settings.requiresPossession else {
                throw TokenProblem(.invalidToken, "The token is a bearer token, and this API takes bound tokens only.")
            }
            return
        }
        guard isBound else {
            throw TokenProblem(.invalidToken, "The token is bound to a key, and was sent as a bearer token.")
        }
        guard settings.resource != nil else {
            throw TokenProblem(.invalidToken, "Set 'resource' to the address of this API, which proofs of keys name.")
        }
        guard proofs.count == 1, let sent = proofs.first else {
            throw TokenProblem(.invalidProof, "The request has \(proofs.count) DPoP fields.")
        }
        let proof: PossessionProof
        do {
            proof = try PossessionProof(sent, accessToken: token, now: clock())
        } catch {
            throw TokenProblem(.invalidProof, error.reason)
        }
        guard proof.thumbprint == key else {
            throw TokenProblem(.invalidToken, "The token is bound to another key than that of the proof.")
        }
        try use(proof)
    }

    private func use(_ proof: PossessionProof) throws {
        let now = clock()
        let problem = used.withLock { used -> TokenProblem? in
            if used[proof.id] != nil { return TokenProblem(.invalidProof, "The DPoP proof was used before.") }
            if used.count >= Self.most { used = used.filter { now < $0.value } }
            guard used.count < Self.most else {
                return TokenProblem(.unavailable, "\(Self.most) DPoP proofs came within two minutes.")
            }
            used[proof.id] = proof.ends
            return nil
        }
        if let problem { throw problem }
    }
}
