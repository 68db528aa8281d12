import Foundation
import RosterSAML
import Testing

@Suite("A signed assertion is read")
struct ReadingTests {
    @Test("Everything that it says is read from it")
    func whole() throws {
        let assertion = try Sample.read(Sample().signed())
        #expect(assertion.id == "_a1b2c3")
        #expect(assertion.issuer == Sample.issuer)
        #expect(assertion.subject?.name == "ada")
        #expect(assertion.subject?.format == "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified")
        #expect(assertion.attributes == ["groups": ["staff", "admins"]])
        #expect(assertion.authnInstant == Sample.now - 120)
        #expect(assertion.sessionNotOnOrAfter == Sample.now + 28_800.5)
        #expect(assertion.notBefore == Sample.now - 60)
        #expect(assertion.notOnOrAfter == Sample.now + 300, "the earliest of all ends")
        #expect(assertion.claimUntil == Sample.now + 360)
    }

    @Test("A response with it is read, signed itself or not")
    func responses() throws {
        let plain = Sample.response(around: try Sample().signed())
        #expect(try Sample.read(plain).subject?.name == "ada")
        #expect(try Sample.problem(Sample.response(around: Sample().signed(), issuer: nil)) == nil)
        let both = try TestSigner.sign(
            Sample.response(around: Sample().xml, signature: Sample.template(for: "_r1")),
            with: .provider(TestProvider.rsa.get()))
        #expect(try Sample.read(both).subject?.name == "ada")
    }

    @Test("An XML declaration, white space and a byte order mark may stand before it")
    func declaration() throws {
        let xml = try Sample().signed()
        for head in ["<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8'?>\n", "\u{FEFF}", "\n"] {
            #expect(try Sample.problem(head + xml) == nil, "\(head)")
        }
        #expect(try Sample.problem("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>" + xml) == nil)
    }

    @Test("What ECDSA and longer digests have signed is read")
    func algorithms() throws {
        let more = "http://www.w3.org/2001/04/xmldsig-more#"
        for bits in ["256", "384", "512"] {
            let digest = bits == "384" ? more + "sha384" : "http://www.w3.org/2001/04/xmlenc#sha" + bits
            var sample = Sample()
            sample.signature = Sample.template(for: sample.id, method: more + "rsa-sha" + bits, digest: digest)
            #expect(try Sample.problem(sample.signed()) == nil, "\(bits)")
            sample.signature = Sample.template(for: sample.id, method: more + "ecdsa-sha" + bits, digest: digest)
            let curve = try TestProvider.curve.get()
            #expect(
                try Sample.problem(sample.signed(with: curve), trust: Sample.trust([curve.pinned])) == nil, "\(bits)")
        }
    }

    @Test("One of several pinned certificates is enough, whichever it is")
    func rollover() throws {
        let (old, new) = (try TestProvider.rsa.get().pinned, try TestProvider.otherRSA.get())
        let xml = try Sample().signed(with: new)
        #expect(try Sample.problem(xml, trust: Sample.trust([old, new.pinned])) == nil)
        #expect(try Sample.problem(xml, trust: Sample.trust([TestProvider.curve.get().pinned, new.pinned])) == nil)
        #expect(try Sample.problem(xml, trust: Sample.trust([old])) == .signatureMismatch)
    }
}
