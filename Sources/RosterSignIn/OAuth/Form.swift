/// The parameters of a request, each given once at most (RFC 6749, section 3.1): what is given twice would be read by one
/// program from the first place and by the next one from the last.
package struct Form: Sendable {
    /// Those that name for whom a token is to be, and may be given several times (RFC 8693, section 2.1; RFC 8707, section 2).
    private static let repeatable: Set = ["resource", "audience"]

    private let values: [String: [String]]

    /// - Throws: ``OAuthError`` `invalid_request` where one is given twice.
    package init(_ pairs: [(name: String, value: String)]) throws {
        var values: [String: [String]] = [:]
        for pair in pairs {
            guard values[pair.name] == nil || Self.repeatable.contains(pair.name) else {
                throw OAuthError(.invalidRequest, "A parameter is given twice.")
            }
            values[pair.name, default: []].append(pair.value)
        }
        self.values = values
    }

    /// A value; nil where there is none, or an empty one, which is the same (RFC 6749, section 3.1).
    package subscript(name: String) -> String? { all(name).first }

    /// All values of a parameter that may be given several times.
    package func all(_ name: String) -> [String] { (values[name] ?? []).filter { !$0.isEmpty } }

    /// A value that must be there.
    package func required(_ name: String) throws -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "The parameter '\(name)' is missing.") }
        return value
    }

    /// Everything that has a value, by name.
    package var pairs: [(name: String, value: String)] {
        values.keys.sorted().flatMap { name in all(name).map { (name, $0) } }
    }
}
