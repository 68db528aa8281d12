/// The position of the one assertion in a document, before any of its contents are trusted.
///
/// Signature wrapping attacks readers that search for assertions anywhere. Here each element has one allowed place: the
/// assertion is the root, or a child of the response that is the root; signatures are children of these two. A document
/// with any other assertion, response, signature or encrypted element is refused.
struct SAMLMessage {
    /// The `samlp:Response` around the assertion, if there is one.
    let response: XMLTreeElement?
    /// The response's own signature, which is optional.
    let responseSignature: SignatureForm?
    let assertion: XMLTreeElement
    /// The assertion's signature, which is required.
    let assertionSignature: SignatureForm
    /// The issuer that the assertion claims.
    let issuer: String

    init(_ tree: XMLTree) throws(SAMLProblem) {
        guard let root = tree.root else { throw .unexpectedRoot }
        let isResponse = root.isNamed("Response", in: SAMLNames.messages)
        guard isResponse || root.isNamed("Assertion", in: SAMLNames.assertion) else {
            throw Self.isEncrypted(root) ? .encrypted : .unexpectedRoot
        }
        guard !tree.elements.contains(where: Self.isEncrypted) else { throw .encrypted }
        let assertions = tree.elements.filter { $0.name == "Assertion" }
        guard assertions.count == 1, let assertion = assertions.first,
            assertion.isNamed("Assertion", in: SAMLNames.assertion)
        else { throw .assertionCount(assertions.count) }
        guard isResponse ? assertion.parent == root : assertion == root else { throw .misplaced(.assertion) }
        guard tree.elements.filter({ $0.name == "Response" }).count == (isResponse ? 1 : 0) else {
            throw .misplaced(.response)
        }
        for signature in tree.elements where signature.name == "Signature" {
            guard signature.parent == assertion || isResponse && signature.parent == root else {
                throw .misplaced(.signature)
            }
        }
        self.assertion = assertion
        response = isResponse ? root : nil
        try Self.checkParts((isResponse ? root.children : []) + assertion.children, of: assertion)
        issuer = try Self.issuer(of: assertion)
        let assertionID = try Self.identify(assertion, in: tree)
        guard let signature = try assertion.only("Signature", in: SAMLNames.signature, .form) else { throw .unsigned }
        assertionSignature = try SignatureForm(signature, in: assertion, id: assertionID)
        guard isResponse else {
            responseSignature = nil
            return
        }
        let responseID = try Self.identify(root, in: tree)
        responseSignature = try root.only("Signature", in: SAMLNames.signature, .form).map {
            element throws(SAMLProblem) in
            try SignatureForm(element, in: root, id: responseID)
        }
        if root.children.contains(where: { $0.isNamed("Issuer", in: SAMLNames.assertion) }) {
            guard try Self.issuer(of: root).utf8.elementsEqual(issuer.utf8) else { throw .responseIssuer }
        }
    }

    private static func isEncrypted(_ element: XMLTreeElement) -> Bool {
        ["EncryptedAssertion", "EncryptedID", "NewEncryptedID", "EncryptedAttribute", "EncryptedData"]
            .contains(element.name)
    }

    /// Checks the identifier and version of an assertion or a response, and makes it the target of references.
    private static func identify(_ element: XMLTreeElement, in tree: XMLTree) throws(SAMLProblem) -> String {
        guard element.attribute("Version") == "2.0" else { throw .version }
        guard let id = element.attribute("ID"), XMLName.isName(id) else { throw .identifier }
        try tree.registerID(id, of: element)
        return id
    }

    /// The issuer's name, which must not have another format than an entity's (profiles, 4.1.4.2).
    private static func issuer(of element: XMLTreeElement) throws(SAMLProblem) -> String {
        guard let issuer = try element.only("Issuer", in: SAMLNames.assertion, .form) else { throw .missing(.issuer) }
        guard (issuer.attribute("Format") ?? SAMLNames.entity) == SAMLNames.entity else { throw .issuerFormat }
        guard let name = issuer.text, !name.isEmpty else { throw .missing(.issuer) }
        return name
    }

    /// Refuses elements that SAML does not allow in an assertion and a response.
    private static func checkParts(_ parts: [XMLTreeElement], of assertion: XMLTreeElement) throws(SAMLProblem) {
        for part in parts {
            let isKnown =
                switch (part.parent == assertion, part.namespace) {
                case (_, SAMLNames.signature): part.name == "Signature"
                case (true, SAMLNames.assertion): partsOfAssertion.contains(part.name)
                case (false, SAMLNames.assertion): ["Issuer", "Assertion"].contains(part.name)
                case (false, SAMLNames.messages): ["Status", "Extensions"].contains(part.name)
                default: false
                }
            guard isKnown else { throw .misplaced(.unknown) }
        }
    }

    private static let partsOfAssertion: Set<String> = [
        "Issuer", "Subject", "Conditions", "Advice", "AuthnStatement", "AuthzDecisionStatement", "AttributeStatement",
    ]
}

extension XMLTreeElement {
    /// The only child with a name; `nil` if there is none.
    /// - Throws: ``SAMLProblem/repeated(_:)`` if there are several.
    func only(_ name: String, in namespace: String, _ step: SAMLProblem.Step) throws(SAMLProblem) -> XMLTreeElement? {
        let found = children.filter { $0.isNamed(name, in: namespace) }
        guard found.count <= 1 else { throw .repeated(step) }
        return found.first
    }
}
