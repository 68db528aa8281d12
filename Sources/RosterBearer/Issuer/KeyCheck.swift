import Foundation
import RosterOpenID
import RosterText

/// Checks access tokens locally with the issuer's keys (RFC 9068, section 4).
struct KeyCheck: Sendable {
    let issuer: String
    let audience: String
    let algorithms: Set<SignatureAlgorithm>
    let skew: Double
    let documents: ProviderDocuments
    let clock: @Sendable () -> Date

    /// The claims of a good token.
    ///
    /// - Throws: ``TokenProblem``.
    func claims(of text: String) async throws -> JSONValue {
        let token: JSONWebToken
        do { token = try JSONWebToken(text) } catch { throw TokenProblem(.invalidToken, error.message) }
        // Everything that needs no key comes first, so that such tokens cause no request to the issuer.
        try checkClaims(of: token)
        guard try await isSigned(token) else {
            throw TokenProblem(.invalidToken, "None of the issuer's keys made the signature.")
        }
        return token.claims
    }

    private func checkClaims(of token: JSONWebToken) throws {
        func refuse(_ reason: String) -> TokenProblem { TokenProblem(.invalidToken, reason) }
        guard algorithms.contains(token.algorithm) else {
            throw refuse("The token is signed with \(token.algorithm.rawValue), which is not accepted.")
        }
        // A media type can have parameters after a semicolon.
        guard token.type?.split(separator: ";").first?.trimmingSpaces == "at+jwt" else {
            throw refuse(
                "The token is not an access token: its 'typ' is \(token.type.map(ShownText.quoted) ?? "missing").")
        }
        let claims = token.claims
        guard claims["iss"]?.text?.hasSameBytes(as: issuer) == true else {
            throw refuse("The token's 'iss' is \(claims["iss"].map(ShownText.value) ?? "missing").")
        }
        guard let own = claims["aud"], own.texts.contains(where: { $0.hasSameBytes(as: audience) }) else {
            throw refuse(
                "The token is for another API: its 'aud' is \(claims["aud"].map(ShownText.value) ?? "missing").")
        }
        if let problem = TokenTimes.problem(with: claims, now: clock(), skew: skew) {
            throw refuse(problem + " " + TokenTimes.shown(claims, now: clock(), skew: skew))
        }
        guard claims["sub"]?.text?.isEmpty == false else { throw refuse("The token has no 'sub'.") }
    }

    private func isSigned(_ token: JSONWebToken) async throws -> Bool {
        do {
            return try await documents.isSigned(token, allowing: algorithms)
        } catch let error where error is ProviderDocuments.Problem || error is IssuerConnection.Problem {
            throw TokenProblem(.unavailable, "The issuer's keys cannot be fetched: \(error)")
        }
    }
}
