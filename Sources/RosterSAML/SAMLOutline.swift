/// The unverified contents of an assertion, only for explaining its problems to an administrator.
package struct SAMLOutline: Sendable, Hashable {
    /// The issuer that the assertion claims.
    package let issuer: String
    /// The address to which the response is sent.
    package let destination: String?
    /// The addresses in the subject's confirmations.
    package let recipients: [String]
    /// The audiences of the assertion.
    package let audiences: [String]
    /// The times in the assertion, in document order.
    package let times: [Time]

    /// A time with its place.
    package struct Time: Sendable, Hashable {
        /// The name of the attribute with its element.
        package let name: String
        /// The attribute's value.
        package let text: String
    }

    /// Reads a credential as ``SAMLAssertionReader/read(_:now:)`` does, but without verification.
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
