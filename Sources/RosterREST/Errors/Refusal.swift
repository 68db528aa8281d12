extension RESTService {
    /// The response of a server to bytes that are not a valid request.
    @Sendable
    package static func refusal(_ status: Int, _ reason: String) -> HTTPResponse {
        var answer = ErrorAnswer(status: status, reason)
        if status == 503 { answer.headers.add("Retry-After", "1") }
        return answer.response(in: .problem, path: "", requestID: "")
    }
}
