/// Parameters in a query, or in a body of the type `application/x-www-form-urlencoded`.
package enum FormEncoding {
    /// Writes parameters.
    package static func text(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(PercentEncoding.text($0.name))=\(PercentEncoding.text($0.value))" }.joined(separator: "&")
    }

    /// Reads parameters in their order. Empty parts between two `&` are left out.
    ///
    /// - Parameters:
    ///   - text: The query without its question mark, or the body.
    ///   - separator: What is between a name and its value.
    ///   - isPlusSpace: Whether `+` means a space, as browsers write it.
    /// - Returns: The parameters, with nil as the value of those without separator; nil for broken percent-encoding, and for bytes
    ///   that are not UTF-8.
    package static func parameters(
        _ text: some StringProtocol, separator: String = "=", isPlusSpace: Bool = true
    ) -> [(name: String, value: String?)]? {
        func decoded(_ text: ArraySlice<UInt8>) -> String? {
            PercentEncoding.bytes(text, isForm: isPlusSpace).flatMap { String(validating: $0, as: UTF8.self) }
        }
        var parameters: [(name: String, value: String?)] = []
        // Bytes, because a combining mark after a separator would hide the separator among characters.
        for part in Array(text.utf8).split(separator: UInt8(ascii: "&")) {
            let middle = part.firstRange(of: separator.utf8)
            guard let name = decoded(part[..<(middle?.lowerBound ?? part.endIndex)]) else { return nil }
            guard let middle else {
                parameters.append((name, nil))
                continue
            }
            guard let value = decoded(part[middle.upperBound...]) else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }
}
