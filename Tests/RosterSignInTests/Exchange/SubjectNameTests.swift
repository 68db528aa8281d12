import Foundation
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Certificates are found by their subjects' names, however they are written")
struct SubjectNameTests {
    /// The subject, as `-subj` takes it, in a certificate, and what finds it or does not.
    private func expect(_ subject: String, found: [String] = [], missed: [String] = []) async throws {
        try await IssuerPlace.with(subject: nil) { place in
            try place.certify(subject, more: ["-multivalue-rdn", "-days", "3650"])
            let trust = IssuerTrust(
                .init(document: place.document, certificates: place.certificates),
                clock: { [clock = place.clock] in clock.now })
            for (names, count) in [(found, 1), (missed, 0)] {
                for name in names { #expect(await trust.certificates(of: [name]).count == count, "\(name)") }
            }
        }
    }

    @Test("The forms of RFC 4514, openssl and Java name the same subject, in either order")
    func forms() async throws {
        try await expect(
            "/C=DE/O=Acme, Inc./CN=x",
            found: [
                #"CN=x,O=Acme\, Inc.,C=DE"#, #"CN=x,O=Acme\2C Inc.,C=DE"#, #"C = DE, O = "Acme, Inc.", CN = x"#,
                #"CN=x, O="Acme, Inc.", C=DE"#, #"C=DE,O=Acme\, Inc.,CN=x"#, #"CN=x;O="Acme\, Inc." ;C=DE"#,
                #"cn=X,o=ACME\,   inc. , c=de"#, #"commonName=x,organizationName="Acme, Inc.",countryName=DE"#,
                #"2.5.4.3=x,OID.2.5.4.10="Acme, Inc.",oid.2.5.4.6=DE"#, #"CN=\78,O=Acme\2c\20Inc.,C=DE"#,
                #"CN=#0C0178,O="Acme, Inc.",C=#13024445"#,
            ],
            missed: [
                "CN=x", #"CN=x,O=Acme\, Inc."#, #"O=Acme\, Inc.,C=DE"#, "CN=x,O=Acme, Inc.,C=DE", "C=DE", "",
                #"CN=x,O=Acme\, Inc.,C=DE,OU=y"#, #"CN=xy,O=Acme\, Inc.,C=DE"#, #"CN=x,O=AcmeInc.,C=DE"#,
                #"O=Acme\, Inc.,CN=x,C=DE"#, #"CN=x+O=Acme\, Inc.,C=DE"#, #"OU=x,O=Acme\, Inc.,C=DE"#,
                #"CN=x,O="Acme, Inc.,C=DE"#, #"CN=x,O="Acme, Inc."y,C=DE"#, #"CN=x,O=Acme\, Inc.,C=DE,"#,
                #"CN=x,O=Acme\, Inc.,C=DE\"#, #"CN=#0C01,O=Acme\, Inc.,C=DE"#, #"CN=x,O=Acme\, Inc.,nosuch=DE"#,
                "x", "=", "CN", "CN=x=", "CN=#0500", "CN=#",
            ])
    }

    @Test("Rare attributes have their usual names, and those that stand together have no order")
    func attributes() async throws {
        try await expect(
            "/DC=com/DC=example/OU=A+CN=Bö \"q\"/emailAddress=a@b.c/UID=u/ST=Bayern/2.5.4.97=VAT-1",
            found: [
                // Each as `openssl x509 -nameopt` and Java's X500Principal write it.
                #"DC = com, DC = example, OU = A + CN = B\C3\B6 \"q\", emailAddress = a@b.c, UID = u, ST = Bayern, organizationIdentifier = VAT-1"#,
                #"organizationIdentifier=VAT-1,ST=Bayern,UID=u,emailAddress=a@b.c,CN=Bö \"q\"+OU=A,DC=example,DC=com"#,
                #"OID.2.5.4.97=VAT-1, ST=Bayern, UID=u, EMAILADDRESS=a@b.c, CN="Bö \"q\"" + OU=A, DC=example, DC=com"#,
                #"2.5.4.97=#0C055641542D31,S=BAYERN,userId=U,E=A@B.C,OU=a+CN=BO\CC\88 \"Q\",dc=EXAMPLE,domainComponent=COM"#,
            ],
            missed: [
                #"organizationIdentifier=VAT-1,ST=Bayern,UID=u,emailAddress=a@b.c,CN=Bö \"q\",OU=A,DC=example,DC=com"#,
                #"organizationIdentifier=VAT-1,ST=Bayern,UID=u,emailAddress=a@b.c,CN=Bö \"q\"+OU=A,DC=com,DC=example"#,
            ])
    }

    @Test("A name in the document that can name no certificate is told")
    func notes() throws {
        let names = try IssuerDocuments.read([
            "issuers": [IssuerDocuments.issuer(["certificateSubjectNames": ["CN=a", "idp.example.com"]])],
            "samlIssuers": [IssuerDocuments.issuer(["issuerName": "s", "certificateSubjectNames": ["CN=a,"]])],
        ])
        #expect(names.notes.count == 2)
        #expect(names.notes.first?.hasPrefix("issuers[0].certificateSubjectNames[1]: ") == true)
        #expect(names.notes.last?.hasPrefix("samlIssuers[0].certificateSubjectNames[0]: ") == true)
    }
}
