/// The error for a request that is refused by a rule of HTTP or of an interface, not by the directory.
package struct RequestError: Error, Sendable {
    package enum Kind: Int, Sendable, CaseIterable {
        case badRequest = 400
        case notAuthenticated = 401
        case notPermitted = 403
        case notFound = 404
        case methodNotAllowed = 405
        case gone = 410
        case preconditionFailed = 412
        case contentTooLarge = 413
        case unsupportedMediaType = 415
        case misdirected = 421
        case tooManyRequests = 429
        case failed = 500
        /// Another server that was asked for the answer does not give it.
        case badGateway = 502
        case unavailable = 503
    }

    package let kind: Kind
    /// The mistake, and the remedy. The message never contains a secret.
    package let message: String
    /// Header fields of the answer, such as `Retry-After`.
    package var headers: HTTPHeaders
    /// The challenge questions that the client must answer.
    package var questions: [String]

    package init(_ kind: Kind, _ message: String, headers: HTTPHeaders = [:], questions: [String] = []) {
        self.questions = questions
        self.kind = kind
        self.message = message
        self.headers = headers
    }
}

extension RequestError {
    /// The error that a caller gets who is not a user of this directory.
    static let notUser = RequestError(.notFound, "The caller is not a user of this directory, and has no account here.")
}
