import CXMLSecurity
import Foundation

/// The exclusive canonical form of a signed element, written from the very node that will be read, to be held against
/// the bytes that xmlsec digests.
final class CanonicalForm {
    private let output: xmlOutputBufferPtr

    /// - Throws: ``SAMLProblem/canonicalization`` where it cannot be written or comes out empty: a digest of nothing would
    ///   be right for every document of the kind.
    init(_ form: SignatureForm) throws(SAMLProblem) {
        guard let output = xmlAllocOutputBuffer(nil) else { throw .libraryFailure }
        self.output = output
        var scope = Scope(signed: form.signed.node, signature: form.element.node)
        let status = Self.withCStrings(form.prefixes) { prefixes in
            xmlC14NExecute(
                form.signed.node.pointee.doc,
                { context, node, parent in
                    guard let context, let node else { return 0 }
                    return context.assumingMemoryBound(to: Scope.self).pointee.contains(node, parent) ? 1 : 0
                }, &scope, CInt(XML_C14N_EXCLUSIVE_1_0.rawValue), prefixes, 0, output)
        }
        // A status above 0 would say nothing: no bytes are counted that go nowhere but into memory.
        guard status >= 0, xmlOutputBufferGetSize(output) > 0 else { throw .canonicalization }
    }

    deinit { xmlOutputBufferClose(output) }

    /// Whether it is these bytes.
    func isEqual(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let written = xmlOutputBufferGetContent(output), let start = bytes.baseAddress else { return false }
        return bytes.count == Int(xmlOutputBufferGetSize(output)) && memcmp(written, start, bytes.count) == 0
    }

    /// The strings as C has lists of them, ending with NULL; `nil` for none.
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

/// What belongs to an enveloped signature's reference: an element and all below it, but for the signature itself.
private struct Scope {
    let signed: xmlNodePtr
    let signature: xmlNodePtr

    /// Whether a node is part of it. The parent is passed along because a namespace does not know its own.
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
