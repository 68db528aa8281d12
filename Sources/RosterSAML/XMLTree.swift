import CXMLSecurity
import Foundation

/// A parsed document that contains only elements, attributes, text and comments.
///
/// Signature verification and all readers share this tree, so that they cannot interpret the document differently. Not
/// thread-safe.
final class XMLTree {
    /// The deepest nesting of elements.
    static let maximumDepth = 64
    /// The largest number of attributes, and of namespace declarations, of one element.
    static let maximumAttributesOfElement = 64
    /// The largest number of namespace declarations in a document.
    static let maximumNamespaces = 2_048
    /// The largest number of bytes of a name, and of a namespace with its prefix. Canonical XML repeats namespaces, so that
    /// long namespaces would make a short document long.
    static let maximumNameBytes = 512

    private let document: xmlDocPtr
    /// All elements in document order.
    let elements: [XMLTreeElement]

    /// Parses a document that ``XMLScan`` has accepted. Loads nothing, and defines no entities.
    init(_ bytes: [UInt8]) throws(SAMLProblem) {
        guard let context = xmlNewParserCtxt() else { throw .libraryFailure }
        defer { xmlFreeParserCtxt(context) }
        let options =
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            | XML_PARSE_IGNORE_ENC.rawValue
        let document = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                xmlCtxtReadMemory(context, $0.baseAddress, CInt($0.count), nil, "UTF-8", CInt(options))
            }
        }
        let error = xmlCtxtGetLastError(context)?.pointee
        let problem = SAMLProblem.malformed(line: Int(error?.line ?? 0), code: Int(error?.code ?? 0))
        guard let document else { throw problem }
        self.document = document
        do throws(SAMLProblem) {
            // libxml2 accepts an undeclared prefix as part of the name, so this checks for namespace errors as well.
            guard context.pointee.wellFormed == 1, context.pointee.nsWellFormed == 1 else { throw problem }
            guard document.pointee.intSubset == nil, document.pointee.extSubset == nil else { throw .documentType }
            elements = try Self.check(document)
        } catch {
            // A failed initializer runs no deinit, so the document is freed here.
            xmlFreeDoc(document)
            throw error
        }
    }

    deinit { xmlFreeDoc(document) }

    /// The root element.
    var root: XMLTreeElement? { elements.first }

    /// Makes an element's `ID` attribute the target of `#` references, which libxml2 otherwise learns from a document
    /// type.
    func registerID(_ id: String, of element: XMLTreeElement) throws(SAMLProblem) {
        guard let attribute = xmlHasNsProp(element.node, "ID", nil), xmlAddID(nil, document, id, attribute) != nil
        else {
            throw .duplicateID
        }
    }

    /// The target of a reference.
    func element(withID id: String) -> XMLTreeElement? {
        guard let attribute = xmlGetID(document, id), let node = attribute.pointee.parent else { return nil }
        return XMLTreeElement(node: node)
    }

    /// Walks the tree without recursion, and refuses unexpected nodes and excessive markup.
    private static func check(_ document: xmlDocPtr) throws(SAMLProblem) -> [XMLTreeElement] {
        var elements: [XMLTreeElement] = []
        var identifiers: Set<String> = []
        var namespaces = 0
        var depth = 1
        var next = document.pointee.children
        while let node = next {
            switch node.pointee.type {
            case XML_ELEMENT_NODE:
                guard depth <= maximumDepth else { throw .tooComplex(.depth) }
                let element = XMLTreeElement(node: node)
                elements.append(element)
                namespaces += try checkNamespaces(element)
                guard namespaces <= maximumNamespaces else { throw .tooComplex(.namespaces) }
                try checkAttributes(element, &identifiers)
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE, XML_COMMENT_NODE: break
            default: throw .unexpectedNode
            }
            if node.pointee.type == XML_ELEMENT_NODE, let child = node.pointee.children {
                next = child
                depth += 1
                continue
            }
            var last: xmlNodePtr? = node
            next = nil
            while let done = last, next == nil {
                next = done.pointee.next
                guard next == nil else { break }
                last = done.pointee.parent
                depth -= 1
                if last?.pointee.type != XML_ELEMENT_NODE { last = nil }
            }
        }
        return elements
    }

    private static func checkNamespaces(_ element: XMLTreeElement) throws(SAMLProblem) -> Int {
        var count = 0
        var next = element.node.pointee.nsDef
        while let namespace = next {
            count += 1
            guard
                XMLTreeElement.length(namespace.pointee.href) + XMLTreeElement.length(namespace.pointee.prefix)
                    <= maximumNameBytes
            else { throw .tooComplex(.names) }
            next = namespace.pointee.next
        }
        guard count <= maximumAttributesOfElement else { throw .tooComplex(.namespaces) }
        return count
    }

    /// Requires attributes that some reader could take for identifiers, in any case, to be unique in the document.
    private static func checkAttributes(
        _ element: XMLTreeElement, _ identifiers: inout Set<String>
    ) throws(SAMLProblem) {
        guard XMLTreeElement.length(element.node.pointee.name) <= maximumNameBytes else { throw .tooComplex(.names) }
        var count = 0
        for attribute in element.attributes {
            count += 1
            guard count <= maximumAttributesOfElement else { throw .tooComplex(.attributes) }
            guard attribute.name.utf8.count <= maximumNameBytes else { throw .tooComplex(.names) }
            guard let value = attribute.value else { throw .unexpectedNode }
            guard attribute.name.lowercased() == "id" else { continue }
            // libxml2 makes xml:id a reference's target by itself.
            guard attribute.namespace != "http://www.w3.org/XML/1998/namespace" else { throw .unexpectedNode }
            guard identifiers.insert(value).inserted else { throw .duplicateID }
        }
    }
}
