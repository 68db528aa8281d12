/// A refusal in OAuth's terms (RFC 6749, sections 4.1.2.1 and 5.2).
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The registered names.
    public enum Code: String, Sendable, Hashable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case invalidTarget = "invalid_target"
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case accessDenied = "access_denied"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case unsupportedTokenType = "unsupported_token_type"
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        case serverError = "server_error"
        /// As the interfaces of other products call a missing second factor.
        case secondFactorRequired = "mfa_required"
    }

    /// The registered name.
    public let code: Code
    /// What was wrong and what to do; visible ASCII without quotes (RFC 6749), and never a secret.
    public let text: String
    /// How many seconds to wait, where that is what to do.
    public package(set) var retryAfter: Int?
    /// The challenge questions that are to be answered.
    public package(set) var questions: [String]

    /// The registered name, and what was wrong.
    public var description: String { "\(code.rawValue): \(text)" }

    package init(_ code: Code, _ text: String, retryAfter: Int? = nil, questions: [String] = []) {
        self.questions = questions
        self.code = code
        self.text = text
        self.retryAfter = retryAfter
    }
}
