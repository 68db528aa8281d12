public import Foundation

/// A refusal with one of OAuth's registered error codes (RFC 6749, sections 4.1.2.1 and 5.2).
public struct OAuthError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The registered error codes.
    public enum Code: String, Sendable, Hashable {
        /// A parameter is missing, given twice or not understood.
        case invalidRequest = "invalid_request"
        /// The client is not known, or has not proved who it is.
        case invalidClient = "invalid_client"
        /// The code, token, assertion or password is wrong, has ended, or is another client's.
        case invalidGrant = "invalid_grant"
        /// The client may not use this grant.
        case unauthorizedClient = "unauthorized_client"
        /// The service knows no such grant.
        case unsupportedGrantType = "unsupported_grant_type"
        /// The service supports only the code flow.
        case unsupportedResponseType = "unsupported_response_type"
        /// The client asks for a scope that it may not have, or that was not granted.
        case invalidScope = "invalid_scope"
        /// The client may have no tokens for that audience (RFC 8707).
        case invalidTarget = "invalid_target"
        /// The access token is wrong, has expired or was ended (RFC 6750).
        case invalidToken = "invalid_token"
        /// The access token allows less than what was asked (RFC 6750).
        case insufficientScope = "insufficient_scope"
        /// The user did not allow it.
        case accessDenied = "access_denied"
        /// Nobody is signed in, and the app forbids to show a page (OpenID Connect Core, section 3.1.2.6).
        case loginRequired = "login_required"
        /// The user has not allowed it yet, and the app forbids to ask.
        case consentRequired = "consent_required"
        /// An address cannot be registered (RFC 7591).
        case invalidRedirectURI = "invalid_redirect_uri"
        /// The description of an app cannot be used (RFC 7591).
        case invalidClientMetadata = "invalid_client_metadata"
        /// The proof of a key is missing or wrong, or was used before (RFC 9449).
        case invalidDPoPProof = "invalid_dpop_proof"
        /// The user cannot be authenticated in the way that the app requires (OpenID Connect Core Unmet Authentication Requirements).
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        /// The service does not support request objects.
        case requestNotSupported = "request_not_supported"
        /// The service does not support addresses of request objects.
        case requestURINotSupported = "request_uri_not_supported"
        /// The service does not support registration by a request.
        case registrationNotSupported = "registration_not_supported"
        /// Nobody has approved the device yet (RFC 8628).
        case authorizationPending = "authorization_pending"
        /// The device asks too often (RFC 8628).
        case slowDown = "slow_down"
        /// The device code has expired, or was used (RFC 8628).
        case expiredToken = "expired_token"
        /// The client has too many requests open, or the service is busy.
        case temporarilyUnavailable = "temporarily_unavailable"
        /// The service failed.
        case serverError = "server_error"
        /// The second factor is missing. Other products use this code; it is not registered.
        case secondFactorRequired = "mfa_required"
    }

    /// The error code.
    public let code: Code
    /// The text says what was wrong and what to do. It is visible ASCII without quotes (RFC 6749), and holds no secret.
    public let text: String
    /// The seconds after which the client may try again; nil if waiting does not help.
    public package(set) var retryAfter: Int?
    /// The challenge questions that the user has to answer.
    public package(set) var questions: [String]

    /// The error code and the text.
    public var description: String { "\(code.rawValue): \(text)" }
    /// The text, without the error code.
    public var errorDescription: String? { text }

    package init(_ code: Code, _ text: String, retryAfter: Int? = nil, questions: [String] = []) {
        (self.questions, self.code, self.text, self.retryAfter) = (questions, code, text, retryAfter)
    }

    /// A parameter that the request needs is not given.
    package static func missing(_ parameter: String) -> OAuthError {
        OAuthError(.invalidRequest, "The parameter '\(parameter)' is missing.")
    }
}
