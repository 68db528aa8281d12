import Roster
package import RosterText

/// A condition on one claim of a token (`filters`).
package enum IssuerFilter: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The claim must have a value that matches one of the filter's values.
        case include
        /// No value of the claim may match one of the filter's values. The claim may be missing.
        case exclude
    }

    /// A filter with its claim, its kind, and its values, in which `*` matches any characters. There is at least one value.
    case rule(name: String, kind: Kind, values: [String])
    /// The filter could not be read, for this reason. It never holds, because its author wanted to keep something out.
    case malformed(String)

    /// Reads a filter. A wrong filter does not make the whole document wrong; as Oracle's reference says, it never holds.
    init(_ value: JSONValue, at path: String) {
        do {
            var object = try DocumentObject(value, at: path)
            let name = try object.required(object.text("name"), "name")
            let kind = try object.choice("type", Kind.self) ?? .include
            let values = try object.required(object.array("values"), "values").map { element in
                guard let text = element.value.text else {
                    throw DocumentObject.mismatch(element.path, "a text", element.value)
                }
                return text
            }
            try object.finish()
            guard !values.isEmpty else {
                throw DocumentObject.problem(object.path(of: "values"), "is empty.", "Give at least one value.")
            }
            self = .rule(name: name, kind: kind, values: values)
        } catch {
            self = .malformed((error as? DirectoryError)?.message ?? "\(path) cannot be read.")
        }
    }

    /// Whether the filter holds for the value of its claim, and an explanation.
    ///
    /// Numbers, `true` and `false` are compared as JSON writes them, and arrays element by element. Case counts. Objects, arrays in
    /// arrays, and numbers with a fraction or an exponent have several spellings, so they never satisfy an exclude filter. `null`
    /// is not a value.
    package func check(_ claim: JSONValue?) -> (holds: Bool, reason: String) {
        guard case .rule(let name, let kind, let values) = self else {
            if case .malformed(let reason) = self { return (false, "it cannot be read, so it never holds: \(reason)") }
            return (false, "it cannot be read")
        }
        let claim = claim ?? .null
        let candidates = claim.elements.filter { !$0.isNull }
        let patterns = values.map { WildcardPattern($0) }
        let match = candidates.compactMap(Self.text).first { text in patterns.contains { $0.matches(text) } }
        let shown = "\(ShownText.quoted(name)) is \(claim.isNull ? "missing" : ShownText.value(claim))"
        let wanted = ShownText.list(values)
        switch kind {
        case .include:
            guard let match else { return (false, "\(shown), which is none of \(wanted)") }
            return (true, "\(shown), and \(ShownText.quoted(match)) is one of \(wanted)")
        case .exclude:
            if let match { return (false, "\(shown), and \(ShownText.quoted(match)) is kept out by \(wanted)") }
            guard candidates.allSatisfy(Self.isCertain) else {
                return (false, "\(shown), which cannot be compared with \(wanted)")
            }
            return (true, "\(shown), which is not kept out by \(wanted)")
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .decimal(let number): String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .object, .array, .null: nil
        }
    }

    private static func isCertain(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .integer, .boolean: true
        case .decimal, .object, .array, .null: false
        }
    }
}
