/// The attributes of an assertion (core, 2.7.3).
enum SAMLAttributes {
    /// The texts by the attributes' names; those of several attributes with one name come one after the other. Values
    /// with elements in them and those that are `nil` by XML Schema are no texts, and left out.
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
