extension RESTService {
    /// What a server answers where it could not make a request of what came.
    @Sendable
    package static func refusal(_ status: Int, _ reason: String) -> HTTPResponse {
        let error = RequestError(RequestError.Kind(rawValue: status) ?? .badRequest, reason)
        var response = ErrorAnswer(error).response(in: .problem, path: "", requestID: "")
        response.status = status
        return response
    }
}
