import Foundation
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What an administrator is told of a SAML assertion, and nobody else", .timeLimit(.minutes(2)))
struct SAMLExplanationTests {
    /// Why an assertion is refused, as an administrator is told and as the change feed has it.
    private func refusal(
        _ text: String, _ issuers: JSONValue, certificates: [Party]
    ) async throws -> (told: String, logged: String) {
        try await withFolder { folder in
            let document = folder.appendingPathComponent("issuers.json")
            try Data((["issuers": [], "samlIssuers": issuers] as JSONValue).bytes).write(to: document)
            for party in certificates {
                try party.certificate.write(to: folder.appendingPathComponent(party.name + ".pem"))
            }
            var told: [String] = []
            for explains in [true, false] {
                let checker = ExternalTokenChecker(
                    IssuerTrust(.init(document: document, certificates: folder)), baseURL: TrustingService.base,
                    explains: explains)
                let backend = ExchangingBackend(name: "a", version: "1.0", clientID: "a")
                let report = await checker.check(saml: text, for: backend)
                told.append(try #require(report.refusal).explanation)
            }
            return (told[0], told[1])
        }
    }

    @Test("What was found and what was expected: issuer, certificate, audience, recipient, times")
    func found() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let known: JSONValue = [TrustingService.issuer(one, ["virtualUserEnabled": true])]
        func told(_ change: (inout Assertion) -> Void) async throws -> String {
            var assertion = Assertion(issuer: one.issuer)
            change(&assertion)
            let (told, logged) = try await refusal(try assertion.signed(by: one), known, certificates: [one, two])
            #expect(!logged.contains("example") && !logged.contains("now is"), "\(logged)")
            return told
        }
        let audience = try await told { $0.audience = "https://other.example" }
        #expect(audience.contains("It names \"https://other.example\"; one of these was expected: "))
        #expect(audience.contains("\"\(Assertion.endpoint)\""))
        let recipient = try await told { $0.recipient = "https://other.example/saml" }
        #expect(recipient.contains("It names \"https://other.example/saml\"; one of these was expected: "))
        #expect(recipient.contains("\"\(TrustingService.base)/mobile/platform/sso/redirect\""))
        let ended = try await told { $0.lifetime = -600 }
        #expect(ended.contains("SubjectConfirmationData's NotOnOrAfter is \"20") && ended.contains("; now is 20"))
        let unknown = try await told { $0.issuer = "https://nobody.example" }
        #expect(unknown.contains("\"https://nobody.example\"") && unknown.contains("these are \"\(one.issuer)\"."))
        let answer = try Assertion(issuer: one.issuer).response(to: "https://other.example/saml", signedBy: one)
        let destination = try await refusal(answer, known, certificates: [one])
        #expect(destination.told.contains("It names \"https://other.example/saml\""))
    }

    @Test("An issuer that is listed is known here, though it is switched off or has no certificate")
    func listed() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let text = try Assertion(issuer: one.issuer).signed(by: one)
        let without = try await refusal(text, [TrustingService.issuer(one)], certificates: [two]).told
        #expect(without.contains("No certificate of \"CN=\(one.name)\" is stored"))
        #expect(without.contains("The subjects there are: \"CN=\(two.name)\"."))
        let off = try await refusal(text, [TrustingService.issuer(one, ["enabled": false])], certificates: [one]).told
        #expect(off == "The issuer \"\(one.issuer)\" is switched off.")
    }

    @Test("XML that was not put into base64 is called so")
    func plain() async throws {
        let one = try Party.first.get()
        let text = try Assertion(issuer: one.issuer).signed(by: one)
        let xml = String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
        let told = try await refusal("\n" + xml, [TrustingService.issuer(one)], certificates: [one]).told
        #expect(told.hasPrefix("This is plain XML. Put it into base64"))
    }

    @Test("Who brings a token is told the same, whatever is wrong with it")
    func answers() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let saml: JSONValue = [
            TrustingService.issuer(one, ["virtualUserEnabled": true]), TrustingService.issuer(two, ["enabled": false]),
        ]
        try await TrustingService.running(issuers: [TrustingService.issuer(one)], saml: saml) { service in
            var brought = [
                try Assertion(issuer: two.issuer).signed(by: two), try Assertion(issuer: "https://x").signed(by: one),
                try Assertion(issuer: one.issuer, named: "").signed(by: one), "<saml/>", "e30.e30.", "a.b.c.d.e",
                try one.token(["iss": "https://x"]), try one.token(type: "logout+jwt"), try one.token(["exp": 1]),
            ]
            for (recipient, audience) in [("https://x", Assertion.endpoint), (Assertion.endpoint, "https://x")] {
                let assertion = Assertion(issuer: one.issuer, recipient: recipient, audience: audience)
                brought.append(try assertion.signed(by: one))
            }
            var answers: Set<String> = []
            for text in brought {
                let answer = await service.bring(text)
                answers.insert("\(answer.status) \(answer.text)")
            }
            #expect(answers.count == 1, "\(answers)")
        }
    }
}
