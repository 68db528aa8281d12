import Foundation
import RosterSAML
import Testing

@Suite("An assertion is valid for us, now, and for whoever bears it")
struct ConditionTests {
    static func problem(now: Date = Sample.now, _ change: (inout Sample) -> Void) throws -> SAMLProblem? {
        var sample = Sample()
        change(&sample)
        return try Sample.problem(sample.signed(), now: now)
    }

    @Test("Clocks may differ by 60 seconds, and by no more")
    func times() throws {
        let xml = try Sample().signed()
        // It is confirmed until 12:05, and was issued at 11:59:30.
        #expect(try Sample.problem(xml, now: Sample.now + 359.9) == nil)
        #expect(try Sample.problem(xml, now: Sample.now + 360) == .expired(.confirmation))
        #expect(try Sample.problem(xml, now: Sample.now - 90) == nil)
        #expect(try Sample.problem(xml, now: Sample.now - 91) == .notYetValid(.issueInstant))
        let ending = Sample.conditions(until: "2026-11-21T12:01:00Z")
        #expect(try Self.problem(now: Sample.now + 119) { $0.conditions = ending } == nil)
        #expect(try Self.problem(now: Sample.now + 120) { $0.conditions = ending } == .expired(.conditions))
        let starting = Sample.conditions(from: "2026-11-21T12:01:00Z")
        #expect(try Self.problem { $0.conditions = starting } == nil)
        #expect(try Self.problem(now: Sample.now - 1) { $0.conditions = starting } == .notYetValid(.conditions))
        #expect(try Self.problem { $0.conditions = Sample.conditions(from: nil, until: nil) } == nil)
        let reversed = Sample.conditions(from: "2026-11-21T12:00:00Z", until: "2026-11-21T12:00:00Z")
        #expect(try Self.problem { $0.conditions = reversed } == .time(.conditions))
    }

    @Test(
        "Times are in UTC and exist",
        arguments: [
            "2026-11-21T12:05:00", "2026-11-21T12:05:00+00:00", "2026-11-21T12:05Z", "2026-11-21 12:05:00Z",
            "2026-02-29T12:05:00Z",
            "2026-11-31T12:05:00Z", "2026-13-01T12:05:00Z", "2026-00-01T12:05:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T23:59:60Z",
            "2026-11-21T12:60:00Z", "+2026-11-21T12:05:00Z", "-2026-11-21T12:05:00Z", "12026-11-21T12:05:00Z",
            "2026-11-21T12:05:00.Z",
            "2026-11-21T12:05:00.1234567890123Z", "2026-11-21T12:05:00z", "2026-11-21t12:05:00Z",
            "２026-11-21T12:05:00Z", "", "Z",
            "1795262700", "2026-11-21T12:05:00ZZ", " 2026-11-21T12:05:00Z", "9999999-11-21T12:05:00Z",
        ])
    func dates(text: String) throws {
        #expect(try Self.problem { $0.confirmation = Sample.confirmation(until: text) } == .time(.confirmation))
        #expect(try Self.problem { $0.conditions = Sample.conditions(until: text) } == .time(.conditions))
        #expect(try Self.problem { $0.conditions = Sample.conditions(from: text) } == .time(.conditions))
        #expect(
            try Self.problem { $0.statement = "<saml:AuthnStatement AuthnInstant=\"\(text)\"/>" }
                == .time(.authnInstant))
        #expect(try Self.problem { $0.head = "Version=\"2.0\" IssueInstant=\"\(text)\"" } == .time(.issueInstant))
    }

    @Test("Days are counted as the calendar has them, with fractions of seconds")
    func calendar() throws {
        for (text, seconds) in [
            ("2028-02-29T00:00:00Z", 1_835_395_200.0), ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2400-02-29T00:00:00Z", 13_574_563_200), ("2026-12-31T23:59:59.25Z", 1_798_761_599.25),
        ] {
            var sample = Sample()
            sample.statement =
                "<saml:AuthnStatement AuthnInstant=\"1970-01-01T00:00:00Z\" SessionNotOnOrAfter=\"\(text)\"/>"
            let assertion = try Sample.read(sample.signed())
            #expect(assertion.sessionNotOnOrAfter?.timeIntervalSince1970 == seconds, "\(text)")
            #expect(assertion.authnInstant.timeIntervalSince1970 == 0)
        }
    }

    @Test("Every audience restriction must name us")
    func audiences() throws {
        let us = Sample.audience
        func problem(_ audiences: [[String]]) throws -> SAMLProblem? {
            try Self.problem { $0.conditions = Sample.conditions(audiences: audiences) }
        }
        #expect(try problem([["https://other.example", us]]) == nil)
        #expect(try problem([["\n  \(us)\n"]]) == nil, "a URI may have white space around it")
        var sample = Sample()
        sample.conditions = Sample.conditions(audiences: [["https://other.example", us], [us]])
        #expect(try Sample.read(sample.signed()).audiences == ["https://other.example", us, us])
        #expect(try problem([]) == .missing(.audience))
        #expect(try problem([[]]) == .audience)
        #expect(try problem([["https://other.example"]]) == .audience)
        #expect(try problem([[us], ["https://other.example"]]) == .audience)
        for other in [us + "/", us.uppercased(), us + "?x", String(us.dropLast()), us + ".evil.example", ""] {
            #expect(try problem([[other]]) == .audience, "\(other)")
        }
        #expect(try Self.problem { $0.conditions = "" } == .missing(.conditions))
        #expect(try Self.problem { $0.conditions += $0.conditions } == .repeated(.conditions))
    }

    @Test("A condition that is not known is refused; one use and no proxies are granted")
    func conditions() throws {
        for (more, problem) in [
            ("<saml:OneTimeUse/>", nil), ("<saml:ProxyRestriction Count=\"0\"/>", nil),
            ("<saml:OneTimeUse/><saml:OneTimeUse/>", SAMLProblem.repeated(.conditions)),
            ("<saml:Condition/>", .unknownCondition),
            ("<x:Own xmlns:x=\"urn:x\"/>", .unknownCondition),
            (
                "<saml:Condition xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"saml:OneTimeUseType\"/>",
                .unknownCondition
            ),
        ] {
            #expect(try Self.problem { $0.conditions = Sample.conditions(more: more) } == problem, "\(more)")
        }
    }

    @Test("The bearer's confirmation names us, has an end and no beginning, and answers nobody")
    func confirmations() throws {
        func problem(_ confirmation: String) throws -> SAMLProblem? {
            try Self.problem { $0.confirmation = confirmation }
        }
        #expect(try problem(Sample.confirmation(recipient: nil)) == .recipient)
        #expect(try problem(Sample.confirmation(recipient: "https://other.example")) == .recipient)
        #expect(try problem(Sample.confirmation(recipient: Sample.audience + "/")) == .recipient)
        #expect(try problem(Sample.confirmation(until: nil)) == .time(.confirmation))
        #expect(try problem(Sample.confirmation(until: "2026-11-21T11:59:00Z")) == .expired(.confirmation))
        #expect(try problem(Sample.confirmation(more: " NotBefore=\"2026-11-21T11:00:00Z\"")) == .confirmationNotBefore)
        #expect(try problem(Sample.confirmation(more: " InResponseTo=\"_q\"")) == .inResponseTo)
        #expect(try problem(Sample.confirmation(more: " Address=\"192.0.2.1\"")) == nil)
        #expect(try problem("") == .missing(.bearerConfirmation))
        let holder = Sample.confirmation().replacingOccurrences(of: "cm:bearer", with: "cm:holder-of-key")
        #expect(try problem(holder) == .missing(.bearerConfirmation))
        #expect(try problem(holder + Sample.confirmation()) == nil)
        #expect(try problem(Sample.confirmation(recipient: "https://other.example") + Sample.confirmation()) == nil)
        var sample = Sample()
        sample.confirmation += Sample.confirmation(until: "2026-11-21T12:08:00Z")
        #expect(try Sample.read(sample.signed()).claimUntil == Sample.now + 540, "it could come again until then")
        let bare = "<saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"/>"
        #expect(try problem(bare) == .missing(.bearerConfirmation))
    }

    @Test("Somebody signed in there, not in the future, and the session has not ended")
    func statements() throws {
        func problem(_ statement: String) throws -> SAMLProblem? { try Self.problem { $0.statement = statement } }
        #expect(try problem("") == .missing(.authnStatement))
        #expect(try problem("<saml:AuthnStatement/>") == .time(.authnInstant))
        #expect(try problem("<saml:AuthnStatement AuthnInstant=\"2026-11-21T12:01:00Z\"/>") == nil)
        #expect(
            try problem("<saml:AuthnStatement AuthnInstant=\"2026-11-21T12:01:01Z\"/>") == .notYetValid(.authnInstant))
        let ended =
            "<saml:AuthnStatement AuthnInstant=\"2026-11-21T11:00:00Z\" SessionNotOnOrAfter=\"2026-11-21T12:00:00Z\"/>"
        #expect(try problem(ended) == .expired(.session))
        #expect(try problem(Sample().statement + ended) == .expired(.session))
    }

    @Test("A response must report success, be meant for us, and answer nobody")
    func responses() throws {
        let good = try Sample().signed()
        let head = #"Version="2.0" IssueInstant="2026-11-21T11:59:40Z""#
        func problem(_ more: String) throws -> SAMLProblem? {
            try Sample.problem(Sample.response(around: good, head: head + more))
        }
        #expect(try problem(" Destination=\"\(Sample.audience)\"") == nil)
        #expect(try problem(" Destination=\"https://other.example\"") == .destination)
        #expect(try problem(" InResponseTo=\"_q\"") == .responseInResponseTo)
        for status in [
            "urn:oasis:names:tc:SAML:2.0:status:Responder", "", "urn:oasis:names:tc:SAML:2.0:status:success",
        ] {
            #expect(try Sample.problem(Sample.response(around: good, status: status)) == .unsuccessful, "\(status)")
        }
        let silent = Sample.response(around: good).replacingOccurrences(of: "samlp:Status>", with: "samlp:Extensions>")
        #expect(try Sample.problem(silent) == .missing(.status))
        #expect(try Sample.problem(Sample.response(around: good, issuer: "https://other.example")) == .responseIssuer)
        #expect(try Sample.problem(Sample.response(around: good, head: "Version=\"2.0\"")) == .time(.response))
        #expect(try Sample.problem(Sample.response(around: good, head: head.replacing("2.0", with: "1.1"))) == .version)
        #expect(try Sample.problem(Sample.response(around: good, after: "<x/>")) == .misplaced(.unknown))
        #expect(try Sample.problem(Sample.response(around: "")) == .assertionCount(0))
    }
}
