import Foundation

/// What SAML wants of a bearer assertion (core, 2.3 to 2.7; profiles, 4.1.4.2 and 4.1.4.3), once its signature is
/// verified.
struct AssertionChecks {
    let trust: SAMLTrust
    let now: Date

    private var earliest: Date { now.addingTimeInterval(-SAMLAssertionReader.clockSkew) }
    private var latest: Date { now.addingTimeInterval(SAMLAssertionReader.clockSkew) }

    /// What the assertion says, where it may be believed now and here.
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

    /// A response must report success and be meant for us (core, 3.2.2). We never ask, so that an answer to a request
    /// answers somebody else's (profiles, 4.1.5).
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

    /// The subject's name; nil where there is none at all, which is for the issuer's rules to judge. A name of a kind that
    /// is not read here is one that is missing.
    private func subject(_ element: XMLTreeElement) throws(SAMLProblem) -> SAMLAssertion.Subject? {
        let isUnnamed = element.children.allSatisfy { $0.isNamed("SubjectConfirmation", in: SAMLNames.assertion) }
        guard !isUnnamed else { return nil }
        guard let name = try element.only("NameID", in: SAMLNames.assertion, .subject), let text = name.text,
            !text.isEmpty
        else {
            throw .missing(.nameID)
        }
        // Signed or not, nobody is to be mistaken for another one because some reader trims a name.
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            !first.properties.isWhitespace, !last.properties.isWhitespace,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .nameID }
        return SAMLAssertion.Subject(name: text, format: name.attribute("Format"))
    }

    /// One confirmation by bearer is enough; where none is good, the first one's problem is told.
    /// - Returns: Until when the last of the good ones is: so long could the assertion be presented again.
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

    /// Every condition must be known and hold (core, 2.5.1.1). `OneTimeUse` does, because each assertion is used once;
    /// `ProxyRestriction` does, because no assertion is ever made of one.
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

    /// The audiences that a restriction names, one of which is us.
    private func audiences(of restriction: XMLTreeElement) throws(SAMLProblem) -> [String] {
        var names: [String] = []
        for audience in restriction.children {
            guard audience.isNamed("Audience", in: SAMLNames.assertion), let text = audience.text else {
                throw .unknownCondition
            }
            // A URI, around which XML Schema takes white space away.
            names.append(text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r\n")))
        }
        guard names.contains(where: { SAMLTrust.contains(trust.audiences, $0) }) else { throw .audience }
        return names
    }

    /// At least one statement says how the person signed in (profiles, 4.1.4.2): else an answer to a question about
    /// somebody could be used to sign in as them.
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
