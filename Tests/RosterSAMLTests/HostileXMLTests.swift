import Foundation
import RosterSAML
import Testing
import TestSupport

@Suite("XML that is made to hurt is refused, soon and small")
struct HostileXMLTests {
    static let good = Result { try Sample().signed() }

    @Test("A document type is refused, with or without entities")
    func documentTypes() throws {
        let good = try Self.good.get()
        let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        let blow = "<!ENTITY a \"\(String(repeating: "a", count: 50_000))\">"
        for type in [
            "<!DOCTYPE saml:Assertion>", "<!DOCTYPE r [<!ENTITY l0 \"ha\">\(laughs)]>", "<!DOCTYPE r [\(blow)]>",
            "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE r SYSTEM \"http://127.0.0.1:1/x.dtd\">",
            "<!DOCTYPE r [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/x\"> %p;]>",
            "<!DOCTYPE r [<!ATTLIST saml:Assertion Other ID #IMPLIED>]>", "<!doctype r>", "<!ELEMENT r ANY>",
        ] {
            #expect(try Sample.problem(type + good) == .documentType, "\(type.prefix(60))")
            #expect(try Sample.problem("<?xml version=\"1.0\"?>" + type + good) == .documentType, "\(type.prefix(60))")
        }
        let within = try good.changing("<saml:Subject>", to: "<!DOCTYPE r><saml:Subject>")
        #expect(try Sample.problem(within) == .documentType)
    }

    @Test("An entity that nobody declared is an error")
    func entities() throws {
        #expect(try Sample.problem(Self.good.get().changing(">ada<", to: ">&admin;<"))?.step == .xml)
        #expect(try Sample.problem(Self.good.get().changing(">ada<", to: ">&#0;<"))?.step == .xml)
    }

    @Test("Processing instructions are refused, wherever they stand")
    func instructions() throws {
        let good = try Self.good.get()
        for xml in [
            "<?x y?>" + good, good + "<?x y?>", try good.changing(">ada<", to: ">a<?x?>da<"),
            try good.changing(">ada<", to: "><?xml-stylesheet href=\"http://127.0.0.1:1/\"?>ada<"),
            " <?xml version=\"1.0\"?>" + good,
        ] { #expect(try Sample.problem(xml) == .processingInstruction) }
    }

    @Test("Another encoding, another version, and bytes that are no UTF-8 are refused")
    func encodings() throws {
        let good = try Self.good.get()
        for head in [
            "<?xml version=\"1.1\"?>", "<?xml version=\"1.0\" encoding=\"UTF-7\"?>",
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "<?xml encoding=\"UTF-8\"?>",
        ] { #expect(try Sample.problem(head + good) == .declaration, "\(head)") }
        let trust = try Sample.trust()
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            let text = try #require(good.data(using: encoding)).base64EncodedString()
            #expect(throws: SAMLProblem.notUTF8, "\(encoding)") {
                try SAMLAssertionReader(trust: trust).read(text, now: Sample.now)
            }
        }
        let latin = try #require(good.changing(">ada<", to: ">ad\u{E4}<").data(using: .isoLatin1))
        #expect(throws: SAMLProblem.notUTF8) {
            try SAMLAssertionReader(trust: trust).read(latin.base64EncodedString(), now: Sample.now)
        }
        #expect(try Sample.problem(good.changing(">ada<", to: ">ada\0<")) == .notUTF8)
    }

    @Test("Deep nesting, many elements, attributes and namespaces, and long names are refused")
    func sizes() throws {
        func inside(_ xml: String) throws -> String {
            try Self.good.get().changing("</saml:Subject>", to: xml + "</saml:Subject>")
        }
        func times(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
        for depth in [63, 200, 255, 2_000, 20_000] {
            let nested = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
            #expect(try Sample.problem(inside(nested))?.step == .xml, "\(depth) deep")
        }
        #expect(try Sample.problem(inside(times(9_000) { _ in "<a/>" })) == .tooComplex(.elements))
        #expect(try Sample.problem(inside("<a \(times(9_000) { "a\($0)='' " })/>")) == .tooComplex(.attributes))
        #expect(try Sample.problem(inside("<a \(times(9_000) { "a\($0) = \n'' " })/>")) == .tooComplex(.attributes))
        #expect(try Sample.problem(inside("<a \(times(65) { "a\($0)='' " })/>")) == .tooComplex(.attributes))
        #expect(try Sample.problem(inside("<a \(times(65) { "xmlns:a\($0)='urn:u' " })/>")) == .tooComplex(.namespaces))
        #expect(try Sample.problem(inside(times(2_100) { "<a xmlns='u\($0)'/>" })) == .tooComplex(.namespaces))
        let long = String(repeating: "n", count: 600)
        #expect(try Sample.problem(inside("<\(long)/>")) == .tooComplex(.names))
        #expect(try Sample.problem(inside("<a \(long)=''/>")) == .tooComplex(.names))
        #expect(try Sample.problem(inside("<a xmlns='\(long)'/>")) == .tooComplex(.names))
        #expect(try Sample.problem(inside("<a xmlns:\(long)='u'/>")) == .tooComplex(.names))
    }

    @Test("Identifiers are unique, whatever their case, and xml:id is refused")
    func identifiers() throws {
        let good = try Self.good.get()
        for attribute in ["ID", "Id", "id", "iD"] {
            let xml = try good.changing("<saml:Subject>", to: "<saml:Subject \(attribute)=\"_a1b2c3\">")
            #expect(try Sample.problem(xml) == .duplicateID, "\(attribute)")
        }
        let other = try good.changing("<ds:SignatureValue>", to: "<ds:SignatureValue Id=\"_a1b2c3\">")
        #expect(try Sample.problem(other) == .duplicateID)
        let reserved = try good.changing("<saml:Subject>", to: "<saml:Subject xml:id=\"_z\">")
        #expect(try Sample.problem(reserved) == .unexpectedNode)
        #expect(try Sample.problem(Sample.response(around: good, id: "_a1b2c3")) == .duplicateID)
        for id in ["", "1a", "a b", "a:b", "x')|//*[('1'='1", String(repeating: "a", count: 300)] {
            var sample = Sample()
            sample.id = id
            #expect(try Sample.problem(sample.xml) == .identifier, "\(id)")
        }
    }

    @Test("XML that is not well-formed is refused with the line, and none of the text")
    func malformed() throws {
        let good = try Self.good.get()
        for xml in [
            String(good.dropLast()), good + "<x/>", good + good,
            try good.changing("<saml:Subject>", to: "<saml:Subject a='1' a='2'>"),
            try good.changing("<saml:Subject>", to: "<other:Subject>"), "", "x", "<", "<a", "<a b='>",
            try good.changing(">ada<", to: ">]]><"), try good.changing("<saml:Subject>", to: "<saml:Subject><x:y/>"),
            try good.changing("<saml:Subject>", to: "<saml:Subject x:y=\"\">"),
            try good.changing("<saml:Subject>", to: "<saml:Subject xmlns:x=\"\">"),
            try good.changing(
                "<saml:Subject>", to: "<saml:Subject xmlns:a=\"urn:a\" xmlns:b=\"urn:a\" a:x=\"1\" b:x=\"2\">"),
            good.replacingOccurrences(of: "ds:Signature", with: "dz:Signature"),
        ] where !xml.isEmpty {
            let problem = try Sample.problem(xml)
            guard case .malformed = problem else {
                Issue.record("\(String(describing: problem)) for \(xml.suffix(40))")
                continue
            }
        }
    }

    @Test("What has no canonical form is refused: an empty one would be digested as nothing")
    func canonicalForms() throws {
        for namespace in ["relative/name", "1", "./x", "?x"] {
            let xml = try Self.good.get().changing(
                "<saml:Subject>", to: "<saml:Subject xmlns:x=\"\(namespace)\" x:y=\"\">")
            #expect(try Sample.problem(xml) == .canonicalization, "\(namespace)")
            let info = try Self.good.get().changing(
                "<ds:SignedInfo>", to: "<ds:SignedInfo xmlns:x=\"\(namespace)\" x:y=\"\">")
            #expect(try Sample.problem(info)?.step == .signature, "\(namespace)")
        }
    }

    @Test("What costs most takes less than 10 MB, and a second of the processor")
    func costs() async throws {
        // In a process of its own, whose memory no other test uses.
        await #expect(processExitsWith: .success) {
            let trust = try Sample.trust()
            var sample = Sample()
            // All sorts of markup just below the limits, in the part that is canonicalized before any signature is checked.
            let declarations = (0..<30).map { "xmlns:p\($0)='urn:\(String(repeating: "u", count: 460))\($0)'" }
            let elements = (0..<60).map { "<p\($0 % 30):b p\($0 % 30):c='\($0)'/>x" }.joined()
            let group = "<a \(declarations.joined(separator: " "))>\(elements)</a>"
            sample.more =
                "<saml:Advice>\(String(repeating: group, count: 40))\(String(repeating: "x", count: 330_000))</saml:Advice>"
            let big = try sample.signed()
            #expect(big.utf8.count < 1_048_576)
            let text = try Credential.gzip(Array(big.utf8)).base64EncodedString()
            let reader = SAMLAssertionReader(trust: trust)
            _ = try? reader.read(Data(try HostileXMLTests.good.get().utf8).base64EncodedString(), now: Sample.now)
            var elapsed = Duration.zero
            let grown = try Credential.memoryGrowth {
                elapsed = try processorTime { _ = try reader.read(text, now: Sample.now) }
            }
            #expect(elapsed < .seconds(1), "\(elapsed)")
            #expect(grown < 10_000_000, "\(grown) bytes")
        }
    }
}
