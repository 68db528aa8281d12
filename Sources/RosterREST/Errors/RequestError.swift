/// A request that cannot be answered, before the directory is asked or beside it.
package struct RequestError: Error, Sendable {
    /// What kind of failure it is.
    package enum Kind: Int, Sendable, CaseIterable {
        case badRequest = 400
        case notAuthenticated = 401
        case notPermitted = 403
        case notFound = 404
        case methodNotAllowed = 405
        case notAcceptable = 406
        case gone = 410
        case preconditionFailed = 412
        case contentTooLarge = 413
        case unsupportedMediaType = 415
        case misdirected = 421
        case tooManyRequests = 429
        case failed = 500
        case notImplemented = 501
        case unavailable = 503
    }

    /// What kind of failure it is.
    package let kind: Kind
    /// What was wrong with what, and what to do next. Never a secret.
    package let message: String
    /// Header fields that the answer needs, such as `Retry-After`.
    package var headers: HTTPHeaders
    /// The challenge questions that are to be answered.
    package var questions: [String]

    /// Describes a failure.
    package init(_ kind: Kind, _ message: String, headers: HTTPHeaders = [:], questions: [String] = []) {
        self.questions = questions
        self.kind = kind
        self.message = message
        self.headers = headers
    }
}
