package import RosterText

/// The form in which an interface writes its errors.
package struct ErrorStyle: Sendable, Equatable {
    /// The name of the form's schema in the description.
    let name: String
    let mediaType: String
    /// The schema of an error.
    let schema: JSONValue
    /// Whether the form has a place for the members that tell an error of the directory to programs.
    let hasMembers: Bool
    /// Writes an error, with the path of its request and the identifier of the request.
    let body: @Sendable (ErrorAnswer, _ path: String, _ requestID: String) -> JSONValue

    /// - Parameters:
    ///   - required: The members that every error has.
    ///   - members: The schemas of the members.
    package init(
        _ name: String, mediaType: String = "application/json", required: [String], members: JSONValue,
        hasMembers: Bool = false,
        body: @escaping @Sendable (ErrorAnswer, _ path: String, _ requestID: String) -> JSONValue
    ) {
        self.name = name
        self.mediaType = mediaType
        schema = ["type": "object", "required": .texts(required), "properties": members]
        self.hasMembers = hasMembers
        self.body = body
    }

    package static func == (one: ErrorStyle, other: ErrorStyle) -> Bool { one.name == other.name }

    private static let text: JSONValue = ["type": "string"]

    /// RFC 7644, section 3.12.
    static let scim = ErrorStyle(
        "SCIMError", mediaType: "application/scim+json", required: ["schemas", "status"],
        members: ["schemas": ["type": "array"], "status": text, "scimType": text, "detail": text]
    ) { answer, _, _ in SCIMError.body(status: answer.status, type: answer.scimType, detail: answer.message) }

    /// RFC 9457.
    package static let problem = ErrorStyle(
        "Problem", mediaType: "application/problem+json", required: ["status", "title"],
        members: ["status": ["type": "integer"], "title": text, "detail": text], hasMembers: true
    ) { answer, _, _ in
        ["status": .integer(Int64(answer.status)), "title": .string(answer.title), "detail": .string(answer.message)]
    }

    /// RFC 6749, section 5.2.
    package static let oauth = ErrorStyle(
        "OAuthError", required: ["error"], members: ["error": text, "error_description": text]
    ) { answer, _, _ in
        let isBusy = answer.status == 429 || answer.status == 503
        let code = answer.oauthCode ?? (isBusy ? "temporarily_unavailable" : "invalid_request")
        return [
            "error": .string(answer.status == 500 ? "server_error" : code),
            "error_description": .string(answer.message),
        ]
    }
}
