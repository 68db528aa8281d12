package import Foundation
import Roster
import RosterCrypto
import RosterText

/// What was looked at of somebody else's token, in order, for whoever asks why it was taken or refused.
package struct ExternalTokenReport: Sendable {
    /// One thing that was looked at.
    package struct Step: Sendable {
        package let name: String
        package let hasPassed: Bool
        /// For the administrator: it may show claims.
        package let explanation: String
    }

    package private(set) var steps: [Step] = []
    /// Whom the token names, where everything has passed.
    package var identity: ExchangedIdentity?
    /// The issuer, where it is trusted.
    package var issuer: TrustedIssuer?
    /// What must not be used again; nil where the token may be brought again.
    package var use: UseOnce?

    mutating func note(_ name: String, _ hasPassed: Bool, _ explanation: String) {
        steps.append(Step(name: name, hasPassed: hasPassed, explanation: explanation))
    }

    /// The step that refused; nil where none did.
    package var refusal: Step? { steps.first { !$0.hasPassed } }
}

/// Checks tokens of other issuers: form, signature, times, and then the issuer's rules. The decision and its explanation
/// come from the same steps.
package struct ExternalTokenChecker: Sendable {
    package let trust: IssuerTrust
    /// Our own address, without a slash at the end.
    package let baseURL: String
    /// Whether reports say what was found and what was expected, for an administrator at the command line. Costs more.
    package let explains: Bool
    package let clock: @Sendable () -> Date

    package init(
        _ trust: IssuerTrust, baseURL: String, explains: Bool = false,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.trust = trust
        self.baseURL = baseURL
        self.explains = explains
        self.clock = clock
    }

    /// How far an issuer's clock may be off, in seconds.
    package static let skew: Double = 60

    /// The kinds of JWT with a name of their own that are exchanged: access tokens (RFC 9068), authorization grants and
    /// grants for another domain.
    private static let kinds: Set<String> = ["at+jwt", "authorization-grant+jwt", "oauth-id-jag+jwt"]

    /// Looks at a JWT.
    ///
    /// - Parameter backend: Who asks; nil to leave out whether it may.
    package func check(jwt text: String, for backend: ExchangingBackend) async -> ExternalTokenReport {
        var report = ExternalTokenReport()
        let token: JSONWebToken
        do {
            token = try JSONWebToken(text.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            report.note("form", false, error.message)
            return report
        }
        report.note("form", true, "A JWT, signed with \(token.algorithm.rawValue).")
        if let kind = token.kind(otherThan: Self.kinds) {
            let taken = Self.kinds.sorted().map { "'\($0)'" }.joined(separator: ", ")
            report.note(
                "kind", false,
                "By its 'typ' it is a \(ShownText.quoted(kind)), which is not exchanged: 'JWT', \(taken) and none at all are."
            )
            return report
        }
        guard let name = token.claims["iss"]?.text, name != baseURL,
            let issuer = await trust.issuer(named: name, format: .jwt)
        else {
            report.note(
                "issuer", false,
                explains
                    ? await explanation(ofUnknown: token.claims["iss"])
                    : "No issuer is trusted that has the name in 'iss'.")
            return report
        }
        report.issuer = issuer
        let (keys, problem) = await trust.keys(of: issuer, for: token)
        let allowed = Set(SignatureAlgorithm.allCases).subtracting([.hs256])
        guard (try? token.isSigned(by: keys, allowing: allowed)) == true else {
            var reason = problem ?? "None of the issuer's keys made the signature."
            if explains {
                if case .certificates(let subjects) = issuer.keys, keys.keys.isEmpty {
                    reason = await trust.explanation(ofMissing: subjects)
                } else if problem == nil, let unusable = keys.problem(with: token) {
                    reason += " " + unusable
                }
            }
            report.note("signature", false, reason)
            return report
        }
        report.note("signature", true, "Made with a key of '\(issuer.name)'.")
        if let refusal = TokenTimes.problem(with: token.claims, now: clock(), skew: Self.skew) {
            let times = explains ? " " + TokenTimes.shown(token.claims, now: clock(), skew: Self.skew) : ""
            report.note("times", false, refusal + times)
            return report
        }
        report.note("times", true, "Begun, and not ended.")
        decide(issuer, VerifiedToken(jwt: token.claims), backend, &report)
        if issuer.takesTokensOnce {
            let end = token.claims["exp"].flatMap(TokenTimes.seconds) ?? 0
            noteUse(
                "jwt", of: token.claims["jti"]?.text, issuer,
                issued: token.claims["iat"].flatMap(TokenTimes.seconds).map { Date(timeIntervalSince1970: $0) },
                until: Date(timeIntervalSince1970: end + Self.skew), &report)
        }
        return report
    }

    /// Notes what must not be used again of a token that everything else lets pass.
    ///
    /// - Parameter id: What tells it from the issuer's other tokens; nil where it does not say, and is refused for that.
    func noteUse(
        _ kind: String, of id: String?, _ issuer: TrustedIssuer, issued: Date?, until: Date,
        _ report: inout ExternalTokenReport
    ) {
        guard report.identity != nil else { return }
        guard let id, !id.isEmpty, let digest = try? SHA256.hex(issuer.name + "\n" + id) else {
            report.note(
                "use", false, "The issuer's tokens are taken once ('tokenUsedOnce'), and this one has no 'jti'.")
            report.identity = nil
            return
        }
        report.note("use", true, "Taken once, if it was not used before.")
        report.use = UseOnce("\(kind):\(digest)", issued: issued, until: until)
    }

    private func explanation(ofUnknown issuer: JSONValue?) async -> String {
        guard let issuer else { return "The token has no 'iss', which names its issuer." }
        guard let name = issuer.text else {
            return "The token's 'iss' is \(ShownText.value(issuer)), which is no text."
        }
        if name == baseURL {
            return "The token's 'iss' is \(ShownText.quoted(name)): our own tokens are not exchanged."
        }
        return await trust.explanation(ofUnknown: name, .jwt)
    }

    func decide(
        _ issuer: TrustedIssuer, _ token: VerifiedToken, _ backend: ExchangingBackend,
        _ report: inout ExternalTokenReport
    ) {
        let decision = issuer.decide(
            token,
            for: ExchangeRequest(backend: backend, baseURL: baseURL, policy: trust.source.policy, now: clock()))
        for step in decision.steps { report.note(step.rule.rawValue, step.hasPassed, step.explanation) }
        report.identity = decision.identity
    }
}

/// The times of a token (RFC 7519, sections 4.1.4 to 4.1.6).
enum TokenTimes {
    /// The year 9999: later numbers are mistakes, such as milliseconds.
    private static let latest: Double = 253_402_300_799

    /// A NumericDate (RFC 7519, section 2); nil for any other value.
    static func seconds(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .decimal(let number): number
        default: nil
        }
    }

    /// The times of a token beside the time that it is.
    static func shown(_ claims: JSONValue, now: Date, skew: Double) -> String {
        let times = ["iat", "nbf", "exp"].compactMap { name in
            claims[name].map { value in
                let date = seconds(value).flatMap { (0...latest).contains($0) ? Date(timeIntervalSince1970: $0) : nil }
                return "'\(name)' is \(ShownText.value(value))" + (date.map { " (\(ShownText.time($0)))" } ?? "")
            }
        }
        return (times + ["now is \(ShownText.time(now))"]).joined(separator: ", ")
            + "; clocks may differ by \(Int(skew)) seconds."
    }

    /// Why a token is not good now; nil where it is. It must have an end.
    static func problem(with claims: JSONValue, now: Date, skew: Double) -> String? {
        func seconds(_ name: String) -> (isGiven: Bool, value: Double?) {
            guard let value = claims[name] else { return (false, nil) }
            return (true, Self.seconds(value).flatMap { (0...latest).contains($0) ? $0 : nil })
        }
        let time = now.timeIntervalSince1970
        for name in ["exp", "nbf", "iat"] {
            let (isGiven, value) = seconds(name)
            guard isGiven == (value != nil) else { return "'\(name)' is no time in seconds since 1970." }
        }
        guard let end = seconds("exp").value else { return "The token has no 'exp', and would never end." }
        guard time < end + skew else { return "The token has ended ('exp')." }
        if let start = seconds("nbf").value, time < start - skew { return "The token has not begun ('nbf')." }
        if let issued = seconds("iat").value, time < issued - skew { return "The token is from the future ('iat')." }
        return nil
    }
}
