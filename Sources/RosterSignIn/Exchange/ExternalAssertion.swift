import Foundation
import RosterSAML
import RosterCrypto
import RosterText

/// Checks SAML assertions of other issuers.
extension ExternalTokenChecker {
    /// Checks a SAML assertion, in base64 or in base64 of gzip.
    package func check(saml text: String, for backend: ExchangingBackend) async -> ExchangeReport {
        var report = ExchangeReport()
        try? await check(saml: text, for: backend, &report)
        return report
    }

    private func check(
        saml text: String, for backend: ExchangingBackend, _ report: inout ExchangeReport
    ) async throws(ExchangeReport.Refusal) {
        let assertion: SAMLAssertion
        do {
            assertion = try SAMLAssertionReader(trust: await trust.forAssertions(baseURL: baseURL)).read(
                text, now: clock())
        } catch {
            throw report.refuse(
                ExchangeStep.Rule(rawValue: error.step.rawValue) ?? .form,
                explains ? await explanation(of: error, text) : error.message)
        }
        try report.add(.signature, true, "A SAML assertion, signed by '\(assertion.issuer)'; its times are good.")
        guard let issuer = await trust.issuer(named: assertion.issuer, format: .saml) else {
            throw report.refuse(.issuer, "No issuer of SAML assertions is trusted that has this name.")
        }
        report.issuer = issuer
        guard assertion.subject != nil || issuer.usernameAttribute != nil else {
            throw report.refuse(
                .subject,
                "The assertion has no 'NameID', and the issuer's entry no 'usernameAttribute' that names the user.")
        }
        guard issuer.hasVirtualUsers || issuer.usernameAttribute != nil || assertion.subject?.isTransient != true else {
            throw report.refuse(
                .subject,
                "The 'NameID' is transient, another one each time, and never names a user of the directory. Name an "
                    + "attribute in 'usernameAttribute'.")
        }
        try issuer.decide(
            VerifiedToken(assertion, of: issuer), for: backend, baseURL: baseURL, policy: trust.policy,
            now: clock(), &report)
        try addUse("saml", of: assertion.id, issuer, issued: nil, until: assertion.claimUntil, &report)
    }
}

/// Explanations for an administrator at the command line, and for nobody else.
extension ExternalTokenChecker {
    private func explanation(of problem: SAMLProblem, _ text: String) async -> String {
        let usual = problem.message + " " + problem.advice
        if problem == .notBase64, text.drop(while: \.isWhitespace).first == "<" {
            return "This is plain XML. Put it into base64, such as with 'base64 -w 0 FILE', as clients send it."
        }
        guard let outline = try? SAMLOutline(text) else { return usual }
        let issuer = await trust.issuer(named: outline.issuer, format: .saml)
        let recipients = IssuerTrust.recipients(baseURL: baseURL)
        switch problem {
        case .unknownIssuer:
            guard let issuer else { return await trust.explanation(ofUnknown: outline.issuer, .saml) }
            guard issuer.isEnabled else { return "The issuer \(ShownText.quoted(issuer.name)) is switched off." }
            guard case .certificates(let subjects) = issuer.keys else { return usual }
            for certificate in await trust.certificates(of: subjects) {
                do { _ = try SAMLCertificate(certificate.der) } catch {
                    return "\(ShownText.quoted(certificate.subjectText)): \(error)"
                }
            }
            return await trust.explanation(ofMissing: subjects)
        case .audience:
            let wanted = issuer.map { $0.audience.isEmpty ? $0.defaultAudience(baseURL: baseURL) : $0.audience } ?? []
            return Self.compared(problem, outline.audiences, wanted)
        case .recipient: return Self.compared(problem, outline.recipients, recipients)
        case .destination: return Self.compared(problem, [outline.destination ?? ""], recipients)
        case .expired, .notYetValid, .time:
            let times = outline.times.prefix(20).map { "\($0.name) is \(ShownText.quoted($0.text))" }
            return
                "\(usual) \(times.joined(separator: ", ")); now is \(ShownText.time(clock())), and clocks may differ "
                + "by \(Int(SAMLAssertionReader.clockSkew)) seconds."
        default: return usual
        }
    }

    private static func compared(_ problem: SAMLProblem, _ found: [String], _ wanted: [String]) -> String {
        "\(problem.message) It names \(ShownText.list(Array(found.prefix(20)))); one of these was expected: "
            + ShownText.list(Array(wanted.prefix(20))) + "."
    }
}

extension VerifiedToken {
    /// The content of an assertion, in the form to which its issuer's rules are applied.
    fileprivate init(_ assertion: SAMLAssertion, of issuer: TrustedIssuer) {
        // A transient name changes each time, so nobody would ever be the same person again.
        let namesNobody = issuer.usernameAttribute != nil && assertion.subject?.isTransient == true
        var attributes = assertion.attributes
        // Providers that indent their XML put white space around roles. The white space of a user's name counts.
        for name in issuer.roleAttributes where name != issuer.usernameAttribute {
            attributes[name] = attributes[name]?.map { $0[...].trimmingSpaces }
        }
        self.init(
            samlIssuer: assertion.issuer, subject: namesNobody ? nil : assertion.subject?.name,
            audiences: assertion.audiences, expires: assertion.notOnOrAfter, attributes: attributes)
    }
}

extension IssuerTrust {
    /// The issuers whose assertions are read, with their pinned certificates.
    func forAssertions(baseURL: String) -> SAMLTrust {
        // The look-up reloads the document when its time has come.
        _ = issuer(named: "", format: .saml)
        var pinned: [String: [SAMLCertificate]] = [:]
        var audiences: Set<String> = []
        for issuer in samlIssuers where issuer.isEnabled {
            guard case .certificates(let subjects) = issuer.keys else { continue }
            pinned[issuer.name] = certificates(of: subjects).compactMap { try? SAMLCertificate($0.der) }
            audiences.formUnion(issuer.audience.isEmpty ? issuer.defaultAudience(baseURL: baseURL) : issuer.audience)
        }
        return SAMLTrust(
            certificates: pinned, audiences: audiences, recipients: Set(Self.recipients(baseURL: baseURL)))
    }

    /// The addresses to which assertions may have been sent.
    static func recipients(baseURL: String) -> [String] {
        // In Oracle's reference, providers send browsers to the redirect. Nothing answers there; an app takes the assertion out of
        // the request.
        let paths = [
            "/mobile/platform/sso/exchange-token", "/mobile/platform/sso/redirect", "/mobile/platform/auth/token",
            "/oauth2/token",
        ]
        return paths.map { baseURL + $0 }
    }
}
