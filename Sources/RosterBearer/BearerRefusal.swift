public import Foundation
import RosterOpenID

/// The parts of a challenge that the kind of the error does not decide.
package struct ChallengeForm: Sendable, Hashable {
    /// The protection space.
    let realm: String
    /// The address of the API's metadata (RFC 9728); nil if it has none.
    var metadata: String?
    /// Whether the request's token has the scheme DPoP.
    var isBound = false

    package init(realm: String, metadata: String? = nil) { (self.realm, self.metadata) = (realm, metadata) }
}

/// The refusal of a request. The client learns a code and nothing about the reason; the log gets the reason, which never holds the
/// token.
public struct BearerRefusal: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a refusal (RFC 6750, section 3.1).
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request has no bearer token. The challenge has no error code (401).
        case missingToken = "missing_token"
        /// The request sends a token in the wrong way, such as twice or in the query (400).
        case invalidRequest = "invalid_request"
        /// The token is malformed, wrong, expired, revoked, or for another API (401).
        case invalidToken = "invalid_token"
        /// The proof of the token's key is missing or wrong, or was used before (RFC 9449; 401).
        case invalidProof = "invalid_dpop_proof"
        /// The token allows less than the request needs (403).
        case insufficientScope = "insufficient_scope"
        /// The issuer does not answer, so that nobody knows whether the token is good (503). The client must keep its token.
        case unavailable = "temporarily_unavailable"
    }

    /// The kind of the refusal.
    public let code: Code
    /// The reason, for the log. Do not send the reason to the client.
    public let reason: String
    /// The value of `WWW-Authenticate`; nil for ``Code/unavailable``.
    public let challenge: String?
    /// The seconds after which the client can try again; nil unless the issuer does not answer.
    public let retryAfter: Int?

    /// Makes a refusal.
    ///
    /// - Parameters:
    ///   - scopes: The scopes that the challenge names, because the request needs all of them; for ``Code/insufficientScope``.
    package init(_ code: Code, _ reason: String, _ form: ChallengeForm, scopes: [String] = []) {
        (self.code, self.reason) = (code, reason)
        retryAfter = code == .unavailable ? 5 : nil
        let isBound = form.isBound || code == .invalidProof
        var field = "\(isBound ? "DPoP" : "Bearer") realm=\"\(form.realm)\""
        if code != .missingToken { field += ", error=\"\(code.rawValue)\"" }
        if code == .insufficientScope, !scopes.isEmpty { field += ", scope=\"\(scopes.joined(separator: " "))\"" }
        if isBound {
            field += ", algs=\"\(PossessionProof.algorithms.map(\.rawValue).joined(separator: " "))\""
        }
        if let metadata = form.metadata { field += ", resource_metadata=\"\(metadata)\"" }
        challenge = code == .unavailable ? nil : field
    }

    /// The status code of the answer.
    public var status: Int {
        switch code {
        case .missingToken, .invalidToken, .invalidProof: 401
        case .invalidRequest: 400
        case .insufficientScope: 403
        case .unavailable: 503
        }
    }

    /// A text that the client may see.
    public var description: String {
        switch code {
        case .missingToken: "Send an access token as a bearer token."
        case .invalidRequest: "Send one access token in the field Authorization, and nowhere else."
        case .invalidToken: "The access token is not accepted. Get a new one."
        case .invalidProof: "Send a new proof of the access token's key in the field DPoP."
        case .insufficientScope: "The access token allows less than this request needs."
        case .unavailable: "The access token cannot be checked now. Keep the token and try again later."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
