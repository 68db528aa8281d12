/// The parameters of a request, each given once at most (RFC 6749, section 3.1): what is given twice would be read by one
/// program from the first place and by the next one from the last.
package struct Form: Sendable {
    private let values: [String: String]

    /// - Throws: ``OAuthError`` `invalid_request` where one is given twice.
    package init(_ pairs: [(name: String, value: String)]) throws {
        var values: [String: String] = [:]
        for pair in pairs {
            guard values.updateValue(pair.value, forKey: pair.name) == nil else {
                throw OAuthError(.invalidRequest, "A parameter is given twice.")
            }
        }
        self.values = values
    }

    /// A value; nil where there is none, or an empty one, which is the same (RFC 6749, section 3.1).
    package subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A value that must be there.
    package func required(_ name: String) throws -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "The parameter '\(name)' is missing.") }
        return value
    }

    /// The names that have values.
    package var names: Set<String> { Set(values.keys) }
}
