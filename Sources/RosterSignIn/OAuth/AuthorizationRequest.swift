import Foundation
import Roster
import RosterCrypto
import RosterText

/// The parameters that an app sends to the authorization endpoint (RFC 6749, section 4.1.1; OpenID Connect Core, section
/// 3.1.2.1), as they were sent. ``AuthorizationRequest`` checks them.
package struct AuthorizationParameters: Sendable {
    private let value: @Sendable (String) -> String?
    /// `resource` (RFC 8707).
    let resources: [String]
    /// Whether the client pushed the parameters (RFC 9126).
    let isPushed: Bool

    /// - Parameter value: The value of a parameter by its name; nil for one that was not sent, or without a value.
    package init(resources: [String], isPushed: Bool = false, value: @escaping @Sendable (String) -> String?) {
        (self.resources, self.isPushed, self.value) = (resources, isPushed, value)
    }

    subscript(name: String) -> String? { value(name) }
}

/// The way in which the parameters of an answer reach the app (OAuth 2.0 Multiple Response Type Encoding Practices; OAuth 2.0 Form
/// Post Response Mode).
package enum ResponseMode: String, Sendable, CaseIterable {
    /// The parameters are in the query of the address. The default.
    case query
    /// The parameters are in the fragment of the address.
    case fragment
    /// The browser posts the parameters to the address.
    case formPost = "form_post"
}

/// The place where the answer to an authorization request goes, and the form of the answer.
package struct AnswerPlace: Sendable {
    /// The registered address that the browser is sent to.
    package let uri: String
    package let mode: ResponseMode
    /// The client's `state`, which the answer repeats.
    package let state: String?
}

/// A client's checked request that a user signs in and lets the client have tokens (RFC 6749, section 4.1.1; OpenID Connect
/// Core, section 3.1.2.1).
package struct AuthorizationRequest: Sendable {
    package let backend: Backend
    /// The place where the browser takes the answer.
    package let place: AnswerPlace
    package let scopes: [Scope]
    /// The client's `nonce`, which the id token repeats.
    package let nonce: String?
    /// The challenge of the client (RFC 7636); nil for a confidential client that sends a nonce in its place.
    package let challenge: String?
    /// `none`, `login`, `consent`, or `select_account`, which has the effect of `login`.
    package let prompts: Set<String>
    /// The longest time since the user proved who they are, in seconds.
    package let maximumAge: Int64?
    /// `acr_values`: the ways in which the user may prove who they are, in the names of a provider.
    package let contexts: [String]
    package let loginHint: String?
    /// An id token of the user whom the client expects.
    package let idTokenHint: String?
    let audiences: [String]
    /// The thumbprint of the key that must redeem the code (RFC 9449, section 10); nil for any client that has the code.
    let key: String?
    /// The claims that the client asks for by name.
    let claims: ClaimsRequest?

    /// The scopes that a user is asked about: those of the request, and those whose claims the client asks for by name.
    package var scopesToAllow: [Scope] {
        scopes + (claims?.scopes(for: backend) ?? []).filter { !scopes.contains($0) }
    }

    /// Whether the client accepts a person with this `sub`, if it names the person whom it expects.
    package func accepts(_ subject: String) -> Bool {
        guard let subjects = claims?.subjects, !subjects.isEmpty else { return true }
        return subjects.contains(subject)
    }

    package enum Problem: Error, Sendable {
        /// The client or its address cannot be trusted. The browser stays here and shows this text.
        case stay(String)
        /// The browser goes back to the client with an error.
        case redirect(OAuthError, AnswerPlace)
    }

    /// Checks the parameters of a request.
    ///
    /// - Throws: ``Problem``.
    package init(_ sent: AuthorizationParameters, _ clients: ClientDirectory, issuer: String) throws {
        guard let clientID = sent["client_id"], clientID.utf8.count <= 128,
            let backend = try clients.backend(.clientID(clientID))
        else { throw Problem.stay("The app that sent you here is not known.") }
        self.backend = backend
        let registered =
            backend.settings.redirectURIs + backend.settings.guardedOrigins.map { $0 + RedirectURI.guardedCallback }
        let uri: String
        if let asked = sent["redirect_uri"] {
            guard asked.utf8.count <= 2_048, RedirectURI.matches(asked, registered) else {
                throw Problem.stay("The app wants the answer at an address that is not registered for it.")
            }
            uri = asked
        } else {
            // OpenID Connect and FAPI require it; plain OAuth lets a client with one address leave it out.
            guard registered.count == 1, !backend.settings.isFAPI, let only = registered.first else {
                throw Problem.stay("The app does not say where it wants the answer.")
            }
            uri = only
        }
        let state = sent["state"]
        let mode: ResponseMode? = if let name = sent["response_mode"] { ResponseMode(rawValue: name) } else { .query }
        // An unknown mode is refused in the default one.
        let place = AnswerPlace(uri: uri, mode: mode ?? .query, state: state)
        self.place = place
        func refuse(_ code: OAuthError.Code, _ text: String) -> Problem { .redirect(OAuthError(code, text), place) }
        guard (state?.utf8.count ?? 0) <= 2_048, (sent["nonce"]?.utf8.count ?? 0) <= 512 else {
            throw refuse(.invalidRequest, "'state' or 'nonce' is too long.")
        }
        guard let type = sent["response_type"] else { throw refuse(.invalidRequest, "'response_type' is missing.") }
        guard type == "code" else { throw refuse(.unsupportedResponseType, "Only 'code' is answered.") }
        guard sent.isPushed || !backend.settings.needsPushedRequests else {
            throw refuse(.invalidRequest, "This client must push its authorization requests (RFC 9126).")
        }
        guard backend.settings.grants.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "The client may not use the code flow.")
        }
        guard mode != nil else {
            throw refuse(.invalidRequest, "The response modes are 'query', 'fragment' and 'form_post'.")
        }
        if sent["request"] != nil { throw refuse(.requestNotSupported, "Request objects are not supported.") }
        if sent["request_uri"] != nil { throw refuse(.requestURINotSupported, "Request objects are not supported.") }
        if sent["registration"] != nil { throw refuse(.registrationNotSupported, "Clients are registered before.") }
        do {
            scopes = try Self.scopes(sent["scope"], backend)
            audiences = try backend.audiences(sent.resources, issuer: issuer)
            challenge = try Self.challenge(sent, backend, scopes)
            claims = try sent["claims"].map { try ClaimsRequest($0) }
        } catch let error as OAuthError {
            throw Problem.redirect(error, place)
        }
        nonce = sent["nonce"]
        key = sent["dpop_jkt"]
        guard key.map({ $0.utf8.count == 43 }) ?? true else {
            throw refuse(.invalidRequest, "'dpop_jkt' is not a SHA-256 in base64url.")
        }
        prompts = Set((sent["prompt"] ?? "").words)
        if prompts.contains("none"), prompts.count > 1 {
            throw refuse(.invalidRequest, "The prompt 'none' goes with no other.")
        }
        if let text = sent["max_age"] {
            guard let age = Int64(text), age >= 0 else {
                throw refuse(.invalidRequest, "'max_age' is a number from 0.")
            }
            maximumAge = age
        } else {
            maximumAge = nil
        }
        guard (sent["acr_values"]?.utf8.count ?? 0) <= 256 else {
            throw refuse(.invalidRequest, "'acr_values' is too long.")
        }
        contexts = (sent["acr_values"] ?? "").words
        idTokenHint = sent["id_token_hint"]
        loginHint = sent["login_hint"].flatMap { $0.utf8.count <= 256 ? $0 : nil }
    }

    /// The challenge of a request. A confidential client may send a nonce in its place, which its id token repeats (OAuth 2.1, section
    /// 7.5.1), unless the backend's setting requires a challenge.
    ///
    /// - Throws: ``OAuthError`` `invalid_request`.
    private static func challenge(
        _ sent: AuthorizationParameters, _ backend: Backend, _ scopes: [Scope]
    ) throws -> String? {
        func refuse(_ text: String) -> OAuthError { OAuthError(.invalidRequest, text) }
        let method = sent["code_challenge_method"]
        guard let challenge = sent["code_challenge"] else {
            guard method == nil else { throw refuse("'code_challenge_method' is sent without a 'code_challenge'.") }
            guard !backend.settings.requiresProofKey else {
                throw refuse("PKCE is required of this client: send 'code_challenge' with the method S256.")
            }
            guard sent["nonce"] != nil, scopes.contains(.openID) else {
                throw refuse(
                    "Send 'code_challenge' with the method S256 (PKCE), or the scope 'openid' with a 'nonce'.")
            }
            return nil
        }
        guard method == "S256" else { throw refuse("The 'code_challenge_method' must be S256.") }
        guard challenge.utf8.count == 43, Base64URL.bytes(challenge) != nil else {
            throw refuse("The 'code_challenge' is not a SHA-256 in base64url.")
        }
        return challenge
    }

    /// The scopes that ask for claims about a user (OpenID Connect Core, section 5.4).
    static let claimScopes: Set<Scope> = [.profile, .email, .phone, .address]

    /// Computes the scopes that a request is granted, each once. A request without `scope` gets all of the backend's scopes but
    /// `offline_access` and `directory:manage`. The server ignores scopes that it does not know, or that the backend may not have
    /// (OpenID Connect Core, section 3.1.2.1). The answer to the app lists the granted scopes.
    ///
    /// - Throws: ``OAuthError`` `invalid_scope` if no scope is left.
    static func scopes(_ text: String?, _ backend: Backend) throws -> [Scope] {
        guard let text else {
            return backend.settings.scopes.filter { $0 != .offlineAccess && $0 != .directoryManage }
        }
        var scopes: [Scope] = []
        func add(_ scope: Scope) {
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        let asked = text.scopes
        for scope in asked {
            if isAllowed(scope, backend) {
                add(scope)
            } else if scope.isConsumer {
                // The mobile cloud's clients always send this scope. It lets them read the profile of the signed-in user.
                backend.settings.scopes.filter(claimScopes.contains).forEach(add)
            }
        }
        guard !scopes.isEmpty || asked.isEmpty || asked.contains(where: \.isConsumer) else {
            throw OAuthError(.invalidScope, "The client may have none of the scopes that it asks for.")
        }
        return scopes
    }

    /// Whether a backend may have a scope. The mobile cloud's scope allows what `directory` allows, and so requires it.
    static func isAllowed(_ scope: Scope, _ backend: Backend) -> Bool {
        guard scope != .directoryManage || backend.settings.isTrusted else { return false }
        return backend.settings.scopes.contains(scope)
            || scope.isConsumer && backend.settings.scopes.contains(.directory)
    }
}

/// The authorization that an authorization code represents until the client redeems the code.
package struct Authorization: Sendable, Codable {
    let backend: BackendID
    let redirectURI: String?
    let challenge: String?
    /// The thumbprint of the key that must redeem the code; nil for any.
    let key: String?
    let holder: Holder
    let detail: GrantDetail
    let nonce: String?
    let session: String?
    /// The grant that was made for the code. It ends if the code is used a second time.
    var grant: TokenGrant?
    var isUsed = false
    var wasReused = false
    let expires: Date
}
