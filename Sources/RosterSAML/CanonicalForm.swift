import CXMLSecurity
import Foundation

/// The exclusive canonical form of a signed element, computed from the node that is read later, for comparison with the
/// bytes that xmlsec digests.
final class CanonicalForm {
    private let output: xmlOutputBufferPtr

    /// - Throws: ``SAMLProblem/canonicalization`` if the form cannot be computed or is empty. The digest of nothing
    ///   would match every such document.
    init(_ form: SignatureForm) throws(SAMLProblem) {
        guard let output = xmlAllocOutputBuffer(nil) else { throw .libraryFailure }
        self.output = output
        var scope = SignedNodes(signed: form.signed.node, signature: form.element.node)
        let status = Self.withCStrings(form.prefixes) { prefixes in
            xmlC14NExecute(
                form.signed.node.pointee.doc,
                { context, node, parent in
                    guard let context, let node else { return 0 }
                    return context.assumingMemoryBound(to: SignedNodes.self).pointee.contains(node, parent) ? 1 : 0
                }, &scope, CInt(XML_C14N_EXCLUSIVE_1_0.rawValue), prefixes, 0, output)
        }
        // Positive statuses have no meaning here, because libxml2 counts no bytes for an output in memory.
        guard status >= 0, xmlOutputBufferGetSize(output) > 0 else { throw .canonicalization }
    }

    deinit { xmlOutputBufferClose(output) }

    /// Whether the form consists of these bytes.
    func isEqual(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let written = xmlOutputBufferGetContent(output), let start = bytes.baseAddress else { return false }
        return bytes.count == Int(xmlOutputBufferGetSize(output)) && memcmp(written, start, bytes.count) == 0
    }

    /// Converts strings to a NULL-terminated C array; `nil` for no strings.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<xmlChar>?>?) -> Result
    ) -> Result {
        guard !strings.isEmpty else { return body(nil) }
        var pointers =
            strings.map { UnsafeMutableRawPointer(strdup($0))?.assumingMemoryBound(to: xmlChar.self) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(&pointers)
    }
}

/// The nodes that an enveloped signature covers: an element and its descendants, except the signature itself.
private struct SignedNodes {
    let signed: xmlNodePtr
    let signature: xmlNodePtr

    /// Whether the signature covers a node. A namespace node has no link to its parent, so the parent is a parameter.
    func contains(_ node: xmlNodePtr, _ parent: xmlNodePtr?) -> Bool {
        var next = node.pointee.type == XML_NAMESPACE_DECL ? parent : node
        while let ancestor = next {
            if ancestor == signature { return false }
            if ancestor == signed { return true }
            next = ancestor == node ? parent : ancestor.pointee.parent
        }
        return false
    }
}
