/// The attributes of an assertion (core, 2.7.3).
enum SAMLAttributes {
    /// Reads the texts of each attribute. Attributes of one name are joined in order. Values with child elements, and
    /// values that are `nil` by XML Schema, are omitted.
    static func read(_ assertion: XMLTreeElement) throws(SAMLProblem) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for statement in assertion.children where statement.isNamed("AttributeStatement", in: SAMLNames.assertion) {
            for attribute in statement.children {
                guard attribute.isNamed("Attribute", in: SAMLNames.assertion), let name = attribute.attribute("Name"),
                    !name.isEmpty
                else { throw .attribute }
                var values: [String] = []
                for value in attribute.children {
                    guard value.isNamed("AttributeValue", in: SAMLNames.assertion) else { throw .attribute }
                    let isNil = value.attributes.contains {
                        $0.namespace == SAMLNames.schemaInstance && $0.name == "nil"
                            && ["true", "1"].contains($0.value)
                    }
                    if let text = value.text, !isNil { values.append(text) }
                }
                result[name, default: []] += values
            }
        }
        return result
    }
}
