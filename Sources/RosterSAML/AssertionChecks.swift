import Foundation

/// SAML's checks of a bearer assertion (core, 2.3 to 2.7; profiles, 4.1.4.2 and 4.1.4.3), after the verification of its
/// signature.
struct AssertionChecks {
    let trust: SAMLTrust
    let now: Date

    private var earliest: Date { now.addingTimeInterval(-SAMLAssertionReader.clockSkew) }
    private var latest: Date { now.addingTimeInterval(SAMLAssertionReader.clockSkew) }

    /// Returns the contents of the assertion if it is valid now and for this service.
    func read(_ message: SAMLMessage) throws(SAMLProblem) -> SAMLAssertion {
        if let response = message.response { try check(response: response) }
        let assertion = message.assertion
        guard let element = try assertion.only("Subject", in: SAMLNames.assertion, .subject) else {
            throw .missing(.subject)
        }
        let subject = try subject(element)
        let confirmedUntil = try confirm(element)
        guard let conditions = try assertion.only("Conditions", in: SAMLNames.assertion, .conditions) else {
            throw .missing(.conditions)
        }
        guard try time("IssueInstant", of: assertion, .issueInstant, isRequired: true) ?? now <= latest else {
            throw .notYetValid(.issueInstant)
        }
        let limits = try check(conditions: conditions)
        let statements = try authentication(assertion)
        return SAMLAssertion(
            id: message.assertionSignature.id, issuer: message.issuer, subject: subject,
            audiences: limits.audiences, attributes: try SAMLAttributes.read(assertion),
            authnInstant: statements.authenticated, sessionNotOnOrAfter: statements.sessionEnd,
            notBefore: limits.notBefore,
            notOnOrAfter: min(confirmedUntil, limits.notOnOrAfter ?? confirmedUntil))
    }

    /// Requires a response to report success and to be addressed to this service (core, 3.2.2). Roster never sends a
    /// request, so a response with `InResponseTo` answers another service's request (profiles, 4.1.5).
    private func check(response: XMLTreeElement) throws(SAMLProblem) {
        guard let status = try response.only("Status", in: SAMLNames.messages, .response),
            let code = try status.only("StatusCode", in: SAMLNames.messages, .response)
        else { throw .missing(.status) }
        guard code.attribute("Value") == SAMLNames.success else { throw .unsuccessful }
        guard try time("IssueInstant", of: response, .response, isRequired: true) ?? now <= latest else {
            throw .notYetValid(.response)
        }
        if let destination = response.attribute("Destination"), !destination.isEmpty {
            guard SAMLTrust.contains(trust.recipients, destination) else { throw .destination }
        }
        guard response.attribute("InResponseTo") == nil else { throw .responseInResponseTo }
    }

    /// The subject's name; nil if the subject has no identifier at all, for which the issuer's rules decide. An
    /// unsupported kind of name counts as missing.
    private func subject(_ element: XMLTreeElement) throws(SAMLProblem) -> SAMLAssertion.Subject? {
        let isUnnamed = element.children.allSatisfy { $0.isNamed("SubjectConfirmation", in: SAMLNames.assertion) }
        guard !isUnnamed else { return nil }
        guard let name = try element.only("NameID", in: SAMLNames.assertion, .subject), let text = name.text,
            !text.isEmpty
        else {
            throw .missing(.nameID)
        }
        // A reader that trims names could otherwise mistake one user for another.
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            !first.properties.isWhitespace, !last.properties.isWhitespace,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .nameID }
        return SAMLAssertion.Subject(name: text, format: name.attribute("Format"))
    }

    /// Requires one valid bearer confirmation. If none is valid, the first one's problem is thrown.
    /// - Returns: The latest end of the valid confirmations. The assertion could be presented again until then.
    private func confirm(_ subject: XMLTreeElement) throws(SAMLProblem) -> Date {
        var end: Date?
        var problem: SAMLProblem?
        for confirmation in subject.children
        where confirmation.isNamed("SubjectConfirmation", in: SAMLNames.assertion)
            && confirmation.attribute("Method") == SAMLNames.bearer
        {
            do throws(SAMLProblem) {
                let next = try check(confirmation: confirmation)
                end = max(end ?? next, next)
            } catch { problem = problem ?? error }
        }
        guard let end else { throw problem ?? .missing(.bearerConfirmation) }
        return end
    }

    private func check(confirmation: XMLTreeElement) throws(SAMLProblem) -> Date {
        guard let data = try confirmation.only("SubjectConfirmationData", in: SAMLNames.assertion, .subject) else {
            throw .missing(.bearerConfirmation)
        }
        guard let recipient = data.attribute("Recipient"), SAMLTrust.contains(trust.recipients, recipient) else {
            throw .recipient
        }
        guard let end = try time("NotOnOrAfter", of: data, .confirmation, isRequired: true) else {
            throw .missing(.bearerConfirmation)
        }
        guard earliest < end else { throw .expired(.confirmation) }
        guard data.attribute("NotBefore") == nil else { throw .confirmationNotBefore }
        guard data.attribute("InResponseTo") == nil else { throw .inResponseTo }
        return end
    }

    /// Requires every condition to be known and to hold (core, 2.5.1.1). `OneTimeUse` holds because each assertion is
    /// accepted once; `ProxyRestriction` holds because Roster issues no assertions.
    private func check(
        conditions: XMLTreeElement
    ) throws(SAMLProblem) -> (notBefore: Date?, notOnOrAfter: Date?, audiences: [String]) {
        let start = try time("NotBefore", of: conditions, .conditions, isRequired: false)
        let end = try time("NotOnOrAfter", of: conditions, .conditions, isRequired: false)
        if let start {
            guard start <= latest else { throw .notYetValid(.conditions) }
            if let end { guard start < end else { throw .time(.conditions) } }
        }
        if let end { guard earliest < end else { throw .expired(.conditions) } }
        var audiences: [String] = []
        for condition in conditions.children {
            guard condition.namespace == SAMLNames.assertion else { throw .unknownCondition }
            switch condition.name {
            case "AudienceRestriction":
                audiences += try self.audiences(of: condition)
            case "OneTimeUse", "ProxyRestriction":
                _ = try conditions.only(condition.name, in: SAMLNames.assertion, .conditions)
            default: throw .unknownCondition
            }
        }
        guard !audiences.isEmpty else { throw .missing(.audience) }
        return (start, end, audiences)
    }

    /// The audiences of a restriction, which must include this service.
    private func audiences(of restriction: XMLTreeElement) throws(SAMLProblem) -> [String] {
        var names: [String] = []
        for audience in restriction.children {
            guard audience.isNamed("Audience", in: SAMLNames.assertion), let text = audience.text else {
                throw .unknownCondition
            }
            // XML Schema removes white space around URIs.
            names.append(text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\n")))
        }
        guard names.contains(where: { SAMLTrust.contains(trust.audiences, $0) }) else { throw .audience }
        return names
    }

    /// Requires a statement about the sign-in (profiles, 4.1.4.2). An assertion without one may only describe a user,
    /// and must not sign that user in.
    private func authentication(
        _ assertion: XMLTreeElement
    ) throws(SAMLProblem) -> (authenticated: Date, sessionEnd: Date?) {
        var authenticated: Date?
        var sessionEnd: Date?
        for statement in assertion.children where statement.isNamed("AuthnStatement", in: SAMLNames.assertion) {
            guard let instant = try time("AuthnInstant", of: statement, .authnInstant, isRequired: true) else {
                throw .missing(.authnStatement)
            }
            guard instant <= latest else { throw .notYetValid(.authnInstant) }
            authenticated = min(authenticated ?? instant, instant)
            guard let end = try time("SessionNotOnOrAfter", of: statement, .session, isRequired: false) else {
                continue
            }
            guard now < end else { throw .expired(.session) }
            sessionEnd = min(sessionEnd ?? end, end)
        }
        guard let authenticated else { throw .missing(.authnStatement) }
        return (authenticated, sessionEnd)
    }

    private func time(
        _ attribute: String, of element: XMLTreeElement, _ limit: SAMLProblem.Limit, isRequired: Bool
    ) throws(SAMLProblem) -> Date? {
        guard let text = element.attribute(attribute) else {
            guard !isRequired else { throw .time(limit) }
            return nil
        }
        guard let date = XMLDateTime.date(text) else { throw .time(limit) }
        return date
    }
}
