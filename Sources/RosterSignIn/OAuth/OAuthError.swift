/// A refusal in OAuth's terms (RFC 6749, sections 4.1.2.1 and 5.2).
public struct OAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The registered names.
    public enum Code: String, Sendable, Hashable {
        /// A parameter is missing, given twice or not understood.
        case invalidRequest = "invalid_request"
        /// The client is not known, or has not proved who it is.
        case invalidClient = "invalid_client"
        /// The code, token, assertion or password is wrong, has ended, or is another client's.
        case invalidGrant = "invalid_grant"
        /// The client may not use this grant.
        case unauthorizedClient = "unauthorized_client"
        /// There is no such grant here.
        case unsupportedGrantType = "unsupported_grant_type"
        /// Only the code flow is answered.
        case unsupportedResponseType = "unsupported_response_type"
        /// The client may not have a scope that it asks for, or that was granted.
        case invalidScope = "invalid_scope"
        /// The client may have no tokens for that audience (RFC 8707).
        case invalidTarget = "invalid_target"
        /// The access token is wrong, has expired or was ended (RFC 6750).
        case invalidToken = "invalid_token"
        /// The access token allows less than what was asked (RFC 6750).
        case insufficientScope = "insufficient_scope"
        /// The user did not allow it.
        case accessDenied = "access_denied"
        /// Nobody is signed in, and nobody may be asked (OpenID Connect Core, section 3.1.2.6).
        case loginRequired = "login_required"
        /// The user has not allowed it yet, and may not be asked.
        case consentRequired = "consent_required"
        /// Request objects are not taken.
        case requestNotSupported = "request_not_supported"
        /// Addresses of request objects are not taken.
        case requestURINotSupported = "request_uri_not_supported"
        /// Clients do not register themselves by a request.
        case registrationNotSupported = "registration_not_supported"
        /// Tokens of that type are not ended here (RFC 7009).
        case unsupportedTokenType = "unsupported_token_type"
        /// Nobody has allowed the device its tokens yet (RFC 8628).
        case authorizationPending = "authorization_pending"
        /// The device asks too often (RFC 8628).
        case slowDown = "slow_down"
        /// The device code has expired, or was used (RFC 8628).
        case expiredToken = "expired_token"
        /// The client asks for more at once than it may have; or the service is busy.
        case temporarilyUnavailable = "temporarily_unavailable"
        /// What went wrong is the service's fault.
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
