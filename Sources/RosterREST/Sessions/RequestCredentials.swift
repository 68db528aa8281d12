import Foundation
import Roster
package import RosterOpenID
import RosterSignIn
import RosterText

/// The credential of a request, read from its header fields and cookies.
extension ServiceContext {
    /// Finds out who sends a request, and records the outcome in the change feed.
    ///
    /// - Throws: ``RequestError`` for a request whose credential is not even looked at; `DirectoryError`.
    func signIn(_ request: HTTPRequest) throws -> Authentication {
        guard let (credential, place) = try credential(of: request) else { return .refused(.wrong) }
        return try oauth.signingIn.signIn(credential, at: place, from: request.origin)
    }

    /// Returns the credentials of a request as texts: the scheme, the credential, and the fields that belong to the credential.
    /// Returns nil for a request without credentials.
    func credentialTexts(of request: HTTPRequest) -> [String]? {
        if let found = try? credentials(of: request) {
            let fields = credentialReaders.flatMap(\.credentialFields)
            return [found.scheme, found.credentials] + fields.flatMap { request.headers.values(of: $0) }
        }
        return (interfaceSession(of: request)?.value ?? browserCookie.value(in: request)).map { ["session", $0] }
    }

    /// The credential of a request; nil for a request without one.
    private func credential(of request: HTTPRequest) throws -> (Credential, SignInPlace)? {
        guard let (scheme, text) = try credentials(of: request) else {
            return try session(of: request).map { (.session($0), .request(scheme: "session") { nil }) }
        }
        guard request.isConfidential || allowsPlainCredentials else {
            throw RequestError(.notPermitted, "Passwords and tokens are accepted over TLS only. Use https.")
        }
        switch scheme {
        case "basic":
            let place = SignInPlace.request(scheme: scheme) { Self.claimedName(text) }
            for case let backend? in credentialReaders.lazy.map(\.backend) {
                if let credential = backend(request, text, Self.login) { return (.backend(credential), place) }
            }
            // Most requests name no backend, and are not asked for one. App passwords are for reading by SCIM only.
            guard oauth.settings.current.allowsBareBasic else {
                throw credentialReaders.contains { $0.backend != nil } ? Self.needsBackend : Self.needsToken
            }
            return (
                request.isRead(below: SCIMInterface.base) ? .app(.scim, text, Self.login) : .basic(text, Self.login),
                place
            )
        case "bearer": return (.bearer(text), .request(scheme: scheme) { nil })
        case "dpop":
            return (.bound(text, try? possession(of: request)), .request(scheme: scheme) { nil })
        default:
            // The feed does not show the sender's own words: somebody who leaves the scheme out may have sent a secret instead.
            let isKnown = ["digest", "session"].contains(scheme)
            return (.unreadable, .request(scheme: isKnown ? scheme : "other") { nil })
        }
    }

    /// The proof of a key in the field `DPoP` (RFC 9449), with the request that it has to be for; nil for a request without one.
    ///
    /// - Throws: `OAuthError` `invalid_dpop_proof` for several fields.
    package func possession(of request: HTTPRequest) throws -> PossessionProof.Sent? {
        let fields = request.headers.values(of: "DPoP")
        guard fields.count <= 1 else { throw OAuthError(.invalidDPoPProof, "The request has several DPoP fields.") }
        return fields.first.map {
            PossessionProof.Sent(
                $0, method: request.method, url: baseURL + String(request.target.prefix { $0 != "?" }))
        }
    }

    /// The session of a request: that of an interface, or that of the sign-in pages; nil for a request without one.
    ///
    /// Browsers name the origin of the page that sends a request. Links are the only requests that other sites can make with the
    /// cookies.
    ///
    /// - Throws: 400 for a request of a page of another origin.
    package func session(of request: HTTPRequest) throws -> String? {
        if let (value, session) = interfaceSession(of: request) {
            try session.check(request, self)
            return value
        }
        guard let value = browserCookie.value(in: request) else { return nil }
        // Somebody who signed in to an app of another origin has this cookie as well, so no other origin may use it.
        try checkIsOwnPage(request)
        return value
    }

    /// The cookie of the session that began on the sign-in pages. The page for people uses the session as well.
    var browserCookie: HostCookie {
        HostCookie("roster_session", path: "/", isSecure: oauth.issuer.hasPrefix("https:"))
    }

    /// The name and the password in a text of HTTP Basic, which has no place for a second factor; nil for any other text.
    @Sendable private static func login(_ text: String) -> Login? {
        guard text.utf8.count <= 8_192, let pair = BasicCredentials(text) else { return nil }
        return Login(name: pair.name, password: pair.password, proof: nil)
    }

    /// The name in a text of HTTP Basic, also if the rest of the text cannot be read.
    private static func claimedName(_ text: String) -> String? {
        guard let data = Base64.bytes(text), let colon = data.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return String(decoding: data[..<colon].prefix(256), as: UTF8.self)
    }

    /// Whether the credential of a request would still be accepted, and belong to the same sender. An answer that goes on for
    /// hours must not outlive a token or a password.
    func stillAccepts(_ identity: Identity?, _ request: HTTPRequest) async -> Bool {
        do {
            if let identity, identity.isOneTime {
                // The session is used up, but what began with it ends when the session would end.
                guard let cookie = interfaceSession(of: request)?.value else { return false }
                return try await oauth.sessions.goesOn(cookie)
            }
            guard let (credential, _) = try credential(of: request) else { return false }
            // The proof of a key was used up when the request began.
            if case .bound(let token, _) = credential { return try oauth.credentials.stillAccepts(bound: token) }
            var found = try await oauth.signingIn.authenticate(credential, from: request.origin).identity()
            // Neither the time of a password nor the prolonged session belongs to the sender's identity.
            found.prolongedSession = nil
            found.presence = identity?.presence ?? found.presence
            return found == identity
        } catch {
            // A server that is too busy says nothing about the sender.
            return error as? AuthenticationFailure != .wrong
        }
    }

    /// The scheme in lower case, and what follows it; nil for a request without an `Authorization` field and without such a field of an
    /// interface.
    ///
    /// - Throws: 400 for several fields.
    package func credentials(of request: HTTPRequest) throws -> (scheme: String, credentials: String)? {
        func value(of name: String) throws -> String? {
            var found: String?
            for field in request.headers.fields where HTTPHeaders.isSame(field.name, name) {
                guard found == nil else {
                    throw RequestError(.badRequest, "The request has several \(name) fields.")
                }
                found = field.value
            }
            return found
        }
        var sent = try value(of: "Authorization")
        for case let name? in credentialReaders.lazy.map(\.authorizationField) {
            let other = try value(of: name)
            sent = sent ?? other
        }
        guard let field = sent else { return nil }
        guard let space = field.utf8.firstIndex(of: UInt8(ascii: " ")) else { return ("", field) }
        let rest = field.utf8[space...].drop { $0 == UInt8(ascii: " ") }
        let credentials = String(Substring(rest))
        let scheme = field[..<space].lowercased()
        for case let standard? in credentialReaders.lazy.map(\.standard) {
            if let (scheme, text) = standard(scheme, credentials) { return (scheme, text) }
        }
        return (scheme, credentials)
    }

    // MARK: Refusals

    /// The answer to a request without a good credential. It does not ask for Basic, although Basic is accepted: a browser that
    /// is asked shows a window of its own, keeps the password, and sends it with requests that other sites cause; and
    /// Foundation's URLSession on Linux never returns from such an answer.
    package static let notAuthenticated = RequestError(
        .notAuthenticated,
        "Sign in with HTTP Basic or a bearer token. The credentials of the request are missing, wrong or not enough.",
        headers: ["WWW-Authenticate": "Bearer realm=\"Roster\""])

    /// The answer to HTTP Basic without a backend, where the server does not accept that. The password was not looked at.
    private static let needsBackend = RequestError(
        .notAuthenticated,
        "This server accepts HTTP Basic only of an app that names its backend. Send a bearer token.",
        headers: ["WWW-Authenticate": "Bearer realm=\"Roster\""])

    /// The answer to HTTP Basic at a service that accepts none. The password was not looked at.
    private static let needsToken = RequestError(
        .notAuthenticated, "This server accepts no HTTP Basic. Send a bearer token.",
        headers: ["WWW-Authenticate": "Bearer realm=\"Roster\""])

    /// The answer to a request with a bad token. Its client must get another token and not ask again (RFC 6750, section 3.1).
    private static let badToken = RequestError(
        .notAuthenticated, "The bearer token is wrong, has expired or was ended. Get a new one.",
        headers: [
            "WWW-Authenticate": """
            Bearer realm="Roster", error="invalid_token", error_description="It is wrong, has expired or was ended"
            """
        ])

    /// The answer to a request with a bad token that is bound to a key, or with a bad proof of the key (RFC 9449, section 7.1).
    static let badProof = RequestError(
        .notAuthenticated, "The access token or the proof of its key is wrong, has expired or was used before.",
        headers: [
            "WWW-Authenticate": "DPoP realm=\"Roster\", error=\"invalid_token\", "
                + "algs=\"\(PossessionProof.algorithms.map(\.rawValue).joined(separator: " "))\""
        ])

    /// Turns an authentication failure into the 401 that the request needs; returns other errors unchanged.
    func challenge(_ error: any Error, to request: HTTPRequest) -> any Error {
        guard error as? AuthenticationFailure == .wrong else { return error }
        for case let challenge? in credentialReaders.lazy.map(\.challenge) {
            if let error = try? challenge(request, self) { return error }
        }
        switch (try? credentials(of: request))?.scheme {
        case "bearer": return Self.badToken
        case "dpop": return Self.badProof
        default: return Self.notAuthenticated
        }
    }

    private static func requestError(_ refusal: RelyingParty.Refusal) -> any Error {
        switch refusal {
        case .stale:
            RequestError(.badRequest, "This sign-in was not begun by this browser, or too long ago. Begin again.")
        case .badToken: RequestError(.notAuthenticated, "The provider's id token is not good, or not for this service.")
        case .notAsAsked:
            RequestError(.notAuthenticated, "The provider does not say that the sign-in is as new as asked.")
        // The client learns that the provider is at fault.
        case .provider(let text): RequestError(.badGateway, "The provider could not be used: \(text)")
        case .notAdmitted: RequestError(.notAuthenticated, "Invalid login")
        }
    }

    /// Turns a refused sign-in into the error that answers it; returns other errors unchanged.
    static func requestError(_ error: any Error) -> any Error {
        if let refusal = error as? RelyingParty.Refusal { return requestError(refusal) }
        guard let failure = error as? AuthenticationFailure else { return error }
        switch failure {
        case .wrong: return notAuthenticated
        case .tooManyAttempts(let seconds):
            return RequestError(
                .tooManyRequests, "There were too many attempts to sign in.",
                headers: ["Retry-After": String(seconds)])
        case .overloaded:
            return RequestError(
                .tooManyRequests, "Too many are signing in at this moment.", headers: ["Retry-After": "1"])
        case .secondFactorRequired(let questions), .secondFactorWrong(let questions):
            return RequestError(.notAuthenticated, failure.description, questions: questions)
        case .secondFactorLost: return RequestError(.notAuthenticated, failure.description)
        }
    }
}

extension HTTPRequest {
    /// Whether the request is one for reading, below a path.
    fileprivate func isRead(below base: String) -> Bool {
        guard target.hasPrefix(base + "/") else { return false }
        return ["GET", "HEAD"].contains(method) || method == "POST" && target.prefix { $0 != "?" }.hasSuffix("/.search")
    }
}
