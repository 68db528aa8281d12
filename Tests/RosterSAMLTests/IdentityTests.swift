import Foundation
import RosterSAML
import Testing

@Suite("Nobody is mistaken for somebody else")
struct IdentityTests {
    static func read(nameID: String) throws -> SAMLAssertion {
        var sample = Sample()
        sample.nameID = nameID
        return try Sample.read(sample.signed())
    }

    static func problem(_ change: (inout Sample) -> Void) throws -> SAMLProblem? {
        var sample = Sample()
        change(&sample)
        return try Sample.problem(sample.signed())
    }

    @Test("A comment in a name does not cut it off, whether it was there before or after signing")
    func comments() throws {
        let name = "<saml:NameID>admin<!-- x -->.evil<!---->@example.com</saml:NameID>"
        #expect(try Self.read(nameID: name).subject?.name == "admin.evil@example.com")
        let signed = try Sample().signed()
        #expect(try Sample.read(signed.changing(">ada<", to: ">a<!-- -->da<")).subject?.name == "ada")
        let values = try signed.changing(">staff<", to: ">st<!---->aff<")
        #expect(try Sample.read(values).attributes["groups"] == ["staff", "admins"])
        let issuer = try signed.changing("idp.example/metadata<", to: "idp.example<!-- -->/metadata<")
        #expect(try Sample.read(issuer).issuer == Sample.issuer)
    }

    @Test("CDATA and character references are the text that they stand for")
    func references() throws {
        #expect(try Self.read(nameID: "<saml:NameID>a<![CDATA[<&]]>&amp;&#98;</saml:NameID>").subject?.name == "a<&&b")
    }

    @Test("A name with white space around it, control characters, elements or nothing in it is refused")
    func names() throws {
        for text in [" ada", "ada ", "\nada\n", "a&#9;da", "ada&#x85;", "&#xA0;ada", "ada&#x2028;"] {
            #expect(try Self.problem { $0.nameID = "<saml:NameID>\(text)</saml:NameID>" } == .nameID, "\(text)")
        }
        for text in ["", "<saml:NameID>ada</saml:NameID>", "ada<b/>", "<!-- ada -->"] {
            #expect(
                try Self.problem { $0.nameID = "<saml:NameID>\(text)</saml:NameID>" } == .missing(.nameID), "\(text)")
        }
        #expect(try Self.problem { $0.nameID += $0.nameID } == .repeated(.subject))
        #expect(try Self.problem { $0.nameID = "<saml:BaseID>ada</saml:BaseID>" } == .missing(.nameID))
        #expect(try Self.problem { $0.nameID = "<NameID>ada</NameID>" } == .missing(.nameID), "another namespace's")
    }

    @Test("A subject without any name is nobody, not an error; a name of another kind is not passed over")
    func noName() throws {
        #expect(try Self.read(nameID: "").subject == nil)
        #expect(try Self.read(nameID: " <!-- x --> \n").subject == nil)
        for other in ["<saml:BaseID/>", "<x/>", "<saml:NameID/>", "<SubjectConfirmation/>"] {
            #expect(try Self.problem { $0.nameID = other } == .missing(.nameID), "\(other)")
        }
    }

    @Test("A name is transient where the provider says so, in these very bytes")
    func transient() throws {
        let format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
        for (format, isTransient) in [
            (format, true), (format + " ", false), (format.uppercased(), false),
            ("urn:oasis:names:tc:SAML:2.0:nameid-format:persistent", false),
        ] {
            let subject = try Self.read(nameID: "<saml:NameID Format=\"\(format)\">_1</saml:NameID>").subject
            #expect(subject?.isTransient == isTransient, "\(format)")
        }
        #expect(try Self.read(nameID: "<saml:NameID>_1</saml:NameID>").subject?.isTransient == false)
    }

    @Test("Whatever is encrypted is refused for what it is")
    func encrypted() throws {
        let assertion = "<saml:EncryptedAssertion \(Sample.names)><x/></saml:EncryptedAssertion>"
        #expect(try Sample.problem(assertion) == .encrypted)
        #expect(try Sample.problem(Sample.response(around: assertion)) == .encrypted)
        #expect(try Sample.problem(Sample.response(around: Sample().signed() + assertion)) == .encrypted)
        #expect(try Self.problem { $0.nameID = "<saml:EncryptedID/>" } == .encrypted)
        #expect(
            try Self.problem {
                $0.attributes = "<saml:AttributeStatement><saml:EncryptedAttribute/></saml:AttributeStatement>"
            } == .encrypted)
    }

    @Test("The issuer is there once, is an entity, and is the one whose name is pinned, byte for byte")
    func issuers() throws {
        #expect(try Self.problem { $0.issuerElement = "" } == .missing(.issuer))
        #expect(try Self.problem { $0.issuerElement += $0.issuerElement } == .repeated(.form))
        #expect(
            try Self.problem { $0.issuerElement = "<saml:Issuer>\(Sample.issuer) </saml:Issuer>" } == .unknownIssuer)
        #expect(
            try Self.problem { $0.issuerElement = "<saml:Issuer>\(Sample.issuer.uppercased())</saml:Issuer>" }
                == .unknownIssuer)
        let format = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
        let element = "<saml:Issuer Format=\"\(format)\">\(Sample.issuer)</saml:Issuer>"
        #expect(try Self.problem { $0.issuerElement = element } == .issuerFormat)
        let composed = "https://\u{E9}.example"
        let trust = SAMLTrust(
            certificates: [composed: [try TestProvider.rsa.get().pinned]], audiences: [Sample.audience],
            recipients: [Sample.audience])
        var sample = Sample()
        sample.issuerElement = "<saml:Issuer>https://e\u{301}.example</saml:Issuer>"
        #expect(try Sample.problem(sample.signed(), trust: trust) == .unknownIssuer, "Swift takes the two for equal")
        let none = SAMLTrust(certificates: [Sample.issuer: []], audiences: [], recipients: [])
        #expect(try Sample.problem(Sample().signed(), trust: none) == .unknownIssuer)
    }

    @Test("Attributes of one name are put together, and values that are no text are left out")
    func attributes() throws {
        var sample = Sample()
        sample.attributes = """
            <saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue>1</saml:AttributeValue></saml:Attribute>
            <saml:Attribute Name="a" NameFormat="urn:x"><saml:AttributeValue> 2 </saml:AttributeValue>
            <saml:AttributeValue><saml:NameID>no text</saml:NameID></saml:AttributeValue>
            <saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>
            <saml:AttributeValue/></saml:Attribute><saml:Attribute Name="none"/></saml:AttributeStatement>
            <saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue>3</saml:AttributeValue></saml:Attribute>
            </saml:AttributeStatement>
            """
        #expect(try Sample.read(sample.signed()).attributes == ["a": ["1", " 2 ", "", "3"], "none": []])
        for bad in [
            "<saml:Attribute/>", "<saml:Attribute Name=\"\"/>", "<x/>",
            "<saml:Attribute Name=\"a\"><x/></saml:Attribute>",
        ] {
            sample.attributes = "<saml:AttributeStatement>\(bad)</saml:AttributeStatement>"
            #expect(try Sample.problem(sample.signed()) == .attribute, "\(bad)")
        }
    }

    @Test("An element that SAML does not have in an assertion is refused, and another version")
    func parts() throws {
        #expect(try Self.problem { $0.more = "<x/>" } == .misplaced(.unknown))
        #expect(try Self.problem { $0.more = "<Subject/>" } == .misplaced(.unknown))
        #expect(try Self.problem { $0.more = "<saml:Subject/>" } == .repeated(.subject))
        #expect(try Self.problem { $0.more = "<saml:Statement/>" } == .misplaced(.unknown))
        #expect(try Self.problem { $0.more = "<saml:Advice><x/></saml:Advice>" } == nil)
        #expect(try Self.problem { $0.head = $0.head.replacing("2.0", with: "2.1") } == .version)
        #expect(try Self.problem { $0.head = "Version=\"2.0\"" } == .time(.issueInstant))
    }

    @Test("Every problem says in which step it was found, and what to do")
    func texts() throws {
        var problems: [SAMLProblem] = [
            .noText, .textTooLong(maximumBytes: 1), .notBase64, .tooLarge(maximumBytes: 1), .damagedCompression,
            .notUTF8,
            .declaration, .documentType, .processingInstruction, .malformed(line: 1, code: 1), .unexpectedNode,
            .duplicateID,
            .unexpectedRoot, .encrypted, .assertionCount(2), .repeated(.form), .version, .identifier, .unsigned,
            .signatureAlgorithm,
            .digestAlgorithm, .issuerFormat, .responseIssuer, .unknownIssuer, .certificateExpired, .digestMismatch,
            .signatureMismatch, .keyMismatch, .canonicalization, .unsuccessful, .destination, .inResponseTo,
            .responseInResponseTo, .attribute, .nameID,
            .recipient,
            .confirmationNotBefore, .audience, .unknownCondition, .used, .libraryFailure,
        ]
        problems += SAMLProblem.Measure.allCases.map { .tooComplex($0) }
        problems += SAMLProblem.Misplaced.allCases.map { .misplaced($0) }
        problems += SAMLProblem.Missing.allCases.map { .missing($0) }
        problems += SAMLProblem.Form.allCases.map { .signatureForm($0) }
        problems += SAMLProblem.Limit.allCases.flatMap { [.time($0), .notYetValid($0), .expired($0)] }
        #expect(Set(problems.map(\.step)) == Set(SAMLProblem.Step.allCases))
        for problem in problems {
            #expect(problem.message.hasSuffix(".") && problem.advice.hasSuffix("."), "\(problem)")
            #expect(problem.description == problem.message + " " + problem.advice)
            #expect(problem.errorDescription == problem.description)
        }
        let certificates: [SAMLCertificateProblem] = [.notCertificate, .weakKey(bits: 1), .unsupportedKey]
        for problem in certificates { #expect(problem.errorDescription == problem.message + " " + problem.advice) }
    }
}
