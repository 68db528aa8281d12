package import RosterText

/// The error of a refused request (RFC 7644, section 3.12).
package struct SCIMError: Error, Sendable, Hashable {
    /// The URN of its JSON form.
    package static let schema = "urn:ietf:params:scim:api:messages:2.0:Error"

    package let status: Int
    /// The keyword; nil if SCIM has none for the error.
    package let type: SCIMErrorType?
    /// A description for people. It never holds values of the request, which may be secret.
    package let detail: String

    /// Makes an error with a keyword (RFC 7644, table 9).
    package init(_ type: SCIMErrorType, _ detail: String, status: Int? = nil) {
        self.status = status ?? type.status
        self.type = type
        self.detail = detail
    }

    package init(status: Int, _ detail: String) {
        self.status = status
        type = nil
        self.detail = detail
    }

    package var json: JSONValue { Self.body(status: status, type: type, detail: detail) }

    /// The body of the response to any error.
    static func body(status: Int, type: SCIMErrorType?, detail: String) -> JSONValue {
        var body: JSONValue = ["schemas": [.string(Self.schema)]]
        if let type { body["scimType"] = .string(type.rawValue) }
        body["detail"] = .string(detail)
        body["status"] = .string(String(status))
        return body
    }
}

extension SCIMError {
    /// A name of a request as messages quote it. It is cut, so that no answer grows with the request.
    static func shown(_ name: some StringProtocol) -> String {
        name.utf8.count <= 100 ? "'\(name)'" : "'\(name.prefix(60))…'"
    }

    /// The error for an attribute that no schema has: `invalidPath` if a path names it, and `invalidValue` if an object
    /// holds it. Members of foreign schemas are skipped instead; see ``SCIMPath/isForeign(_:in:)``.
    static func unknownAttribute(_ name: some StringProtocol, inPath isPath: Bool) -> SCIMError {
        SCIMError(isPath ? .invalidPath : .invalidValue, "There is no attribute \(shown(name)).")
    }
}
