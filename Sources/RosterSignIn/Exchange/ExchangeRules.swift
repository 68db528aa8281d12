package import Foundation
import Roster
import RosterOpenID
import RosterText

extension TrustedIssuer {
    /// Applies the issuer's rules to a token, and adds them and the user to a report.
    ///
    /// The same values always give the same decision. The code that decides also writes the explanation, so that the two cannot
    /// differ. It costs at most the size of the claims times the size of the issuer's filters.
    ///
    /// - Parameters:
    ///   - token: The token, whose signature, `exp` and `nbf` were verified with ``keys``.
    ///   - backend: The backend that asks. It was authenticated before.
    ///   - baseURL: The server's own address without a path, as it is configured; never taken from a request.
    ///   - policy: The lifetimes of tokens for issuers without settings of their own.
    package func decide(
        _ token: VerifiedToken, for backend: ExchangingBackend, baseURL: String, policy: TokenExchangePolicy, now: Date,
        _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) {
        try checkIssuer(of: token, &report)
        try report.add(.enabled, isEnabled, "the issuer is switched \(isEnabled ? "on" : "off")")
        try checkBackend(backend, &report)
        try checkAudience(of: token, baseURL: baseURL, &report)
        for filter in filters {
            var claim: JSONValue?
            if case .rule(let name, _, _) = filter { claim = token.claims.claim(name) }
            let (holds, reason) = filter.check(claim)
            try report.add(.filter, holds, reason)
        }
        let (username, subject) = try names(in: token, &report)
        try checkMail(username, of: token, &report)
        try checkClientToken(token, username: username, &report)
        let (lifetime, expires) = try lifetime(of: token, policy, now, &report)
        let roles = GrantedRoles(of: token.claims, by: self)
        try report.add(.roles, true, roles.explanation)
        report.identity = ExchangedIdentity(
            format: format, issuer: name, subject: subject, username: username,
            user: hasVirtualUsers ? .virtual : .local(userMapping, nameComparison), roles: roles.all,
            lifetimeSeconds: lifetime, expires: expires)
    }

    private func checkIssuer(of token: VerifiedToken, _ report: inout ExchangeReport) throws(ExchangeReport.Refusal) {
        let found = token.issuer.map(ShownText.quoted) ?? "no issuer"
        try report.add(
            .issuer, token.format == format && token.issuer.map(isNamed) == true,
            "the token is a \(token.format.rawValue) of \(found), the issuer one of \(format.rawValue) named "
                + ShownText.quoted(name))
    }

    private func checkBackend(_ backend: ExchangingBackend, _ report: inout ExchangeReport) throws(ExchangeReport
        .Refusal)
    {
        guard let allowedBackends else { return try report.add(.backend, true, "any backend may use the issuer") }
        let isAllowed = allowedBackends.contains { $0.allows(backend) }
        try report.add(
            .backend, isAllowed,
            "\(ShownText.quoted(backend.name)) version \(ShownText.quoted(backend.version)) with client "
                + "\(ShownText.quoted(backend.clientID)) is \(isAllowed ? "" : "not ")among the allowedMbes")
    }

    /// Checks the audience (RFC 7519, section 4.1.3), a text or an array of texts. A JWT without an audience is accepted if the
    /// issuer's entry has none. An assertion must have one (SAML Profiles, 4.1.4.2).
    private func checkAudience(
        of token: VerifiedToken, baseURL: String, _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) {
        guard let audience = token.audience else {
            let isTaken = format == .jwt && self.audience.isEmpty
            return try report.add(
                .audience, isTaken,
                "the token names no audience, and the issuer's entry asks for \(isTaken ? "none" : ShownText.list(self.audience))"
            )
        }
        let wanted = self.audience.isEmpty ? defaultAudience(baseURL: baseURL) : self.audience
        let found = audience.texts
        guard found.count == audience.elements.count else {
            return try report.add(.audience, false, "the audience \(ShownText.value(audience)) is not made of texts")
        }
        let isOurs = found.contains { name in wanted.contains { $0.hasSameBytes(as: name) } }
        try report.add(
            .audience, isOurs,
            "the audience \(ShownText.value(audience)) has \(isOurs ? "one" : "none") of \(ShownText.list(wanted))")
    }

    private func names(
        in token: VerifiedToken, _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) -> (username: String, subject: String) {
        let (claim, value) = usernameClaim(of: token)
        guard let value, let username = value.text else {
            let found = value.map(ShownText.value) ?? "missing"
            throw report.refuse(.username, "\(claim) should name the user, but is \(found)")
        }
        // The rules are those for users of the directory: a name must not have invisible characters.
        guard (try? EntityName(username)) != nil, EntityName.isVisible(username) else {
            throw report.refuse(.username, "\(claim) is \(ShownText.quoted(username)), which no user can be called")
        }
        guard let subject = (token.subject ?? value).text, Self.canBeSubject(subject) else {
            throw report.refuse(
                .username, "the subject \(ShownText.value(token.subject ?? .null)) is not text that can be kept")
        }
        let place = hasVirtualUsers ? "a virtual user" : "the local user with this \(userMapping.rawValue)"
        try report.add(.username, true, "\(claim) is \(ShownText.quoted(username)): \(place)")
        return (username, subject)
    }

    /// Refuses an address that was not verified. A person who can write any address into an account at the issuer could otherwise
    /// sign in as the user who has that address here. `email_verified` is about `email`, not about a different address.
    private func checkMail(
        _ address: String, of token: VerifiedToken, _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) {
        guard !hasVirtualUsers, userMapping == .mail else { return }
        let verified = token.claims.claim("email_verified")
        // The attributes of assertions are texts.
        let saysTrue = verified == true || format == .saml && verified == "true"
        guard saysTrue || verified == nil else {
            throw report.refuse(
                .verifiedMail,
                "\"email_verified\" is \(verified.map(ShownText.value) ?? "missing"): no user is found by it")
        }
        let email = token.claims.claim("email")
        if saysTrue, email.map({ $0.text?.hasSameBytes(as: address) == true }) ?? true {
            return try report.add(.verifiedMail, true, "\"email_verified\" is true")
        }
        let reason = saysTrue ? "\"email\", which was verified, is another address" : "\"email_verified\" is missing"
        try report.add(
            .verifiedMail, waivesMailVerification,
            "\(reason), and emailVerificationWaived is \(waivesMailVerification ? "" : "not ")true")
    }

    private func usernameClaim(of token: VerifiedToken) -> (name: String, value: JSONValue?) {
        if let usernameAttribute {
            return (ShownText.quoted(usernameAttribute), token.claims.claim(usernameAttribute))
        }
        // Drafts of RFC 7519 called the subject `prn`. Oracle's reference accepts it for users with an account.
        if token.format == .jwt, !hasVirtualUsers, token.subject == nil {
            return ("\"prn\", for want of \"sub\",", token.claims.claim("prn"))
        }
        return (token.format == .jwt ? "\"sub\"" : "the subject", token.subject)
    }

    /// Whether a text can be stored as a subject: 1 to 1,024 bytes without control characters.
    private static func canBeSubject(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private func checkClientToken(
        _ token: VerifiedToken, username: String, _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) {
        guard let clientIDAttribute else { return }
        let claim = token.claims.claim(clientIDAttribute)
        let isClient = (claim?.elements ?? []).contains { value in
            switch value {
            case .string(let text): text == username
            case .integer(let number): String(number) == username
            default: false
            }
        }
        let shown = "\(ShownText.quoted(clientIDAttribute)) is \(claim.map(ShownText.value) ?? "missing")"
        try report.add(
            .clientToken, !isClient,
            isClient ? "\(shown), which is the user name: the token is a client's own" : "\(shown), not the user name")
    }

    private func lifetime(
        of token: VerifiedToken, _ standard: TokenExchangePolicy, _ now: Date, _ report: inout ExchangeReport
    ) throws(ExchangeReport.Refusal) -> (seconds: Int, expires: Date) {
        let policy = timeoutPolicy ?? standard.timeoutPolicy
        let timeout = timeoutSeconds ?? standard.timeoutSeconds
        let now = now.timeIntervalSince1970.rounded(.down)
        var seconds = timeout
        if policy != .fromTimeoutSecs {
            guard let expiry = token.expiry.flatMap(TokenTimes.seconds), expiry.isFinite else {
                throw report.refuse(.lifetime, "\(policy.rawValue), but the token does not say when it ends")
            }
            let left = (expiry - now).rounded(.down)
            guard left >= 1 else { throw report.refuse(.lifetime, "\(policy.rawValue), but the token has ended") }
            let most = policy == .fromExternalToken ? TokenExchangePolicy.timeoutRange.upperBound : timeout
            seconds = Int(min(left, Double(most)))
        }
        try report.add(.lifetime, true, "\(policy.rawValue): the token issued is good for \(seconds) seconds")
        return (seconds, Date(timeIntervalSince1970: now + Double(seconds)))
    }
}
