import Foundation
import Roster
import RosterCrypto
import RosterText

/// A client's request that somebody signs in and lets it have tokens (RFC 6749, section 4.1.1; OpenID Connect Core, section
/// 3.1.2.1), checked.
package struct AuthorizationRequest: Sendable {
    /// Who asks.
    package let backend: Backend
    /// Where the browser is sent back to.
    package let redirectURI: String
    /// What is asked for.
    package let scopes: [String]
    package let state: String?
    package let nonce: String?
    /// The S256 challenge of RFC 7636.
    package let challenge: String
    /// `none`, `login`, `consent`; `select_account` is a login.
    package let prompts: Set<String>
    /// How long ago the user may have proved who they are, in seconds.
    package let maximumAge: Int64?
    /// `acr_values`: in which ways the user may prove who they are, by the names of a provider.
    package let contexts: [String]
    package let loginHint: String?
    /// An id token of the user whom the app means.
    package let idTokenHint: String?
    /// For whom the tokens are to be (RFC 8707).
    let audiences: [String]

    /// Why a request cannot be answered.
    package enum Problem: Error, Sendable {
        /// The client or its address cannot be trusted: the browser stays here, and is shown this.
        case stay(String)
        /// The client is told.
        case redirect(OAuthError, to: String, state: String?)
    }

    /// Checks a request.
    ///
    /// - Throws: ``Problem``.
    package init(_ form: Form, _ clients: ClientDirectory, issuer: String) throws {
        guard let clientID = form["client_id"], clientID.utf8.count <= 128,
            let backend = try clients.backend(.clientID(clientID))
        else { throw Problem.stay("The app that sent you here is not known.") }
        self.backend = backend
        let registered = backend.settings.redirectURIs
        if let uri = form["redirect_uri"] {
            guard uri.utf8.count <= 2_048, RedirectURI.matches(uri, registered) else {
                throw Problem.stay("The app wants the answer at an address that is not registered for it.")
            }
            redirectURI = uri
        } else {
            // OpenID Connect wants it given always; plain OAuth may leave it out where there is one only.
            guard registered.count == 1, let only = registered.first else {
                throw Problem.stay("The app does not say where it wants the answer.")
            }
            redirectURI = only
        }
        let (uri, state) = (redirectURI, form["state"])
        func refuse(_ code: OAuthError.Code, _ text: String) -> Problem {
            .redirect(OAuthError(code, text), to: uri, state: state)
        }
        self.state = state
        guard (state?.utf8.count ?? 0) <= 2_048, (form["nonce"]?.utf8.count ?? 0) <= 512 else {
            throw refuse(.invalidRequest, "'state' or 'nonce' is too long.")
        }
        guard let type = form["response_type"] else { throw refuse(.invalidRequest, "'response_type' is missing.") }
        guard type == "code" else { throw refuse(.unsupportedResponseType, "Only 'code' is answered.") }
        guard backend.settings.grants.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "The client may not use the code flow.")
        }
        if let mode = form["response_mode"], mode != "query" {
            throw refuse(.invalidRequest, "Only the response mode 'query' is supported.")
        }
        if form["request"] != nil { throw refuse(.requestNotSupported, "Request objects are not supported.") }
        if form["request_uri"] != nil { throw refuse(.requestURINotSupported, "Request objects are not supported.") }
        if form["registration"] != nil { throw refuse(.registrationNotSupported, "Clients are registered before.") }
        guard let challenge = form["code_challenge"] else {
            throw refuse(.invalidRequest, "PKCE is required: send 'code_challenge' with the method S256.")
        }
        guard form["code_challenge_method"] == "S256" else {
            throw refuse(.invalidRequest, "The 'code_challenge_method' must be S256.")
        }
        guard challenge.utf8.count == 43, Base64URL.bytes(challenge) != nil else {
            throw refuse(.invalidRequest, "The 'code_challenge' is no SHA-256 in base64url.")
        }
        self.challenge = challenge
        do {
            scopes = try Self.scopes(form["scope"], backend)
            audiences = try backend.audiences(form, issuer: issuer)
        } catch let error as OAuthError {
            throw Problem.redirect(error, to: uri, state: state)
        }
        nonce = form["nonce"]
        prompts = Set((form["prompt"] ?? "").split(separator: " ").map(String.init))
        if prompts.contains("none"), prompts.count > 1 {
            throw refuse(.invalidRequest, "The prompt 'none' goes with no other.")
        }
        if let text = form["max_age"] {
            guard let age = Int64(text), age >= 0 else {
                throw refuse(.invalidRequest, "'max_age' is a number from 0.")
            }
            maximumAge = age
        } else {
            maximumAge = nil
        }
        guard (form["acr_values"]?.utf8.count ?? 0) <= 256 else {
            throw refuse(.invalidRequest, "'acr_values' is too long.")
        }
        contexts = (form["acr_values"] ?? "").split(separator: " ").map(String.init)
        idTokenHint = form["id_token_hint"]
        loginHint = form["login_hint"].flatMap { $0.utf8.count <= 256 ? $0 : nil }
    }

    /// Those that tell of a user (OpenID Connect Core, section 5.4).
    static let claims: Set = ["profile", "email", "phone", "address"]

    /// What is asked for, each once; all that the backend may have where nothing is named.
    static func scopes(_ text: String?, _ backend: Backend) throws -> [String] {
        guard let text else {
            return backend.settings.scopes.filter { $0 != "offline_access" && $0 != managing }
        }
        var scopes: [String] = []
        func add(_ scope: String) {
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        let asked = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        for scope in asked {
            if isAllowed(scope, backend) {
                add(scope)
            } else if isConsumer(scope) {
                // The mobile cloud's clients send it always. It lets them read the profile of whoever has signed in.
                backend.settings.scopes.filter(claims.contains).forEach(add)
            } else if !asked.contains("openid") || !claims.union(["offline_access"]).contains(scope) {
                throw OAuthError(.invalidScope, "The client may not have one of the scopes that it asks for.")
            }
            // What OpenID Connect's clients ask for out of habit is left out, and the answer says so.
        }
        return scopes
    }

    /// Whether a backend may have a scope. That of the mobile cloud gives what 'directory' gives, and so needs it.
    static func isAllowed(_ scope: String, _ backend: Backend) -> Bool {
        guard scope != managing || backend.settings.isTrusted else { return false }
        return backend.settings.scopes.contains(scope)
            || isConsumer(scope) && backend.settings.scopes.contains("directory")
    }

    /// The scope by which a trusted backend may make changes that could take an account over, for a person who signed in
    /// within the last five minutes. It is given only where it is asked for by name.
    package static let managing = "directory:manage"

    /// The scope that the mobile cloud's clients send: the address of the service with this at its end.
    package static func isConsumer(_ scope: String) -> Bool { scope.hasSuffix("urn:opc:resource:consumer::all") }
}

/// What a browser brings back in exchange for tokens, and what they will be.
package struct Authorization: Sendable {
    let backend: BackendID
    let redirectURI: String?
    let challenge: String?
    let holder: Holder
    let detail: GrantDetail
    let nonce: String?
    let session: String?
    /// The grant of a code that has been used: whoever uses it again ends that.
    var grant: GrantRecord?
    var isUsed = false
    var wasReused = false
    let expires: Date
}

/// A device that waits for somebody to allow it tokens (RFC 8628).
package struct DeviceRequest: Sendable {
    enum State: Sendable {
        case pending
        case denied
        /// With the session in which it was allowed.
        case allowed(Holder, GrantDetail, session: String)
    }
    /// The client that runs on the device.
    package let backend: Backend
    /// What it asks for.
    package let scopes: [String]
    let audiences: [String]
    var state = State.pending
    var lastPoll = Date.distantPast
    var interval: TimeInterval = 5
}
