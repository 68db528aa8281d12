import RosterSignIn

/// The parameters of a form or a query. Each may be given once (RFC 6749, section 3.1): of a parameter that is given twice, one
/// program would read the first value and the next program the last.
package struct Form: Sendable {
    /// The parameters that name audiences and may be given several times (RFC 8693, section 2.1; RFC 8707, section 2).
    private static let repeatable: Set = ["resource", "audience"]

    private let values: [String: [String]]

    /// Collects the values by name.
    ///
    /// - Throws: ``OAuthError`` `invalid_request` if a parameter is given twice.
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

    /// The value of a parameter; nil if it is not given, or empty, which is the same (RFC 6749, section 3.1).
    package subscript(name: String) -> String? { all(name).first }

    /// All values of a parameter that may be given several times.
    func all(_ name: String) -> [String] { (values[name] ?? []).filter { !$0.isEmpty } }

    /// The value of a parameter that must be given.
    ///
    /// - Throws: ``OAuthError`` `invalid_request`.
    package func required(_ name: String) throws -> String {
        guard let value = self[name] else { throw OAuthError.missing(name) }
        return value
    }

    /// The parameters that have a value, in the order of their names.
    package var pairs: [(name: String, value: String)] {
        values.keys.sorted().flatMap { name in all(name).map { (name, $0) } }
    }
}
