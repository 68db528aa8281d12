import Roster
import RosterSignIn
import RosterText

/// The answer to an error. No other place maps errors to statuses.
package struct ErrorAnswer: Sendable {
    package let status: Int
    package let message: String
    let scimType: SCIMErrorType?
    var headers: HTTPHeaders = [:]
    /// OAuth's code for the error.
    var oauthCode: String?
    /// The challenge questions that the client must answer.
    var questions: [String] = []
    /// The members that tell an error of the directory to programs.
    private var members: [JSONValue.Member] = []

    /// The answer to a request that the server cannot read.
    init(status: Int, _ message: String) {
        self.status = status
        self.message = message
        scimType = nil
    }

    /// Maps an error to its answer. An unexpected error discloses nothing.
    init(_ error: any Error) {
        switch error {
        case let error as RequestError:
            (status, message) = (error.kind.rawValue, error.message)
            scimType = error.kind == .badRequest ? .invalidSyntax : nil
            (headers, questions) = (error.headers, error.questions)
        case let error as SCIMError:
            (status, message, scimType) = (error.status, error.detail, error.type)
        case let error as DirectoryError:
            (status, scimType) = Self.answer(to: error.code.kind)
            let hidden = Self.hidden(error, status)
            message = hidden ?? error.description
            members =
                hidden.map { [.init("code", .string(error.code.description)), .init("problem", .string($0))] }
                ?? error.members
            if status == 503 || status == 429 { headers.add("Retry-After", String(error.retryAfter ?? 1)) }
            if let challenge = Self.challenge(error) {
                oauthCode = challenge.code
                headers.add("WWW-Authenticate", challenge.field)
            }
        case let error as OAuthError:
            (status, headers) = Self.answer(to: error)
            (message, scimType) = (error.text, nil)
            (oauthCode, questions) = (error.code.rawValue, error.questions)
        case is CancellationError:
            (status, message, scimType) = (503, "The request was interrupted.", nil)
        default:
            (status, scimType) = (500, nil)
            message = "Something went wrong that is the server's fault. It is in its log."
        }
    }

    /// The text in place of one that tells about the insides of the server, such as the names of files; nil for other errors.
    private static func hidden(_ error: DirectoryError, _ status: Int) -> String? {
        switch error.code {
        case .storageFull: "The server has no space left. Reading goes on."
        case .readOnly: "The server cannot write to the directory."
        case .fileNotFound: "The directory's file is not in its place, and takes no changes until it is back."
        case .damaged, .notADirectory: "The directory's file is damaged, and takes no changes. Reading goes on."
        case .storageFailed: "The directory's storage fails now."
        case .unreachable: "The directory's database cannot be reached now."
        case .outcomeUnknown:
            "The directory's database was lost during the change. Read the record to see whether the change was kept."
        default: status == 500 ? "The directory cannot do that now." : nil
        }
    }

    /// The challenge for a client that must sign in again or needs another scope (RFC 9470, section 3; RFC 6750,
    /// section 3.1).
    private static func challenge(_ error: DirectoryError) -> (code: String, field: String)? {
        let code: String
        let detail: String
        switch error.code.kind {
        case .recentSignInRequired:
            code = "insufficient_user_authentication"
            detail = "max_age=\"\(Int(PersonalSignIn.longestAge))\""
        case .appNotPermitted:
            code = OAuthError.Code.insufficientScope.rawValue
            detail = "scope=\"\(Scope.directoryManage)\""
        default: return nil
        }
        let text = error.message.replacing("\"", with: "'")
        return (code, "Bearer realm=\"Roster\", error=\"\(code)\", error_description=\"\(text)\", \(detail)")
    }

    /// RFC 6749, section 5.2; RFC 6750, section 3.
    private static func answer(to error: OAuthError) -> (Int, HTTPHeaders) {
        switch error.code {
        case .invalidClient: (401, ["WWW-Authenticate": "Basic realm=\"Roster\""])
        case .invalidToken: (401, ["WWW-Authenticate": "Bearer realm=\"Roster\", error=\"invalid_token\""])
        case .insufficientScope:
            (403, ["WWW-Authenticate": "Bearer realm=\"Roster\", error=\"insufficient_scope\""])
        case .serverError: (500, [:])
        case .temporarilyUnavailable: (429, error.retryAfter.map { ["Retry-After": String($0)] } ?? [:])
        default: (400, error.retryAfter.map { ["Retry-After": String($0)] } ?? [:])
        }
    }

    private static func answer(to kind: DirectoryError.Code.Kind) -> (Int, SCIMErrorType?) {
        switch kind {
        case .notFound: (404, nil)
        case .alreadyExists: (409, .uniqueness)
        case .invalidName, .invalidAttribute: (400, .invalidValue)
        case .invalidFilter: (400, .invalidFilter)
        case .invalidPage: (400, .invalidValue)
        case .invalidCursor: (400, .invalidCursor)
        case .invalidInput: (400, .invalidSyntax)
        case .versionConflict: (412, nil)
        case .circle: (409, nil)
        case .hasReportees, .lastAdministrator: (409, nil)
        case .notPermitted, .appNotPermitted: (403, nil)
        case .recentSignInRequired: (401, nil)
        case .limitExceeded: (400, .tooMany)
        case .changesCompacted: (410, nil)
        case .overloaded: (429, nil)
        case .closed, .unreachable, .tls: (503, nil)
        case .outcomeUnknown: (504, nil)
        case .readOnly: (403, nil)
        case .storageFull: (507, nil)
        case .fileNotFound, .notADirectory, .damaged, .storageFailed: (503, nil)
        case .fileInUse, .newerFile, .unusableKey, .reentrantCall, .outsideTransaction, .notOffered, .notSignedIn,
            .badAnswer:
            (500, nil)
        }
    }

    /// The answer in an interface's own form.
    func response(in style: ErrorStyle, path: String, requestID: String) -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", style.mediaType)
        var body = style.body(self, path, requestID)
        if style.hasMembers { for member in members { body[member.name] = member.value } }
        if !questions.isEmpty { body["challenge_questions"] = .texts(questions) }
        return HTTPResponse(status, headers: headers, body: .bytes(body.bytes))
    }

    /// The status in words.
    package var title: String {
        switch status {
        case 400: "Bad input"
        case 401: "Not authenticated"
        case 403: "Not permitted"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Changed meanwhile"
        case 413: "Too large"
        case 414: "Address too long"
        case 415: "Unsupported media type"
        case 417: "Expectation failed"
        case 421: "Misdirected request"
        case 429: "Too many requests"
        case 431: "Header too large"
        case 502: "Provider not available"
        case 503: "Not available"
        case 504: "Outcome unknown"
        case 505: "Unknown version of HTTP"
        default: status < 500 ? "Bad request" : "Server error"
        }
    }
}
