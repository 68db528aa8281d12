package import Foundation
import RosterText

/// The conditions for an id token beside its signature (OpenID Connect Core, section 3.1.3.7).
package struct IDTokenRules: Sendable {
    /// The first condition that an id token does not satisfy.
    package enum Problem: Error, Sendable, Hashable {
        case kind
        case issuer
        case audience
        case authorizedParty
        case subject
        case nonce
        case accessToken
        /// The times are missing, wrong, or not now. The text says which.
        case times(String)

        /// The text for people. It holds nothing of the token.
        package var message: String {
            switch self {
            case .kind: "The token was made for another purpose than to sign in."
            case .issuer: "The token is of another issuer ('iss')."
            case .audience: "The token is for another app ('aud')."
            case .authorizedParty: "The token was given to another app ('azp')."
            case .subject: "The token names no user, or one of more than 255 bytes ('sub')."
            case .nonce: "The token is the answer to another request ('nonce')."
            case .accessToken: "The token came with another access token ('at_hash')."
            case .times(let text): text
            }
        }
    }

    private let issuer: String
    private let clientID: String
    private let nonce: String?
    private let accessToken: String?
    private let skew: Double

    /// - Parameters:
    ///   - issuer: The issuer that the token must name.
    ///   - clientID: The client that the token must be for.
    ///   - nonce: The nonce of the request; nil for a token that answers no authorization request.
    ///   - accessToken: The access token that came with the id token, for `at_hash` (sections 3.1.3.8 and 3.3.2.9); nil for none.
    ///   - skew: The seconds by which the clocks of both sides may differ.
    package init(issuer: String, clientID: String, nonce: String?, accessToken: String?, skew: Double) {
        (self.issuer, self.clientID, self.nonce, self.skew) = (issuer, clientID, nonce, skew)
        self.accessToken = accessToken
    }

    /// The first condition that a token does not satisfy; nil for a good token, whose signature is still to be verified.
    package func problem(with token: JSONWebToken, now: Date) -> Problem? {
        let claims = token.claims
        guard claims["iss"]?.text?.hasSameBytes(as: issuer) == true else { return .issuer }
        guard token.kind(otherThan: []) == nil else { return .kind }
        let audiences = claims["aud"]?.texts ?? []
        guard audiences.contains(clientID) else { return .audience }
        guard claims["azp"].map({ $0.text == clientID }) ?? (audiences.count == 1) else { return .authorizedParty }
        guard let subject = claims["sub"]?.text, (1...255).contains(subject.utf8.count) else { return .subject }
        if let problem = TokenTimes.problem(with: claims, now: now, skew: skew) { return .times(problem) }
        guard claims["iat"] != nil else { return .times("The token has no 'iat'.") }
        guard nonce.map({ claims["nonce"]?.text == $0 }) ?? true else { return .nonce }
        if let accessToken, let hash = claims["at_hash"] {
            guard hash.text == (try? token.algorithm.halfHash(of: accessToken)) else { return .accessToken }
        }
        return nil
    }
}
