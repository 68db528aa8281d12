/// A refusal in OAuth's terms (RFC 6749, sections 4.1.2.1 and 5.2).
package struct OAuthError: Error, Sendable, Hashable {
    /// The registered names.
    package enum Code: String, Sendable, Hashable {
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
        case unsupportedTokenType = "unsupported_token_type"
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        case serverError = "server_error"
        /// As the interfaces of other products call a missing second factor.
        case secondFactorRequired = "mfa_required"
    }

    /// The registered name.
    package let code: Code
    /// What was wrong and what to do; visible ASCII without quotes (RFC 6749), and never a secret.
    package let text: String
    /// How many seconds to wait, where that is what to do.
    package var retryAfter: Int?
    /// The challenge questions that are to be answered.
    package var questions: [String]

    package init(_ code: Code, _ text: String, retryAfter: Int? = nil, questions: [String] = []) {
        self.questions = questions
        self.code = code
        self.text = text
        self.retryAfter = retryAfter
    }
}
