import Foundation
import RosterSAML
import Testing

@Suite("Only the pinned certificate signs, with good algorithms, in one form")
struct SignatureTests {
    static func problem(template: String, with key: TestSigner.Key? = nil) throws -> SAMLProblem? {
        var sample = Sample()
        sample.signature = template
        let xml = try TestSigner.sign(sample.xml, with: key ?? .provider(TestProvider.rsa.get()))
        return try Sample.problem(xml)
    }

    @Test("An assertion without a signature is refused, in a signed response too")
    func unsigned() throws {
        var sample = Sample()
        sample.signature = nil
        #expect(try Sample.problem(sample.xml) == .unsigned)
        #expect(try Sample.problem(Sample.response(around: sample.xml)) == .unsigned)
        let response = Sample.response(around: sample.xml, signature: Sample.template(for: "_r1"))
        let signed = try TestSigner.sign(response, with: .provider(TestProvider.rsa.get()))
        #expect(try Sample.problem(signed) == .unsigned)
    }

    @Test("A response's own signature need not be there, and must be right where it is")
    func responseSignature() throws {
        var sample = Sample()
        sample.nameID = "<saml:NameID>grace</saml:NameID>"
        let inner = try sample.signed()
        let signed = try TestSigner.sign(
            Sample.response(around: Sample().xml, signature: Sample.template(for: "_r1")),
            with: .provider(TestProvider.rsa.get()))
        #expect(try Sample.problem(signed) == nil)
        #expect(try Sample.problem(signed.changing("11:59:40Z", to: "11:59:41Z")) == .digestMismatch)
        let start = try #require(signed.range(of: "<ds:Signature "))
        let end = try #require(signed.range(of: "</ds:Signature>"))
        let moved = Sample.response(around: inner, signature: String(signed[start.lowerBound..<end.upperBound]))
        #expect(
            try Sample.problem(moved) == .digestMismatch, "what is within is another assertion of the same provider")
    }

    @Test("SHA-1, RSA with PKCS #1 and MD5, DSA and HMAC sign nothing, though they are computed right")
    func algorithms() throws {
        let (old, more) = ("http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2001/04/xmldsig-more#")
        #expect(
            try Self.problem(template: Sample.template(for: "_a1b2c3", method: old + "rsa-sha1")) == .signatureAlgorithm
        )
        #expect(try Self.problem(template: Sample.template(for: "_a1b2c3", digest: old + "sha1")) == .digestAlgorithm)
        #expect(
            try Self.problem(template: Sample.template(for: "_a1b2c3", digest: more + "sha224")) == .digestAlgorithm)
        let certificate = try TestProvider.rsa.get().certificate
        for method in [old + "hmac-sha1", more + "hmac-sha256", more + "hmac-sha512"] {
            let template = Sample.template(for: "_a1b2c3", method: method)
            #expect(
                try Self.problem(template: template, with: .shared(certificate)) == .signatureAlgorithm, "\(method)")
        }
    }

    @Test("An algorithm's name cannot be swapped for another one's")
    func swapped() throws {
        let xml = try Sample().signed()
        let more = "http://www.w3.org/2001/04/xmldsig-more#"
        for method in ["rsa-sha512", "ecdsa-sha256"] {
            let changed = try xml.changing(more + "rsa-sha256", to: more + method)
            #expect(try Sample.problem(changed)?.step == .signature, "\(method)")
        }
        for method in ["hmac-sha256", "rsa-md5", "none", ""] {
            let changed = try xml.changing(more + "rsa-sha256", to: more + method)
            #expect(try Sample.problem(changed) == .signatureAlgorithm, "\(method)")
        }
        let pss = try xml.changing(more + "rsa-sha256", to: "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1")
        #expect(try Sample.problem(pss) != nil)
    }

    @Test("An ECDSA signature of zeros, or of another length, is none")
    func zeros() throws {
        let curve = try TestProvider.curve.get()
        var sample = Sample()
        sample.signature = Sample.template(
            for: sample.id, method: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256")
        let xml = try sample.signed(with: curve)
        let value = try #require(xml.firstMatch(of: #/<ds:SignatureValue>([^<]*)</#)).output.1
        for count in [0, 1, 63, 64, 65, 128, 4_096] {
            let other = xml.replacingOccurrences(of: value, with: Data(count: count).base64EncodedString())
            #expect(try Sample.problem(other, trust: Sample.trust([curve.pinned]))?.step == .signature, "\(count)")
        }
    }

    @Test("A key that the document brings along is not looked at")
    func keyInfo() throws {
        let attacker = try TestProvider.otherRSA.get()
        let pem = String(decoding: attacker.certificate, as: UTF8.self)
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let info =
            "<ds:KeyInfo><ds:X509Data><ds:X509Certificate>\(base64)</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
        var sample = Sample()
        sample.signature = Sample.template(for: sample.id, more: info)
        #expect(try Sample.problem(sample.signed(with: attacker)) == .signatureMismatch)
        sample.signature = Sample.template(for: sample.id)
        let good = try sample.signed()
        let strange = good.replacingOccurrences(
            of: "</ds:SignatureValue>",
            with:
                "</ds:SignatureValue><ds:KeyInfo><ds:KeyName>other</ds:KeyName><ds:RetrievalMethod URI=\"file:///etc/passwd\"/></ds:KeyInfo>"
        )
        #expect(try Sample.problem(strange) == nil, "it is no part of what is signed, and leads nowhere")
    }

    @Test("Another provider's key signs nothing for this one")
    func otherProvider() throws {
        let other = try TestProvider.otherRSA.get()
        let trust = SAMLTrust(
            certificates: [
                Sample.issuer: [try TestProvider.rsa.get().pinned], "https://other.example": [try other.pinned],
            ], audiences: [Sample.audience], recipients: [Sample.audience])
        #expect(try Sample.problem(Sample().signed(with: other), trust: trust) == .signatureMismatch)
        var sample = Sample()
        sample.issuerElement = "<saml:Issuer>https://other.example</saml:Issuer>"
        #expect(try Sample.read(sample.signed(with: other), trust: trust).issuer == "https://other.example")
        #expect(try Sample.problem(sample.signed(), trust: trust) == .signatureMismatch)
        let mixed = Sample.response(around: try sample.signed(with: other))
        #expect(try Sample.problem(mixed, trust: trust) == .responseIssuer)
        sample.issuerElement = "<saml:Issuer>https://unknown.example</saml:Issuer>"
        #expect(try Sample.problem(sample.signed(), trust: trust) == .unknownIssuer)
    }

    @Test("A certificate counts within its dates only")
    func dates() throws {
        let provider = try TestProvider(.curve("P-256"), notBefore: Sample.now - 20, notAfter: Sample.now + 20)
        var sample = Sample()
        sample.signature = Sample.template(
            for: sample.id, method: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256")
        let (xml, trust) = (try sample.signed(with: provider), try Sample.trust([provider.pinned]))
        for seconds in [-20.0, 0, 20] {
            #expect(try Sample.problem(xml, trust: trust, now: Sample.now + seconds) == nil, "\(seconds)")
        }
        #expect(try Sample.problem(xml, trust: trust, now: Sample.now - 21) == .certificateExpired)
        #expect(try Sample.problem(xml, trust: trust, now: Sample.now + 21) == .certificateExpired)
    }

    @Test("Certificates are taken in PEM and DER, and short keys and other files not")
    func certificates() throws {
        let provider = try TestProvider.rsa.get()
        let pinned = try provider.pinned
        #expect(pinned.subject == "CN=idp.example,O=Example\\, Ltd")
        #expect(pinned.notBefore == Sample.now - 86_400 && pinned.notAfter == Sample.now + 86_400)
        let text = String(decoding: provider.certificate, as: UTF8.self)
        let der = try #require(Data(base64Encoded: text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
        #expect(try SAMLCertificate(Array(der)) == pinned)
        #expect(throws: SAMLCertificateProblem.notCertificate) { try SAMLCertificate(Array(der) + [0]) }
        #expect(throws: SAMLCertificateProblem.notCertificate) { try SAMLCertificate(Array(der.dropLast())) }
        #expect(throws: SAMLCertificateProblem.notCertificate) { try SAMLCertificate(provider.privateKey) }
        #expect(throws: SAMLCertificateProblem.notCertificate) { try SAMLCertificate([]) }
        #expect(throws: SAMLCertificateProblem.weakKey(bits: 1_024)) { try TestProvider(.rsa(bits: 1_024)).pinned }
        #expect(throws: SAMLCertificateProblem.weakKey(bits: 192)) { try TestProvider(.curve("P-192")).pinned }
    }

    @Test("Other canonicalizations and transforms are refused, though they are computed right")
    func transforms() throws {
        let (enveloped, exclusive) = (
            "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"
        )
        let inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
        for steps in [
            [enveloped], [enveloped, inclusive], [enveloped, exclusive + "WithComments"],
            [enveloped, exclusive, exclusive],
        ] {
            let template = Sample.template(for: "_a1b2c3", transforms: steps)
            #expect(try Self.problem(template: template) == .signatureForm(.transforms), "\(steps)")
        }
        for method in [inclusive, exclusive + "WithComments"] {
            let template = Sample.template(for: "_a1b2c3", canonical: method)
            #expect(try Self.problem(template: template) == .signatureForm(.transforms), "\(method)")
        }
        let good = try Sample().signed()
        for step in [
            "http://www.w3.org/TR/1999/REC-xslt-19991116", "http://www.w3.org/TR/1999/REC-xpath-19991116",
            "http://www.w3.org/2002/06/xmldsig-filter2", "http://www.w3.org/2000/09/xmldsig#base64",
        ] {
            let changed = try good.changing(
                "<ds:Transform Algorithm=\"\(exclusive)", to: "<ds:Transform Algorithm=\"\(step)")
            #expect(try Sample.problem(changed) == .signatureForm(.transforms), "\(step)")
        }
    }

    @Test("A reference leads to the assertion that it stands in, and nowhere else")
    func references() throws {
        let good = try Sample().signed()
        for uri in [
            "", "#", "_a1b2c3", "#_A1B2C3", "#xpointer(/)", "#xpointer(id('_a1b2c3'))", "file:///etc/passwd",
            "http://127.0.0.1:1/#_a1b2c3", "#_a1b2c3 ", "#_a1b2c%33",
        ] {
            let changed = try good.changing("URI=\"#_a1b2c3\"", to: "URI=\"\(uri)\"")
            #expect(try Sample.problem(changed) == .signatureForm(.reference), "\(uri)")
        }
        let none = try good.changing(" URI=\"#_a1b2c3\"", to: "")
        #expect(try Sample.problem(none) == .signatureForm(.reference))
        let reference = try #require(good.firstMatch(of: #/<ds:Reference.*<\/ds:Reference>/#)).output
        let twice = good.replacingOccurrences(of: reference, with: reference + reference)
        #expect(try Sample.problem(twice) == .signatureForm(.references))
        #expect(try Sample.problem(good.replacingOccurrences(of: reference, with: "")) == .signatureForm(.parts))
    }

    @Test("A comment in a signature, a second SignedInfo or a second value, is refused")
    func parts() throws {
        let good = try Sample().signed()
        let digest = try #require(good.firstMatch(of: #/<ds:DigestValue>(.{10})/#)).output
        let commented = try good.changing(String(digest.0), to: "<ds:DigestValue><!--AAAA-->\(digest.1)")
        #expect(try Sample.problem(commented) == .signatureForm(.comment))
        let info = try #require(good.firstMatch(of: #/<ds:SignedInfo>.*<\/ds:SignedInfo>/#)).output
        #expect(try Sample.problem(good.changing(String(info), to: String(info + info))) == .signatureForm(.parts))
        let extra = try good.changing("</ds:Reference>", to: "</ds:Reference><x/>")
        #expect(try Sample.problem(extra) == .signatureForm(.parts))
        let second = try good.changing("</ds:DigestValue>", to: "</ds:DigestValue><ds:DigestValue/>")
        #expect(try Sample.problem(second) == .signatureForm(.parts))
        let truncated = try good.changing(
            "xmldsig-more#rsa-sha256\"/>",
            to: "xmldsig-more#rsa-sha256\"><ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>")
        #expect(try Sample.problem(truncated) == .signatureAlgorithm)
    }

    @Test("Inclusive prefixes are used where a provider lists them")
    func prefixes() throws {
        let list =
            "<ec:InclusiveNamespaces xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"xs saml\"/>"
        var sample = Sample()
        sample.signature = try Sample.template(for: sample.id).changing(
            "xml-exc-c14n#\"/></ds:Transforms>", to: "xml-exc-c14n#\">\(list)</ds:Transform></ds:Transforms>")
        let response = Sample.response(around: sample.xml)
            .replacingOccurrences(
                of: "<samlp:Response ", with: "<samlp:Response xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" ")
        let signed = try TestSigner.sign(response, with: .provider(TestProvider.rsa.get()))
        #expect(try Sample.problem(signed) == nil)
        #expect(try Sample.problem(signed.changing("2001/XMLSchema", to: "2001/XMLOther")) == .digestMismatch)
        let many = try signed.changing(
            "PrefixList=\"xs saml\"", to: "PrefixList=\"\(String(repeating: "a ", count: 40))b\"")
        #expect(try Sample.problem(many) == .signatureForm(.transforms))
    }
}
