import RosterText
package import RosterTransport

/// A token, and the scheme with which it is sent.
package struct RESTToken: Sendable {
    package static let bearer = "Bearer"

    package var scheme: String
    package let text: String
    /// Further fields that belong to the token.
    package var fields: TransportHeaders

    package init(scheme: String, text: String, fields: TransportHeaders = [:]) {
        (self.scheme, self.text, self.fields) = (scheme, text, fields)
    }

    /// The credentials for the one repetition of a request.
    enum Next: Sendable {
        /// An access token, in place of one that was refused; nil if none was.
        case bearer(refused: String?)
        /// A token for a Webgate, in place of one that was refused; nil if none was.
        case webgate(WebgateField, refused: String?)

        /// The text of the token that was refused.
        var refused: String? {
            switch self {
            case .bearer(let refused), .webgate(_, let refused): refused
            }
        }
    }

    /// The token with the scheme that a challenge asks for.
    func answering(_ next: Next) -> RESTToken {
        guard case .webgate = next else { return self }
        var token = self
        token.scheme = RESTTokens.webgate
        return token
    }

    package func authorizing(_ request: TransportRequest) -> TransportRequest {
        var request = request
        request.headers["Authorization"] = "\(scheme) \(text)"
        for field in fields.fields { request.headers[field.name] = field.value }
        return request
    }

    /// Decides about the repetition; nil if the answer is final.
    func next(after status: Int, _ headers: TransportHeaders) -> Next? {
        // A second attempt with the same password would count as another wrong password.
        guard status == 401, scheme != "Basic" else { return nil }
        let fields = AuthenticationField.challenges(in: headers.values(of: "WWW-Authenticate"))
        if let field = fields.lazy.compactMap(WebgateField.init).first {
            return .webgate(field, refused: scheme == RESTTokens.webgate ? text : nil)
        }
        guard fields.contains(where: { $0.scheme == "bearer" }) else { return nil }
        return .bearer(refused: scheme == Self.bearer ? text : nil)
    }
}

/// The tokens of the requests of one client. Access tokens are the account's; tokens for Webgates are kept for the life of the client.
package final class RESTTokens: Sendable {
    package enum Source: Sendable {
        case account(Account)
        case user(any RESTUser)
        case credentials(any RESTCredentials)
    }

    /// A Webgate at an origin, and the sign-in for which its tokens are.
    private struct Gate: Hashable {
        let session: String
        let origin: String
        let name: String
    }

    private struct Entry {
        var token: String?
        var fetch: SharedResult<String>?
    }

    private struct State {
        var entries: [Gate: Entry] = [:]
        /// The Webgate that asked last, by session and origin.
        var last: [[String]: Gate] = [:]
    }

    static let webgate = "OAM-Auth"
    /// The Webgates whose tokens are kept.
    private static let most = 64

    private let source: Source
    private let transport: Transport
    private let executor = QueueExecutor()
    private let state = Locked(State())

    init(_ source: Source, _ transport: Transport) { (self.source, self.transport) = (source, transport) }

    private func account() throws -> Account {
        switch source {
        case .account(let account): account
        case .user(let user): try user.accountInUse()
        case .credentials: throw Account.ended
        }
    }

    // MARK: The first attempt

    /// The token of the Webgate that asked last at an origin.
    private func known(_ account: Account, _ origin: String) -> RESTToken? {
        state.withLock { state in
            state.last[[account.sessionID, origin]].flatMap { state.entries[$0]?.token }
        }.map { RESTToken(scheme: Self.webgate, text: $0) }
    }

    func first(_ origin: String, _ scopes: [String]) async throws -> RESTToken {
        if case .credentials(let kept) = source { return try await kept.token(replacing: nil, scopes) }
        let account = try account()
        if let known = known(account, origin), account.isSignedIn { return known }
        return RESTToken(scheme: RESTToken.bearer, text: try await account.validAccessToken(scopes: scopes))
    }

    func firstAndWait(_ origin: String, _ scopes: [String]) throws -> RESTToken {
        if case .credentials(let kept) = source { return try kept.tokenAndWait(replacing: nil, scopes) }
        let account = try account()
        if let known = known(account, origin), account.isSignedIn { return known }
        return RESTToken(scheme: RESTToken.bearer, text: try account.validAccessTokenAndWait(scopes: scopes))
    }

    // MARK: The repetition

    func token(_ next: RESTToken.Next, _ origin: String, _ scopes: [String]) async throws -> RESTToken {
        if case .credentials(let kept) = source {
            return try await kept.token(replacing: next.refused, scopes).answering(next)
        }
        let account = try account()
        switch next {
        case .bearer(nil):
            return RESTToken(scheme: RESTToken.bearer, text: try await account.validAccessToken(scopes: scopes))
        case .bearer(let refused?):
            let text = try await account.accessToken(replacing: refused, scopes: scopes)
            return RESTToken(scheme: RESTToken.bearer, text: text)
        case .webgate(let field, let refused):
            switch try course(field, refused, account, origin) {
            case .ready(let text): return RESTToken(scheme: Self.webgate, text: text)
            case .wait(let result): return RESTToken(scheme: Self.webgate, text: try await result.value())
            }
        }
    }

    func tokenAndWait(_ next: RESTToken.Next, _ origin: String, _ scopes: [String]) throws -> RESTToken {
        if case .credentials(let kept) = source {
            return try kept.tokenAndWait(replacing: next.refused, scopes).answering(next)
        }
        let account = try account()
        switch next {
        case .bearer(nil):
            return RESTToken(scheme: RESTToken.bearer, text: try account.validAccessTokenAndWait(scopes: scopes))
        case .bearer(let refused?):
            let text = try account.accessTokenAndWait(replacing: refused, scopes: scopes)
            return RESTToken(scheme: RESTToken.bearer, text: text)
        case .webgate(let field, let refused):
            switch try course(field, refused, account, origin) {
            case .ready(let text): return RESTToken(scheme: Self.webgate, text: text)
            case .wait(let result): return RESTToken(scheme: Self.webgate, text: try result.valueAndWait())
            }
        }
    }

    // MARK: Webgates

    private enum Course {
        case ready(String)
        case wait(SharedResult<String>)
    }

    /// A kept token, or a fetch that all requests share.
    private func course(
        _ field: WebgateField, _ refused: String?, _ account: Account, _ origin: String
    ) throws -> Course {
        let gate = Gate(session: account.sessionID, origin: origin, name: field.gate)
        return state.withLock { state in
            state.last[[account.sessionID, origin]] = gate
            if let fetch = state.entries[gate]?.fetch { return .wait(fetch) }
            if let token = state.entries[gate]?.token, token != refused { return .ready(token) }
            if state.entries.count >= Self.most { state = State() }
            let result = SharedResult<String>()
            state.entries[gate, default: Entry()].fetch = result
            // The fetch belongs to no caller, so that no caller's cancellation ends it.
            Task.detached(executorPreference: executor) { [self] in
                let outcome: Result<String, any Error>
                do { outcome = .success(try await fetched(field, account)) } catch { outcome = .failure(error) }
                self.state.withLock { $0.entries[gate] = Entry(token: try? outcome.get()) }
                result.finish(outcome)
            }
            return .wait(result)
        }
    }

    /// Fetches a token for a Webgate. Without a service of tokens for Webgates, the user's access token is the token.
    private func fetched(_ field: WebgateField, _ account: Account) async throws -> String {
        let token = try await account.validAccessToken()
        guard case .user(let user) = source else { return token }
        do {
            return try await user.webgateToken(field, for: token) ?? token
        } catch let error as ClientError where error.code == .notSignedIn {
            // The server may have ended the access token before its time.
            let newer = try await account.accessToken(replacing: token)
            return try await user.webgateToken(field, for: newer) ?? newer
        }
    }
}
