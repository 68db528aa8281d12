package import RosterText

/// What was wrong with a request, as a keyword that clients act upon (RFC 7644, section 3.12; RFC 9865, section 2.1).
package enum SCIMErrorType: String, Sendable, Hashable, CaseIterable {
    case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget, invalidValue, invalidVers
    case sensitive
    case invalidCursor, expiredCursor, invalidCount

    /// The status that goes with it unless another is said.
    package var status: Int {
        switch self {
        case .uniqueness: 409
        case .sensitive: 403
        default: 400
        }
    }
}

/// A request that is refused (RFC 7644, section 3.12).
package struct SCIMError: Error, Sendable, Hashable {
    /// The URN of its JSON form.
    package static let schema = "urn:ietf:params:scim:api:messages:2.0:Error"

    /// The status of the HTTP response.
    package let status: Int
    /// The keyword, where there is one for it.
    package let type: SCIMErrorType?
    /// What was wrong, for people. It never holds values of the request, which may be secret.
    package let detail: String

    /// Makes an error with a keyword (RFC 7644, table 9).
    package init(_ type: SCIMErrorType, _ detail: String, status: Int? = nil) {
        self.status = status ?? type.status
        self.type = type
        self.detail = detail
    }

    /// Makes an error that the status says enough about.
    package init(status: Int, _ detail: String) {
        self.status = status
        type = nil
        self.detail = detail
    }

    /// The body of the response.
    package var json: JSONValue { Self.body(status: status, type: type, detail: detail) }

    /// The body of a response, whatever was wrong.
    static func body(status: Int, type: SCIMErrorType?, detail: String) -> JSONValue {
        var body: JSONValue = ["schemas": [.string(Self.schema)]]
        if let type { body["scimType"] = .string(type.rawValue) }
        body["detail"] = .string(detail)
        body["status"] = .string(String(status))
        return body
    }
}

extension SCIMError {
    /// A name from a request as details quote it: cut, so that no answer grows with what was sent.
    static func shown(_ name: some StringProtocol) -> String {
        name.utf8.count <= 100 ? "'\(name)'" : "'\(name.prefix(60))…'"
    }

    /// The one place that says what happens to attributes that no schema has: a path that names one is `invalidPath`,
    /// an object that holds one `invalidValue`. Only whole foreign schemas are passed over, see ``SCIMPath/isForeign(_:in:)``.
    static func unknownAttribute(_ name: some StringProtocol, inPath isPath: Bool) -> SCIMError {
        SCIMError(isPath ? .invalidPath : .invalidValue, "There is no attribute \(shown(name)).")
    }
}
