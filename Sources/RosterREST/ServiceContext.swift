package import Roster
package import RosterSignIn
import RosterText

/// What all requests share: the directory, who may enter, and what the service says about itself.
///
/// A class, since each request hands it on many times: to copy all that it holds cost a tenth of every read.
package final class ServiceContext: Sendable {
    let directory: Directory
    /// Where the service is reached, without a slash at the end. Links are made of this, never of what a request claims.
    let baseURL: String
    /// The names under which a request may ask for the service; empty for any.
    let hosts: Set<String>
    /// The host and port of the address, as clients write them in `Host`; nil where that is not one of the names.
    private let usualHost: String?
    /// Whether passwords and tokens are taken over connections that others can read along.
    let allowsPlainCredentials: Bool
    let authenticators: [any Authenticator]
    let passwords: PasswordKeeper
    let oauth: OAuthService
    let relyingParty: RelyingParty
    let testProvider: TestProvider?
    let seal: Seal
    /// Whose pages may ask the service from a browser (`Security_AllowOrigin`).
    let crossOrigin: CrossOriginPolicy
    let metrics: Metrics
    let vocabularies = DerivedVocabulary.Memory()
    let openAPI = OpenAPI.Memory()
    /// How often somebody who listens is shown that the server is still there, and must still be let in.
    let keepAliveInterval: Duration
    let isDraining: @Sendable () -> Bool
    /// Takes a record of each request; nil where nobody keeps any.
    let log: (@Sendable (RequestRecord) -> Void)?

    /// Describes the service.
    ///
    /// - Parameters:
    ///   - directory: What is served.
    ///   - baseURL: Where the service is reached, such as `https://id.example.com`.
    ///   - hosts: The names, without ports, under which a request may ask for the service; empty for any.
    ///   - allowsPlainCredentials: Whether passwords and tokens are taken over connections that others can read along.
    ///   - signIn: Who may enter.
    ///   - crossOrigin: Whose pages may ask the service from a browser.
    ///   - keepAliveInterval: How often somebody who listens is shown that the server is there.
    ///   - isDraining: Whether the server is about to stop, so that `/readyz` says so.
    ///   - log: Takes a record of each request; nil where nobody keeps any.
    package init(
        directory: Directory, baseURL: String, hosts: Set<String> = [], allowsPlainCredentials: Bool = false,
        signIn: SignIn, crossOrigin: CrossOriginPolicy = .disallow, keepAliveInterval: Duration = .seconds(15),
        isDraining: @escaping @Sendable () -> Bool = { false },
        log: (@Sendable (RequestRecord) -> Void)? = nil
    ) throws {
        self.directory = directory
        self.baseURL = baseURL
        self.hosts = hosts
        let own = baseURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
        usualHost = own.flatMap { hosts.contains(Self.name(ofHost: $0).lowercased()) ? $0 : nil }
        self.allowsPlainCredentials = allowsPlainCredentials
        authenticators = signIn.authenticators
        passwords = signIn.passwords
        oauth = signIn.oauth
        relyingParty = signIn.relyingParty
        testProvider = signIn.testProvider
        seal = try Seal(key: directory.signingKey())
        metrics = Metrics()
        self.crossOrigin = crossOrigin
        self.keepAliveInterval = keepAliveInterval
        self.isDraining = isDraining
        self.log = log
    }

    /// Refuses requests for other hosts: a page of a stranger's must not reach a server on this machine by giving its own
    /// name this machine's address. And header fields that could not be compared in time, for servers that let them pass.
    func check(_ request: HTTPRequest) throws {
        guard !request.headers.fields.contains(where: \.value.hasEndlessMarks) else {
            throw RequestError(.badRequest, "A header field has more than 256 combining marks in a row.")
        }
        guard !hosts.isEmpty else { return }
        for field in request.headers.fields where HTTPHeaders.isSame(field.name, "Host") {
            // As nearly everybody writes it.
            if field.value == usualHost { continue }
            try check(host: field.value)
        }
    }

    private func check(host: String) throws {
        let name = Self.name(ofHost: host)
        let port = host[name.endIndex...]
        guard hosts.contains(name.lowercased()), port.isEmpty || port.hasPrefix(":") else {
            throw RequestError(.misdirected, "This server does not go by that name. See --public-url.")
        }
    }

    /// The name in a `Host` field, without the port.
    private static func name(ofHost host: String) -> Substring {
        let bracket = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
        return host[..<(bracket ?? host.firstIndex(of: ":") ?? host.endIndex)]
    }

    // MARK: Who asks

    /// Basic is taken but not asked for: a browser that is asked shows a window of its own, keeps the password, and sends it
    /// with whatever other sites have it request; and Foundation's URLSession on Linux never returns from such an answer.
    static let notAuthenticated = RequestError(
        .notAuthenticated,
        "Sign in with HTTP Basic or a bearer token. What was sent, if anything, is wrong or not enough.",
        headers: ["WWW-Authenticate": "Bearer realm=\"Roster\""])

    /// The answer to HTTP Basic without a backend where the server does not take that. The password was not looked at.
    private static let needsBackend = RequestError(
        .notAuthenticated,
        "This server takes HTTP Basic only together with Oracle-Mobile-Backend-ID. Name a backend, or bring a token.",
        headers: ["WWW-Authenticate": "Bearer realm=\"Roster\""])

    /// The same to a request with a token that is not good: its client must get another, and not ask again
    /// (RFC 6750, section 3.1).
    private static let badToken = RequestError(
        .notAuthenticated, "The bearer token is wrong, has expired or was ended. Get a new one.",
        headers: [
            "WWW-Authenticate": """
            Bearer realm="Roster", error="invalid_token", error_description="It is wrong, has expired or was ended"
            """
        ])

    /// Turns an authentication failure into the 401 that the request needs; returns other errors unchanged.
    static func challenge(_ error: any Error, to request: HTTPRequest) -> any Error {
        guard error as? AuthenticationFailure == .wrong else { return error }
        return (try? credentials(of: request))?.scheme == "bearer" ? badToken : notAuthenticated
    }

    func authenticate(_ request: HTTPRequest) throws -> Authentication {
        guard let (scheme, credentials) = try Self.credentials(of: request) else { return try session(of: request) }
        guard request.isConfidential || allowsPlainCredentials else {
            throw RequestError(.notPermitted, "Passwords and tokens are taken over TLS only. Use https.")
        }
        // Most requests name no backend; they need not be asked for one.
        if scheme == "basic", request.headers[BackendAccess.field] != nil {
            return try BackendAccess(context: self).authenticate(request, credentials) {
                try authenticate(scheme, credentials, from: request.peer)
            }
        }
        guard scheme != "basic" || oauth.direct.allowsBasic else { throw Self.needsBackend }
        return try authenticate(scheme, credentials, from: request.peer)
    }

    private func authenticate(_ scheme: String, _ credentials: String, from peer: String) throws -> Authentication {
        for authenticator in authenticators {
            switch authenticator.authenticate(scheme: scheme, credentials: credentials, from: peer) {
            case .notMine: continue
            case .refused(let failure): throw failure
            case let found: return found
            }
        }
        return .notMine
    }

    /// Who sends the cookie of a session. A page of another origin cannot use it: browsers say where a request comes from,
    /// and send the cookie along with links only.
    private func session(of request: HTTPRequest) throws -> Authentication {
        guard let cookie = SessionAPI.value(in: request) else { return .notMine }
        try SessionAPI.checkOrigin(
            request, self, "A session is not taken from pages of other origins (login_origin).")
        guard let (session, isStale) = try oauth.sessions.look(cookie, now: oauth.clock()) else {
            return .refused(.wrong)
        }
        let caller: Caller
        switch session.holder {
        case .user(let id): caller = .user(id)
        case .virtualUser(let id):
            guard let user = try directory.virtualUser(id) else { return .refused(.wrong) }
            caller = .virtualUser(issuer: user.issuer, subject: user.subject)
        }
        var identity = Identity(caller, name: session.name)
        identity.presence = .person(session.personalSignIn)
        if session.isOneTime {
            return .later { [oauth, identity] in
                // Of two requests at once, one finds it gone.
                guard try await oauth.sessions.spend(cookie) else { throw AuthenticationFailure.wrong }
                var identity = identity
                identity.isOneTime = true
                return identity
            }
        }
        guard isStale else { return .identified(identity) }
        return .later { [oauth, identity] in
            _ = try await oauth.sessions.use(cookie, now: oauth.clock())
            // Where it lives on, so does the cookie.
            var identity = identity
            guard Cookies.value(SessionAPI.cookie, in: request) != nil else { return identity }
            identity.renewal = SessionAPI.field(cookie, self, maximumAge: Int(session.lifetime))
            return identity
        }
    }

    /// Whether what a request came with would still let in whom it let in. An answer that goes on for hours must not
    /// outlive a token or a password.
    func stillLetsIn(_ identity: Identity?, _ request: HTTPRequest) async -> Bool {
        do {
            if let identity, identity.isOneTime {
                // It lets nobody in again, but what it began ends with it.
                guard let cookie = SessionAPI.value(in: request) else { return false }
                return try await oauth.sessions.goesOn(cookie, now: oauth.clock())
            }
            // When a password was given is no part of who gave it.
            func isSame(_ found: Identity) -> Bool {
                var found = found
                found.renewal = nil
                found.presence = identity?.presence ?? found.presence
                return found == identity
            }
            switch try authenticate(request) {
            case .identified(let found): return isSame(found)
            case .later(let work): return isSame(try await work())
            case .notMine, .refused: return false
            }
        } catch {
            // Too much to do at this moment says nothing about who it is.
            return error as? AuthenticationFailure != .wrong
        }
    }

    /// The scheme in lower case and what follows it.
    static func credentials(of request: HTTPRequest) throws -> (scheme: String, credentials: String)? {
        var standard: String?
        var oracle: String?
        for field in request.headers.fields {
            let isStandard = HTTPHeaders.isSame(field.name, "Authorization")
            guard isStandard || HTTPHeaders.isSame(field.name, "X-IDAAS-REST-AUTHORIZATION") else { continue }
            guard (isStandard ? standard : oracle) == nil else {
                throw RequestError(.badRequest, "The request has several Authorization fields.")
            }
            if isStandard { standard = field.value } else { oracle = field.value }
        }
        guard let field = standard ?? oracle else { return nil }
        guard let space = field.utf8.firstIndex(of: UInt8(ascii: " ")) else { return ("", field) }
        let rest = field.utf8[space...].drop { $0 == UInt8(ascii: " ") }
        let credentials = String(Substring(rest))
        switch field[..<space].lowercased() {
        case "uidpassword":
            // UIDPASSWORD cred="base64 of name:password", as Mobile and Social writes it.
            let text = credentials.hasPrefix("cred=") ? credentials.dropFirst(5) : credentials[...]
            return ("basic", text.filter { $0 != "\"" })
        case "token", "oam-auth": return ("bearer", credentials)
        case let scheme: return (scheme, credentials)
        }
    }

    /// Turns a failed sign-in into what is answered; returns other errors unchanged.
    static func requestError(_ error: any Error) -> any Error {
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
        case .secondFactorRequired(let questions):
            return RequestError(.notAuthenticated, failure.description, questions: questions)
        }
    }
}
