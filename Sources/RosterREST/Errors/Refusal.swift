extension RESTService {
    /// The response of a server to bytes that are not a valid request.
    @Sendable
    package static func refusal(_ status: Int, _ reason: String) -> HTTPResponse {
        let error = RequestError(RequestError.Kind(rawValue: status) ?? .badRequest, reason)
        var response = ErrorAnswer(error).response(in: .problem, path: "", requestID: "")
        response.status = status
        return response
    }
}
