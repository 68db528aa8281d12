/// The URIs of SAML 2.0 and XML Signature.
enum SAMLNames {
    static let assertion = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let messages = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let signature = "http://www.w3.org/2000/09/xmldsig#"
    static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"
    static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
    static let entity = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
    static let transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
    static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"

    /// The transform that removes the signature from the signed element.
    static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    /// Exclusive canonical XML without comments. Its parameters have the same namespace.
    static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"

    /// SHA-2 only (RFC 9231, 2.1, and XML Encryption, 5.7).
    static let digests: Set<String> = [
        "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    ]
    /// RSA, RSA-PSS with fixed parameters, and ECDSA, each with SHA-2 (RFC 9231, 2.3). HMAC is excluded because
    /// certificates are public. PSS needs xmlsec 1.3; older versions refuse it.
    static let signatures: Set<String> = [
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
        "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1",
        "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
    ]
}
