/// What an assertion says, whoever has made it: nothing of it has been verified. Only to tell an administrator what was
/// wrong with it.
package struct SAMLOutline: Sendable, Hashable {
    /// Who claims to have made it.
    package let issuer: String
    /// The address that the response around it was meant for.
    package let destination: String?
    /// The addresses that it was confirmed to.
    package let recipients: [String]
    /// For whom it was made.
    package let audiences: [String]
    /// Its times as they stand in it, each with its name, in the order of the document.
    package let times: [Time]

    /// One of the times.
    package struct Time: Sendable, Hashable {
        /// The attribute, with the element that it stands in.
        package let name: String
        /// What stands there.
        package let text: String
    }

    /// Reads a credential as ``SAMLAssertionReader/read(_:now:)`` does, but verifies nothing.
    /// - Throws: ``SAMLProblem`` of one of the steps up to ``SAMLProblem/Step/form``.
    package init(_ text: String) throws(SAMLProblem) {
        self = try XMLSecurityLibrary.run { () throws(SAMLProblem) in
            let tree = try SAMLAssertionReader.parse(text)
            return SAMLOutline(try SAMLMessage(tree), in: tree)
        }
    }

    private init(_ message: SAMLMessage, in tree: XMLTree) {
        issuer = message.issuer
        destination = message.response?.attribute("Destination")
        recipients = tree.elements.compactMap { element in
            element.isNamed("SubjectConfirmationData", in: SAMLNames.assertion) ? element.attribute("Recipient") : nil
        }
        audiences = tree.elements.compactMap { $0.isNamed("Audience", in: SAMLNames.assertion) ? $0.text : nil }
        let names = ["IssueInstant", "NotBefore", "NotOnOrAfter", "AuthnInstant", "SessionNotOnOrAfter"]
        times = tree.elements.flatMap { element in
            names.compactMap { name in
                element.attribute(name).map { Time(name: "\(element.name)'s \(name)", text: $0) }
            }
        }
    }
}
