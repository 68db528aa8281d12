public import RosterBearer
import RosterText

extension BearerValidator {
    /// Validates the token of a request.
    ///
    /// - Parameter request: The request. A token on a connection that others could read is refused.
    /// - Returns: What the token says.
    /// - Throws: `BearerRefusal`, whose `response` answers the request; `CancellationError`.
    public func validate(_ request: HTTPRequest) async throws -> BearerToken {
        let fields = request.headers.values(of: "Authorization")
        guard request.isConfidential || fields.isEmpty else {
            throw BearerRefusal(
                .invalidRequest, "The request sent a token over a connection without TLS.",
                ChallengeForm(realm: settings.realm, metadata: resourceMetadataURL))
        }
        let query = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
        return try await validate(
            authorization: fields, query: String(query.first ?? ""), proofs: request.headers.values(of: "DPoP"),
            method: request.method, path: String(request.target.prefix { $0 != "?" }))
    }
}

extension BearerRefusal {
    /// The answer to the request: the status, the challenge, and an error as OAuth writes it (RFC 6749, section 5.2).
    public var response: HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        if let challenge { headers.add("WWW-Authenticate", challenge) }
        if let retryAfter { headers.add("Retry-After", String(retryAfter)) }
        let body: JSONValue = ["error": .string(code.rawValue), "error_description": .string(description)]
        return HTTPResponse(status, headers: headers, body: .bytes(body.bytes))
    }
}
