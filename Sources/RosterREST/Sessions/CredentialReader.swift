package import RosterSignIn

/// Reads the credentials of requests that an interface's clients send in their own way, on every path.
package struct CredentialReader: Sendable {
    /// A header field that is read if `Authorization` is missing.
    var authorizationField: String?
    /// The header fields that belong to a credential.
    var credentialFields: [String] = []
    /// Turns the interface's scheme and credential into those of HTTP, also in `Authorization`; nil for a scheme of other interfaces.
    var standard: (@Sendable (_ scheme: String, _ text: String) -> (scheme: String, text: String)?)?
    /// Returns the credential of an app that names its backend beside HTTP Basic; nil for a request that names no backend.
    var backend:
        (
            @Sendable (HTTPRequest, _ text: String, _ login: @escaping @Sendable (String) -> Login?) ->
                BackendCredential?
        )?
    var session: Session?
    /// Returns the challenge for a request without a credential; nil if the service sends its usual challenge.
    var challenge: (@Sendable (HTTPRequest, ServiceContext) throws -> RequestError?)?

    /// Reads the sessions that requests bring in a cookie of the interface.
    package struct Session: Sendable {
        /// Returns the value of the session of a request; nil for a request without a session.
        let value: @Sendable (HTTPRequest) -> String?
        /// Refuses a request of a page that may not use the session.
        let check: @Sendable (HTTPRequest, ServiceContext) throws -> Void
        /// Returns the cookie for a session that the request has prolonged to a lifetime in seconds; nil for a request without the cookie.
        let renewed: @Sendable (HTTPRequest, ServiceContext, _ lifetime: Double) -> String?

        package init(
            value: @escaping @Sendable (HTTPRequest) -> String?,
            check: @escaping @Sendable (HTTPRequest, ServiceContext) throws -> Void,
            renewed: @escaping @Sendable (HTTPRequest, ServiceContext, _ lifetime: Double) -> String?
        ) {
            self.value = value
            self.check = check
            self.renewed = renewed
        }
    }

    package init(
        authorizationField: String? = nil, credentialFields: [String] = [],
        standard: (@Sendable (_ scheme: String, _ text: String) -> (scheme: String, text: String)?)? = nil,
        backend: (
            @Sendable (HTTPRequest, _ text: String, _ login: @escaping @Sendable (String) -> Login?) ->
                BackendCredential?
        )? = nil, session: Session? = nil,
        challenge: (@Sendable (HTTPRequest, ServiceContext) throws -> RequestError?)? = nil
    ) {
        self.authorizationField = authorizationField
        self.credentialFields = credentialFields
        self.standard = standard
        self.backend = backend
        self.session = session
        self.challenge = challenge
    }
}

extension ServiceContext {
    /// Returns the session that a request brings in a cookie of an interface; nil for a request without such a session.
    package func interfaceSession(of request: HTTPRequest) -> (value: String, session: CredentialReader.Session)? {
        for case let session? in credentialReaders.lazy.map(\.session) {
            if let value = session.value(request) { return (value, session) }
        }
        return nil
    }

    /// Returns the `Set-Cookie` field for a session of an interface that a request has prolonged; nil for other requests.
    func renewedCookie(of request: HTTPRequest, lifetime: Double) -> String? {
        credentialReaders.lazy.compactMap { $0.session?.renewed(request, self, lifetime) }.first
    }

    /// Refuses requests of pages of other origins, also of those that the policy allows, and of other sites.
    func checkIsOwnPage(_ request: HTTPRequest) throws {
        let site = request.headers["Sec-Fetch-Site"] ?? "same-origin"
        guard ["same-origin", "none"].contains(site), request.headers["Origin"].map({ $0 == origin }) ?? true else {
            throw RequestError(.badRequest, "The session of the sign-in pages is for pages of this server only.")
        }
    }
}
