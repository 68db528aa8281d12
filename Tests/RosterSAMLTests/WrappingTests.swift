import Foundation
import RosterSAML
import Testing

/// "On Breaking SAML" (Somorovsky et al., 2012): a signature stays valid over an element that nobody reads, and what is
/// read is signed by nobody.
@Suite("A signature cannot be moved around another assertion")
struct WrappingTests {
    /// A real, signed assertion about ada.
    let good: String
    /// The same text with its signature cut out.
    let bare: String
    /// The signature alone.
    let signature: String

    init() throws {
        good = try Sample().signed()
        let start = try #require(good.range(of: "<ds:Signature "))
        let end = try #require(good.range(of: "</ds:Signature>"))
        signature = String(good[start.lowerBound..<end.upperBound])
        bare = good.replacingOccurrences(of: signature, with: "")
    }

    /// An unsigned assertion about somebody else.
    func evil(id: String = "_evil", signature: String = "", more: String = "") -> String {
        var sample = Sample()
        sample.id = id
        sample.nameID = "<saml:NameID>admin</saml:NameID>"
        sample.signature = signature
        sample.more = more
        return sample.xml
    }

    func isRefused(_ xml: String, _ name: Comment) throws {
        for (xml, kind) in [(xml, "as it is"), (Sample.response(around: xml), "in a response")] {
            let problem = try Sample.problem(xml)
            #expect(problem != nil, "\(name) \(kind)")
            #expect(problem?.step == .form || problem?.step == .xml || problem?.step == .signature, "\(name) \(kind)")
        }
    }

    @Test("XSW1 and XSW2: a response that is signed beside or inside of another one")
    func responses() throws {
        let signed = try TestSigner.sign(
            Sample.response(around: Sample().xml, signature: Sample.template(for: "_r1")),
            with: .provider(TestProvider.rsa.get())
        ).removingDeclaration()
        let start = try #require(signed.range(of: "<ds:Signature "))
        let end = try #require(signed.range(of: "</ds:Signature>"))
        let outer = String(signed[start.lowerBound..<end.upperBound])
        let original = signed.replacingOccurrences(of: outer, with: "")
        for wrapped in [
            outer.replacingOccurrences(
                of: "</ds:Signature>", with: "<ds:Object>\(original)</ds:Object></ds:Signature>"),
            original + outer, outer + original,
        ] {
            let xml = Sample.response(around: evil(), id: "_evil_r", signature: wrapped)
            #expect(try Sample.problem(xml) != nil)
            let same = Sample.response(around: evil(id: "_a1b2c3"), signature: wrapped)
            #expect(try Sample.problem(same) != nil)
        }
    }

    @Test("XSW3: another assertion beside the signed one")
    func beside() throws {
        for id in ["_evil", "_a1b2c3"] {
            for pair in [evil(id: id) + good, good + evil(id: id)] {
                #expect(try Sample.problem(Sample.response(around: pair)) != nil)
            }
        }
        #expect(try Sample.problem(Sample.response(around: evil() + good)) == .assertionCount(2))
    }

    @Test("XSW4: the signed assertion within another one")
    func within() throws {
        try isRefused(evil(more: good), "XSW4")
        try isRefused(evil(signature: signature, more: bare), "XSW4 with the signature moved")
        try isRefused(evil(more: "<saml:Advice>\(good)</saml:Advice>"), "in the advice")
    }

    @Test("XSW5 and XSW6: a changed assertion with the signature, and the original elsewhere")
    func changed() throws {
        let changed = evil(id: "_evil", signature: signature)
        for pair in [changed + bare, bare + changed] {
            #expect(try Sample.problem(Sample.response(around: pair)) != nil)
        }
        let holding = signature.replacingOccurrences(of: "</ds:Signature>", with: "\(bare)</ds:Signature>")
        try isRefused(evil(signature: holding), "XSW6")
        try isRefused(evil(id: "_a1b2c3", signature: holding), "XSW6 with the same identifier")
    }

    @Test("XSW7: another assertion in the response's extensions")
    func extensions() throws {
        let more = "<samlp:Extensions>\(evil(id: "_a1b2c3"))</samlp:Extensions>"
        #expect(try Sample.problem(Sample.response(around: good, before: more)) != nil)
        let other = "<samlp:Extensions>\(evil())</samlp:Extensions>"
        #expect(try Sample.problem(Sample.response(around: good, before: other)) == .assertionCount(2))
        let moved = "<samlp:Extensions>\(good)</samlp:Extensions>"
        #expect(try Sample.problem(Sample.response(around: evil(), before: moved)) != nil)
        #expect(try Sample.problem(Sample.response(around: "", before: moved)) == .misplaced(.assertion))
    }

    @Test("XSW8: the original in an object of the signature")
    func objects() throws {
        let holding = signature.replacingOccurrences(
            of: "</ds:Signature>", with: "<ds:Object>\(bare)</ds:Object></ds:Signature>")
        try isRefused(evil(signature: holding), "XSW8")
        try isRefused(evil(id: "_a1b2c3", signature: holding), "XSW8 with the same identifier")
        let without = signature.replacingOccurrences(of: "</ds:Signature>", with: "<ds:Object/></ds:Signature>")
        #expect(try Sample.problem(good.changing(signature, to: without)) == .signatureForm(.parts))
    }

    @Test("An assertion of another namespace, or under another name, is none and hides none")
    func lookalikes() throws {
        let fake = evil().replacingOccurrences(of: "urn:oasis:names:tc:SAML:2.0:assertion", with: "urn:fake")
        #expect(try Sample.problem(Sample.response(around: fake + good)) == .assertionCount(2))
        #expect(try Sample.problem(fake) == .unexpectedRoot)
        #expect(try Sample.problem("<x>\(good)</x>") == .unexpectedRoot)
        let old = good.replacingOccurrences(of: "SAML:2.0:assertion", with: "SAML:1.0:assertion")
        #expect(try Sample.problem(old) == .unexpectedRoot)
        let nested = Sample.response(around: Sample.response(around: good, id: "_r2"))
        #expect(try Sample.problem(nested) == .misplaced(.assertion))
    }

    @Test("A signature in another place than its assertion signs nothing")
    func movedSignatures() throws {
        let inSubject = bare.replacingOccurrences(of: "</saml:Subject>", with: "\(signature)</saml:Subject>")
        #expect(try Sample.problem(inSubject) == .misplaced(.signature))
        let inResponse = Sample.response(around: bare, signature: signature)
        #expect(try Sample.problem(inResponse) == .unsigned)
        let twice = good.replacingOccurrences(of: "<saml:Subject>", with: "\(signature)<saml:Subject>")
        #expect(try Sample.problem(twice) == .repeated(.form))
    }

    @Test("A digest or a SignedInfo anywhere else is not looked at (CVE-2024-45409)")
    func smuggledDigests() throws {
        let attacker = try TestProvider.otherRSA.get()
        var sample = Sample()
        sample.nameID = "<saml:NameID>admin</saml:NameID>"
        let forged = try sample.signed(with: attacker)
        let info = try #require(forged.firstMatch(of: #/<ds:SignedInfo>.*<\/ds:SignedInfo>/#)).output
        let start = try #require(forged.range(of: "<ds:Signature "))
        let end = try #require(forged.range(of: "</ds:Signature>"))
        let mixed = forged.replacingCharacters(in: start.lowerBound..<end.upperBound, with: signature)
        let declared = info.replacing(
            "<ds:SignedInfo>", with: "<ds:SignedInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">")
        for place in ["<samlp:Extensions>", "<samlp:Status>"] {
            let response = try Sample.response(around: mixed, before: "<samlp:Extensions></samlp:Extensions>")
                .changing(place, to: place + declared)
            #expect(try Sample.problem(response) == .digestMismatch)
        }
        let within = mixed.replacingOccurrences(of: "<ds:SignatureValue>", with: "\(info)<ds:SignatureValue>")
        #expect(try Sample.problem(within) == .signatureForm(.parts))
        let inKeyInfo = mixed.replacingOccurrences(
            of: "</ds:SignatureValue>", with: "</ds:SignatureValue><ds:KeyInfo>\(info)</ds:KeyInfo>")
        #expect(try Sample.problem(inKeyInfo) == .digestMismatch)
    }

    @Test("Nothing that was signed can be changed, moved or left out")
    func tampering() throws {
        #expect(try Sample.problem(good.changing(">ada<", to: ">admin<")) == .digestMismatch)
        #expect(try Sample.problem(good.changing("staff", to: "root")) == .digestMismatch)
        #expect(try Sample.problem(good.changing("12:05:00Z", to: "12:55:00Z")) == .digestMismatch)
        #expect(try Sample.problem(good.changing("_a1b2c3", to: "_x")) == .signatureForm(.reference))
        let digest = try #require(good.firstMatch(of: #/<ds:DigestValue>(.*?)<\/ds:DigestValue>/#)).output.1
        for value in ["", "AAAA", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="] {
            let xml = good.replacingOccurrences(of: digest, with: value)
            #expect(try Sample.problem(xml)?.step == .signature, "a digest of nothing is not taken for one: \(value)")
        }
        let value = try #require(good.firstMatch(of: #/<ds:SignatureValue>([^<]*)</#)).output.1
        #expect(try Sample.problem(good.replacingOccurrences(of: value, with: ""))?.step == .signature)
        #expect(try Sample.problem(good.replacingOccurrences(of: value, with: "AAAA"))?.step == .signature)
    }
}
