package import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// Checks tokens of other issuers: first form, signature and times, then the rules of the issuer's entry. The decision and its
/// explanation come from the same steps.
package struct ExternalTokenChecker: Sendable {
    package let trust: IssuerTrust
    /// The address of this service, without a slash at the end.
    package let baseURL: String
    /// Whether reports say what was found and what was expected, for an administrator at the command line. Such reports cost more.
    package let explains: Bool
    package let clock: @Sendable () -> Date

    package init(
        _ trust: IssuerTrust, baseURL: String, explains: Bool = false,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.trust, self.baseURL, self.explains, self.clock) = (trust, baseURL, explains, clock)
    }

    /// The seconds by which an issuer's clock may be wrong.
    package static let skew: Double = 60

    /// The kinds of JWT that are exchanged, by the value of `typ`: access tokens (RFC 9068), authorization grants, and grants for
    /// another domain.
    private static let kinds: Set<String> = ["at+jwt", "authorization-grant+jwt", "oauth-id-jag+jwt"]

    /// Checks a JWT.
    ///
    /// - Parameter backend: The backend that asks.
    package func check(jwt text: String, for backend: ExchangingBackend) async -> ExchangeReport {
        var report = ExchangeReport()
        try? await check(jwt: text, for: backend, &report)
        return report
    }

    private func check(
        jwt text: String, for backend: ExchangingBackend, _ report: inout ExchangeReport
    ) async throws(ExchangeReport.Refusal) {
        let token: JSONWebToken
        do {
            token = try JSONWebToken(text.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            throw report.refuse(.form, error.message)
        }
        try report.add(.form, true, "A JWT, signed with \(token.algorithm.rawValue).")
        if let kind = token.kind(otherThan: Self.kinds) {
            let taken = Self.kinds.sorted().map { "'\($0)'" }.joined(separator: ", ")
            throw report.refuse(
                .kind,
                "By its 'typ' it is a \(ShownText.quoted(kind)), which is not exchanged: 'JWT', \(taken) and none at all are."
            )
        }
        guard let name = token.claims["iss"]?.text, name != baseURL,
            let issuer = await trust.issuer(named: name, format: .jwt)
        else {
            throw report.refuse(
                .issuer,
                explains
                    ? await explanation(ofUnknown: token.claims["iss"])
                    : "No issuer is trusted that has the name in 'iss'.")
        }
        report.issuer = issuer
        let (keys, problem) = await trust.keys(of: issuer, for: token)
        guard (try? token.isSigned(by: keys, allowing: SignatureAlgorithm.published)) == true else {
            var reason = problem ?? "None of the issuer's keys made the signature."
            if explains {
                if case .certificates(let subjects) = issuer.keys, keys.keys.isEmpty {
                    reason = await trust.explanation(ofMissing: subjects)
                } else if problem == nil, let unusable = keys.problem(with: token) {
                    reason += " " + unusable
                }
            }
            throw report.refuse(.signature, reason)
        }
        try report.add(.signature, true, "Made with a key of '\(issuer.name)'.")
        if let refusal = TokenTimes.problem(with: token.claims, now: clock(), skew: Self.skew) {
            let times = explains ? " " + TokenTimes.shown(token.claims, now: clock(), skew: Self.skew) : ""
            throw report.refuse(.times, refusal + times)
        }
        try report.add(.times, true, "Begun, and not ended.")
        try issuer.decide(
            VerifiedToken(jwt: token.claims), for: backend, baseURL: baseURL, policy: trust.policy, now: clock(),
            &report)
        guard issuer.takesTokensOnce else { return }
        let end = token.claims["exp"].flatMap(TokenTimes.seconds) ?? 0
        try addUse(
            "jwt", of: token.claims["jti"]?.text, issuer,
            issued: token.claims["iat"].flatMap(TokenTimes.seconds).map { Date(timeIntervalSince1970: $0) },
            until: Date(timeIntervalSince1970: end + Self.skew), &report)
    }

    /// Adds the use of a token that passed all other rules and may be used once.
    ///
    /// - Parameter id: The token's id among the issuer's tokens. A token without one is refused.
    func addUse(
        _ kind: String, of id: String?, _ issuer: TrustedIssuer, issued: Date?, until: Date,
        _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) {
        guard let id, !id.isEmpty, let digest = try? SHA256.hex(issuer.name + "\n" + id) else {
            throw report.refuse(
                .use, "The issuer's tokens are accepted once ('tokenUsedOnce'), and this one has no 'jti'.")
        }
        try report.add(.use, true, "Taken once, if it was not used before.")
        report.use = UseOnce("\(kind):\(digest)", issued: issued, until: until)
    }

    private func explanation(ofUnknown issuer: JSONValue?) async -> String {
        guard let issuer else { return "The token has no 'iss', which names its issuer." }
        guard let name = issuer.text else {
            return "The token's 'iss' is \(ShownText.value(issuer)), which is not text."
        }
        if name == baseURL {
            return "The token's 'iss' is \(ShownText.quoted(name)): our own tokens are not exchanged."
        }
        return await trust.explanation(ofUnknown: name, .jwt)
    }
}
