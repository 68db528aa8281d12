import Foundation
import Roster
import RosterText

extension TrustedIssuer {
    /// Applies the issuer's rules to a token.
    ///
    /// The same values always give the same decision. The code that decides also writes the explanation, so that the two cannot
    /// differ.
    /// - Parameters:
    ///   - token: The token, whose signature, `exp` and `nbf` were verified with ``keys``.
    ///   - request: The circumstances of the exchange.
    /// - Returns: The decision. It costs at most the size of the claims times the size of the issuer's filters.
    package func decide(_ token: VerifiedToken, for request: ExchangeRequest) -> ExchangeDecision {
        var steps = ExchangeSteps()
        do throws(ExchangeSteps.Refusal) {
            let identity = try identity(of: token, for: request, &steps)
            return ExchangeDecision(outcome: .accepted(identity), steps: steps.all)
        } catch {
            return ExchangeDecision(outcome: .refused(error.step), steps: steps.all)
        }
    }

    private func identity(
        of token: VerifiedToken, for request: ExchangeRequest, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) -> ExchangedIdentity {
        try checkIssuer(of: token, &steps)
        try steps.add(.enabled, isEnabled, "the issuer is switched \(isEnabled ? "on" : "off")")
        try checkBackend(request.backend, &steps)
        try checkAudience(of: token, baseURL: request.baseURL, &steps)
        for filter in filters {
            var claim: JSONValue?
            if case .rule(let name, _, _) = filter { claim = token.claims.claim(name) }
            let (holds, reason) = filter.check(claim)
            try steps.add(.filter, holds, reason)
        }
        let (username, subject) = try names(in: token, &steps)
        try checkMail(username, of: token, &steps)
        try checkClientToken(token, username: username, &steps)
        let (lifetime, expires) = try lifetime(of: token, for: request, &steps)
        let roles = try roles(of: token, &steps)
        return ExchangedIdentity(
            format: format, issuer: name, subject: subject, username: username,
            user: hasVirtualUsers ? .virtual : .local(userMapping, nameComparison), roles: roles,
            lifetimeSeconds: lifetime,
            expires: expires)
    }

    private func checkIssuer(
        of token: VerifiedToken, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) {
        let found = token.issuer.map(ShownText.quoted) ?? "no issuer"
        try steps.add(
            .issuer, token.format == format && token.issuer.map(isNamed) == true,
            "the token is a \(token.format.rawValue) of \(found), the issuer one of \(format.rawValue) named "
                + ShownText.quoted(name))
    }

    private func checkBackend(
        _ backend: ExchangingBackend, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) {
        guard let allowedBackends else { return try steps.add(.backend, true, "any backend may use the issuer") }
        let isAllowed = allowedBackends.contains { $0.allows(backend) }
        try steps.add(
            .backend, isAllowed,
            "\(ShownText.quoted(backend.name)) version \(ShownText.quoted(backend.version)) with client "
                + "\(ShownText.quoted(backend.clientID)) is \(isAllowed ? "" : "not ")among the allowedMbes")
    }

    /// Checks the audience (RFC 7519, section 4.1.3), a text or an array of texts. A JWT without an audience is accepted if the
    /// issuer's entry has none. An assertion must have one (SAML Profiles, 4.1.4.2).
    private func checkAudience(
        of token: VerifiedToken, baseURL: String, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) {
        guard let audience = token.audience else {
            let isTaken = format == .jwt && self.audience.isEmpty
            return try steps.add(
                .audience, isTaken,
                "the token names no audience, and the issuer's entry asks for \(isTaken ? "none" : ShownText.list(self.audience))"
            )
        }
        let wanted = self.audience.isEmpty ? defaultAudience(baseURL: baseURL) : self.audience
        let found = audience.elements.compactMap(\.text)
        guard found.count == audience.elements.count else {
            return try steps.add(.audience, false, "the audience \(ShownText.value(audience)) is not made of texts")
        }
        let isOurs = found.contains { name in wanted.contains { $0.hasSameBytes(as: name) } }
        try steps.add(
            .audience, isOurs,
            "the audience \(ShownText.value(audience)) has \(isOurs ? "one" : "none") of \(ShownText.list(wanted))")
    }

    private func names(
        in token: VerifiedToken, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) -> (username: String, subject: String) {
        let (claim, value) = usernameClaim(of: token)
        guard let value, let username = value.text else {
            let found = value.map(ShownText.value) ?? "missing"
            throw steps.refuse(.username, "\(claim) should name the user, but is \(found)")
        }
        // The rules are those for users of the directory: a name must not have invisible characters.
        guard (try? EntityName(username)) != nil, EntityName.isVisible(username) else {
            throw steps.refuse(.username, "\(claim) is \(ShownText.quoted(username)), which no user can be called")
        }
        guard let subject = (token.subject ?? value).text, Self.canBeSubject(subject) else {
            throw steps.refuse(
                .username, "the subject \(ShownText.value(token.subject ?? .null)) is no text that can be kept")
        }
        let place = hasVirtualUsers ? "a virtual user" : "the local user with this \(userMapping.rawValue)"
        try steps.add(.username, true, "\(claim) is \(ShownText.quoted(username)): \(place)")
        return (username, subject)
    }

    /// Refuses an address that was not verified. A person who can write any address into an account at the issuer could otherwise
    /// sign in as the user who has that address here. `email_verified` is about `email`, not about a different address.
    private func checkMail(
        _ address: String, of token: VerifiedToken, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) {
        guard !hasVirtualUsers, userMapping == .mail else { return }
        let verified = token.claims.claim("email_verified")
        // The attributes of assertions are texts.
        let saysTrue = verified == true || format == .saml && verified == "true"
        guard saysTrue || verified == nil else {
            throw steps.refuse(
                .verifiedMail,
                "\"email_verified\" is \(verified.map(ShownText.value) ?? "missing"): no user is found by it")
        }
        let email = token.claims.claim("email")
        if saysTrue, email.map({ $0.text?.hasSameBytes(as: address) == true }) ?? true {
            return try steps.add(.verifiedMail, true, "\"email_verified\" is true")
        }
        let reason = saysTrue ? "\"email\", which was verified, is another address" : "\"email_verified\" is missing"
        try steps.add(
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
        _ token: VerifiedToken, username: String, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) {
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
        try steps.add(
            .clientToken, !isClient,
            isClient ? "\(shown), which is the user name: the token is a client's own" : "\(shown), not the user name")
    }

    private func lifetime(
        of token: VerifiedToken, for request: ExchangeRequest, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) -> (seconds: Int, expires: Date) {
        let policy = timeoutPolicy ?? request.policy.timeoutPolicy
        let timeout = timeoutSeconds ?? request.policy.timeoutSeconds
        let now = request.now.timeIntervalSince1970.rounded(.down)
        var seconds = timeout
        if policy != .fromTimeoutSecs {
            guard let expiry = token.expiry.flatMap(Self.seconds) else {
                throw steps.refuse(.lifetime, "\(policy.rawValue), but the token does not say when it ends")
            }
            let left = (expiry - now).rounded(.down)
            guard left >= 1 else { throw steps.refuse(.lifetime, "\(policy.rawValue), but the token has ended") }
            let most = policy == .fromExternalToken ? TokenExchangePolicy.timeoutRange.upperBound : timeout
            seconds = Int(min(left, Double(most)))
        }
        try steps.add(.lifetime, true, "\(policy.rawValue): the token issued is good for \(seconds) seconds")
        return (seconds, Date(timeIntervalSince1970: now + Double(seconds)))
    }

    /// Reads a NumericDate (RFC 7519, section 2).
    private static func seconds(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .decimal(let number) where number.isFinite: number
        default: nil
        }
    }

    private func roles(
        of token: VerifiedToken, _ steps: inout ExchangeSteps
    ) throws(ExchangeSteps.Refusal) -> [GrantedRole] {
        let roles = GrantedRoles(of: token.claims, by: self)
        try steps.add(.roles, true, roles.explanation)
        return roles.all
    }
}

/// The rules that were applied so far.
private struct ExchangeSteps {
    /// A rule refused the token.
    struct Refusal: Error {
        let step: ExchangeStep
    }

    private(set) var all: [ExchangeStep] = []

    /// Adds a rule.
    /// - Throws: ``Refusal`` if the token does not pass.
    mutating func add(_ rule: ExchangeStep.Rule, _ hasPassed: Bool, _ explanation: String) throws(Refusal) {
        let step = ExchangeStep(rule: rule, hasPassed: hasPassed, explanation: explanation)
        all.append(step)
        if !hasPassed { throw Refusal(step: step) }
    }

    /// Adds a rule that the token does not pass.
    mutating func refuse(_ rule: ExchangeStep.Rule, _ explanation: String) -> Refusal {
        let step = ExchangeStep(rule: rule, hasPassed: false, explanation: explanation)
        all.append(step)
        return Refusal(step: step)
    }
}
