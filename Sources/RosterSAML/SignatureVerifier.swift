import CXMLSecurity
import Foundation

/// Verifies signatures with xmlsec, and proves that xmlsec digested the element that is read later.
struct SignatureVerifier {
    let tree: XMLTree
    /// The issuer's pinned certificates.
    let certificates: [SAMLCertificate]
    let now: Date

    /// - Throws: ``SAMLProblem`` unless a certificate that is valid now has made the signature.
    func verify(_ form: SignatureForm) throws(SAMLProblem) {
        // The check runs before and after the verification, so that the reference cannot change its target in between.
        guard tree.element(withID: form.id) == form.signed, form.element.parent == form.signed else {
            throw .signatureForm(.reference)
        }
        let valid = certificates.filter { $0.isValid(at: now) }
        guard !valid.isEmpty else { throw .certificateExpired }
        let canonical = try CanonicalForm(form)
        var problem = SAMLProblem.signatureMismatch
        for certificate in valid {
            do throws(SAMLProblem) {
                try verify(form, reading: canonical, with: certificate)
                guard tree.element(withID: form.id) == form.signed else { throw .signatureForm(.reference) }
                return
            } catch {
                guard error == .signatureMismatch || error == .keyMismatch else { throw error }
                problem = error
            }
        }
        throw problem
    }

    private func verify(
        _ form: SignatureForm, reading canonical: CanonicalForm, with certificate: SAMLCertificate
    ) throws(SAMLProblem) {
        guard let context = xmlSecDSigCtxCreate(nil) else { throw .libraryFailure }
        defer { xmlSecDSigCtxDestroy(context) }
        // With a key set, xmlsec ignores KeyInfo.
        context.pointee.signKey = xmlSecOpenSSLAppKeyLoadMemory(
            certificate.der, .init(certificate.der.count), xmlSecKeyDataFormatCertDer, nil, nil, nil)
        guard context.pointee.signKey != nil else { throw .libraryFailure }
        // "Visa3D" makes xmlsec look up `#id` in the table of identifiers, instead of evaluating an XPointer from the
        // document.
        context.pointee.flags = UInt32(
            XMLSEC_DSIG_FLAGS_IGNORE_MANIFESTS | XMLSEC_DSIG_FLAGS_STORE_SIGNEDINFO_REFERENCES
                | XMLSEC_DSIG_FLAGS_USE_VISA3D_HACK)
        context.pointee.enabledReferenceUris = UInt32(xmlSecTransformUriTypeSameDocument)
        try allow(SAMLNames.enveloped, SAMLNames.exclusive, form.digestMethod) {
            xmlSecDSigCtxEnableReferenceTransform(context, $0)
        }
        try allow(SAMLNames.exclusive, form.signatureMethod) { xmlSecDSigCtxEnableSignatureTransform(context, $0) }

        guard xmlSecDSigCtxVerify(context, form.element.node) == 0 else { throw .keyMismatch }
        let references = withUnsafeMutablePointer(to: &context.pointee.signedInfoReferences) { list in
            (0..<xmlSecPtrListGetSize(list)).compactMap { xmlSecPtrListGetItem(list, $0) }
        }
        guard references.count == 1,
            let reference = references.first?.assumingMemoryBound(to: xmlSecDSigReferenceCtx.self)
        else { throw .signatureForm(.references) }
        guard reference.pointee.status == xmlSecDSigStatusSucceeded else { throw .digestMismatch }
        guard context.pointee.status == xmlSecDSigStatusSucceeded else { throw .signatureMismatch }
        guard let digested = xmlSecDSigReferenceCtxGetPreDigestBuffer(reference),
            canonical.isEqual(
                UnsafeRawBufferPointer(
                    start: xmlSecBufferGetData(digested), count: Int(xmlSecBufferGetSize(digested))))
        else { throw .canonicalization }
    }

    /// Enables algorithms in xmlsec. An unknown name means that xmlsec is too old for the algorithm.
    private func allow(_ names: String..., enable: (xmlSecTransformId) -> CInt) throws(SAMLProblem) {
        for name in names {
            guard
                let algorithm = xmlSecTransformIdListFindByHref(
                    xmlSecTransformIdsGet(), name, xmlSecTransformUsage(xmlSecTransformUsageAny))
            else { throw .signatureAlgorithm }
            guard enable(algorithm) == 0 else { throw .libraryFailure }
        }
    }
}
