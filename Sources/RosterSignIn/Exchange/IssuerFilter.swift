import Roster
import RosterText

/// A condition on one claim of a token (`filters`).
package enum IssuerFilter: Sendable, Hashable {
    /// Whether a match or the lack of one satisfies the filter.
    package enum Kind: String, Sendable, CaseIterable {
        /// The claim must have a value that fits one of the filter's.
        case include
        /// The claim must have none that does; it may be missing.
        case exclude
    }

    /// The claim, the kind, and the values, in which `*` stands for any characters; never empty.
    case rule(name: String, kind: Kind, values: [String])
    /// It could not be read, with the reason. It never holds: who wrote it wanted to keep something out, and what cannot
    /// be told.
    case malformed(String)

    /// Reads a filter. Nothing that is wrong with it makes the whole document wrong: the reference says that it is then
    /// never satisfied.
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
        } catch let error as DirectoryError {
            self = .malformed(error.message)
        } catch {
            self = .malformed("\(path) cannot be read.")
        }
    }

    /// Whether the filter holds for the value of its claim, and why, in words.
    ///
    /// Numbers and `true` and `false` are compared as JSON writes them, arrays element by element, case and all. What
    /// cannot be compared for certain (objects, arrays in arrays, and numbers with a fraction or exponent, which have
    /// several spellings) never satisfies an exclude filter. `null` is no value.
    func check(_ claim: JSONValue?) -> (holds: Bool, reason: String) {
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
