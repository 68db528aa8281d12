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

    /// - Parameter value: The value of a parameter by its name; nil for one that was not sent, or without a value.
    package init(resources: [String], value: @escaping @Sendable (String) -> String?) {
        (self.resources, self.value) = (resources, value)
    }

    subscript(name: String) -> String? { value(name) }
}

/// A client's checked request that a user signs in and lets the client have tokens (RFC 6749, section 4.1.1; OpenID Connect
/// Core, section 3.1.2.1).
package struct AuthorizationRequest: Sendable {
    package let backend: Backend
    /// The address that the browser is sent back to.
    package let redirectURI: String
    package let scopes: [Scope]
    /// The client's `state`, which it gets back.
    package let state: String?
    /// The client's `nonce`, which the id token repeats.
    package let nonce: String?
    package let challenge: String
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

    package enum Problem: Error, Sendable {
        /// The client or its address cannot be trusted. The browser stays here and shows this text.
        case stay(String)
        /// The browser goes back to the client with an error.
        case redirect(OAuthError, to: String, state: String?)
    }

    /// Checks the parameters of a request.
    ///
    /// - Throws: ``Problem``.
    package init(_ sent: AuthorizationParameters, _ clients: ClientDirectory, issuer: String) throws {
        guard let clientID = sent["client_id"], clientID.utf8.count <= 128,
            let backend = try clients.backend(.clientID(clientID))
        else { throw Problem.stay("The app that sent you here is not known.") }
        self.backend = backend
        let registered = backend.settings.redirectURIs
        if let uri = sent["redirect_uri"] {
            guard uri.utf8.count <= 2_048, RedirectURI.matches(uri, registered) else {
                throw Problem.stay("The app wants the answer at an address that is not registered for it.")
            }
            redirectURI = uri
        } else {
            // OpenID Connect requires it; plain OAuth lets a client with one address leave it out.
            guard registered.count == 1, let only = registered.first else {
                throw Problem.stay("The app does not say where it wants the answer.")
            }
            redirectURI = only
        }
        let (uri, state) = (redirectURI, sent["state"])
        func refuse(_ code: OAuthError.Code, _ text: String) -> Problem {
            .redirect(OAuthError(code, text), to: uri, state: state)
        }
        self.state = state
        guard (state?.utf8.count ?? 0) <= 2_048, (sent["nonce"]?.utf8.count ?? 0) <= 512 else {
            throw refuse(.invalidRequest, "'state' or 'nonce' is too long.")
        }
        guard let type = sent["response_type"] else { throw refuse(.invalidRequest, "'response_type' is missing.") }
        guard type == "code" else { throw refuse(.unsupportedResponseType, "Only 'code' is answered.") }
        guard backend.settings.grants.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "The client may not use the code flow.")
        }
        if let mode = sent["response_mode"], mode != "query" {
            throw refuse(.invalidRequest, "Only the response mode 'query' is supported.")
        }
        if sent["request"] != nil { throw refuse(.requestNotSupported, "Request objects are not supported.") }
        if sent["request_uri"] != nil { throw refuse(.requestURINotSupported, "Request objects are not supported.") }
        if sent["registration"] != nil { throw refuse(.registrationNotSupported, "Clients are registered before.") }
        guard let challenge = sent["code_challenge"] else {
            throw refuse(.invalidRequest, "PKCE is required: send 'code_challenge' with the method S256.")
        }
        guard sent["code_challenge_method"] == "S256" else {
            throw refuse(.invalidRequest, "The 'code_challenge_method' must be S256.")
        }
        guard challenge.utf8.count == 43, Base64URL.bytes(challenge) != nil else {
            throw refuse(.invalidRequest, "The 'code_challenge' is no SHA-256 in base64url.")
        }
        self.challenge = challenge
        do {
            scopes = try Self.scopes(sent["scope"], backend)
            audiences = try backend.audiences(sent.resources, issuer: issuer)
        } catch let error as OAuthError {
            throw Problem.redirect(error, to: uri, state: state)
        }
        nonce = sent["nonce"]
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

    /// The scopes that ask for claims about a user (OpenID Connect Core, section 5.4).
    static let claims: Set<Scope> = [.profile, .email, .phone, .address]

    /// The scopes that a request gets, each once. A request without `scope` gets all of the backend's scopes but
    /// `offline_access` and `directory:manage`.
    ///
    /// - Throws: ``OAuthError`` `invalid_scope`.
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
                backend.settings.scopes.filter(claims.contains).forEach(add)
            } else if !asked.contains(.openID) || !claims.union([.offlineAccess]).contains(scope) {
                throw OAuthError(.invalidScope, "The client may not have one of the scopes that it asks for.")
            }
            // OpenID Connect clients ask for these scopes out of habit. They are left out, and the answer lists what is left.
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

/// The authorization that an authorization code stands for until the client redeems the code.
package struct Authorization: Sendable, Codable {
    let backend: BackendID
    let redirectURI: String?
    let challenge: String?
    let holder: Holder
    let detail: GrantDetail
    let nonce: String?
    let session: String?
    /// The grant that was made for the code. It ends if the code is used a second time.
    var grant: Grant?
    var isUsed = false
    var wasReused = false
    let expires: Date
}
