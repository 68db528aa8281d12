/// The only supported form of `ds:Signature` (SAML core, 5.4): enveloped in the element that it signs, with one
/// reference to it, and without anything that xmlsec would have to interpret.
struct SignatureForm {
    /// The `ds:Signature` element.
    let element: XMLTreeElement
    /// The parent of the signature, which it must sign.
    let signed: XMLTreeElement
    /// The identifier of ``signed``.
    let id: String
    /// The algorithm's URI, one of ``SAMLNames``.
    let signatureMethod: String
    let digestMethod: String
    /// The prefixes that exclusive canonicalization treats inclusively.
    let prefixes: [String]

    /// The largest number of prefixes.
    static let maximumPrefixes = 16

    /// Refuses any other form.
    init(_ element: XMLTreeElement, in signed: XMLTreeElement, id: String) throws(SAMLProblem) {
        guard !element.hasComment else { throw .signatureForm(.comment) }
        let parts = element.children
        guard parts.count == 2 || parts.count == 3 && Self.isNamed(parts[2], "KeyInfo"),
            Self.isNamed(parts[0], "SignedInfo"), Self.isNamed(parts[1], "SignatureValue"), parts[1].text != nil
        else { throw .signatureForm(.parts) }
        let info = parts[0].children
        guard info.count >= 3, Self.isNamed(info[0], "CanonicalizationMethod"),
            Self.isNamed(info[1], "SignatureMethod"), info[2...].allSatisfy({ Self.isNamed($0, "Reference") })
        else { throw .signatureForm(.parts) }
        guard info.count == 3 else { throw .signatureForm(.references) }
        _ = try Self.prefixes(ofExclusive: info[0])
        guard let method = info[1].attribute("Algorithm"), SAMLNames.signatures.contains(method),
            info[1].children.isEmpty
        else { throw .signatureAlgorithm }
        let reference = info[2].children
        guard reference.count == 3, Self.isNamed(reference[0], "Transforms"),
            Self.isNamed(reference[1], "DigestMethod"), Self.isNamed(reference[2], "DigestValue"),
            reference[2].text != nil
        else { throw .signatureForm(.parts) }
        guard let uri = info[2].attribute("URI"), uri.utf8.elementsEqual("#\(id)".utf8) else {
            throw .signatureForm(.reference)
        }
        let transforms = reference[0].children
        guard transforms.count == 2, transforms.allSatisfy({ Self.isNamed($0, "Transform") }),
            transforms[0].attribute("Algorithm") == SAMLNames.enveloped, transforms[0].children.isEmpty
        else { throw .signatureForm(.transforms) }
        prefixes = try Self.prefixes(ofExclusive: transforms[1])
        guard let digest = reference[1].attribute("Algorithm"), SAMLNames.digests.contains(digest),
            reference[1].children.isEmpty
        else { throw .digestAlgorithm }
        self.element = element
        self.signed = signed
        self.id = id
        signatureMethod = method
        digestMethod = digest
    }

    private static func isNamed(_ element: XMLTreeElement, _ name: String) -> Bool {
        element.isNamed(name, in: SAMLNames.signature)
    }

    /// The prefixes of exclusive canonicalization, the only accepted one. The surroundings of an assertion change its
    /// inclusive form, and a form with comments covers more than what is read.
    private static func prefixes(ofExclusive method: XMLTreeElement) throws(SAMLProblem) -> [String] {
        guard method.attribute("Algorithm") == SAMLNames.exclusive else { throw .signatureForm(.transforms) }
        let parameters = method.children
        guard let list = parameters.first else { return [] }
        guard parameters.count == 1, list.isNamed("InclusiveNamespaces", in: SAMLNames.exclusive),
            list.children.isEmpty, let text = list.attribute("PrefixList")
        else { throw .signatureForm(.transforms) }
        let prefixes = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard prefixes.count <= maximumPrefixes, prefixes.allSatisfy({ $0 == "#default" || XMLName.isName($0) }) else {
            throw .signatureForm(.transforms)
        }
        return prefixes
    }
}
