import CXMLSecurity

/// An element of an ``XMLTree``. It is invalid after the tree is released.
struct XMLTreeElement: Equatable {
    let node: xmlNodePtr

    /// An attribute. `value` is `nil` unless it is plain text.
    struct Attribute {
        let name: String
        let namespace: String?
        let value: String?
    }

    /// The name without its prefix.
    var name: String { Self.string(node.pointee.name) ?? "" }
    /// The namespace; `nil` if there is none.
    var namespace: String? { node.pointee.ns.flatMap { Self.string($0.pointee.href) } }

    func isNamed(_ name: String, in namespace: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && (self.namespace ?? "").utf8.elementsEqual(namespace.utf8)
    }

    /// The child elements in order.
    var children: [XMLTreeElement] {
        nodes.compactMap { $0.pointee.type == XML_ELEMENT_NODE ? XMLTreeElement(node: $0) : nil }
    }

    var parent: XMLTreeElement? {
        guard let parent = node.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
        return XMLTreeElement(node: parent)
    }

    /// The joined text without comments, which no signature covers; `nil` if there are child elements.
    var text: String? { Self.text(nodes) }

    /// Whether the element or a descendant contains a comment.
    var hasComment: Bool {
        nodes.contains { $0.pointee.type == XML_COMMENT_NODE } || children.contains(where: \.hasComment)
    }

    /// The attributes without the namespace declarations.
    var attributes: [Attribute] {
        var result: [Attribute] = []
        var next = node.pointee.properties
        while let attribute = next {
            let value = Self.text(Self.siblings(attribute.pointee.children))
            result.append(
                Attribute(
                    name: Self.string(attribute.pointee.name) ?? "",
                    namespace: attribute.pointee.ns.flatMap { Self.string($0.pointee.href) }, value: value))
            next = attribute.pointee.next
        }
        return result
    }

    /// The value of an attribute without a namespace.
    func attribute(_ name: String) -> String? {
        attributes.first { $0.namespace == nil && $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The length of a C string in bytes; 0 for NULL.
    static func length(_ text: UnsafePointer<xmlChar>?) -> Int { text.map { Int(xmlStrlen($0)) } ?? 0 }

    private var nodes: [xmlNodePtr] { Self.siblings(node.pointee.children) }

    private static func siblings(_ first: xmlNodePtr?) -> [xmlNodePtr] {
        var result: [xmlNodePtr] = []
        var next = first
        while let node = next {
            result.append(node)
            next = node.pointee.next
        }
        return result
    }

    private static func text(_ nodes: [xmlNodePtr]) -> String? {
        var text = ""
        for node in nodes {
            switch node.pointee.type {
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: text += string(node.pointee.content) ?? ""
            case XML_COMMENT_NODE: break
            default: return nil
            }
        }
        return text
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String? { text.map { String(cString: $0) } }
}
