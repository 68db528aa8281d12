import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// The server of an app's registration: its documents, its token endpoint, and the checks of its id tokens.
final class Provider: Sendable {
    let registration: AppRegistration
    let connection: ProviderConnection
    let clock: @Sendable () -> Date
    /// Tells the changes of the accounts.
    let events = SignInEvents()

    private let documents: ProviderDocuments

    /// The seconds by which the clocks of this device and of the server may differ.
    static let skew = 300.0

    init(_ registration: AppRegistration, _ transport: Transport, clock: @escaping @Sendable () -> Date) {
        (self.registration, self.clock) = (registration, clock)
        let connection = ProviderConnection(transport: transport, clock: clock)
        self.connection = connection
        // Only users cause requests for the discovery document, so that no pause between two attempts is needed. Tokens of a server
        // that names an unknown key in each would cause a request for its keys each.
        documents = ProviderDocuments(
            of: registration.issuer, discoveryRule: ReloadRule(minimumSeconds: 0, maximumSeconds: 86_400),
            keyRule: ReloadRule(minimumSeconds: 10, maximumSeconds: 43_200), fetchesKeysAtFirstMiss: true, clock: clock
        ) { url, document in try await connection.document(url, document.rawValue) }
    }

    /// The discovery document. It is fetched once a day.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    func metadata() async throws -> ProviderMetadata {
        do { return try await documents.metadata() } catch let problem as ProviderDocuments.Problem {
            throw Self.error(problem)
        }
    }

    /// Refuses a discovery document with which no sign-in in a browser can end, before the browser opens.
    func checkEndpoints(_ metadata: ProviderMetadata) throws(ClientError) {
        guard metadata.tokenEndpoint != nil else { throw Self.missing("token_endpoint") }
        // An id token that is signed with the app's secret needs no key of the server.
        guard metadata.keySetURL != nil || registration.clientSecret != nil || !registration.scopes.contains("openid")
        else { throw Self.missing("jwks_uri") }
    }

    static func missing(_ name: String) -> ClientError {
        .badAnswer("The server's discovery document names no '\(name)' with an https URL.")
    }

    private static func error(_ problem: ProviderDocuments.Problem) -> ClientError {
        guard problem == .otherIssuer else { return .badAnswer(problem.description) }
        let advice = "Give the issuer exactly as the server's discovery document has it."
        return ClientError(.badAnswer, problem.description, advice: advice)
    }

    /// Sends a request with the app's proof to one of the server's endpoints for programs.
    ///
    /// - Parameters:
    ///   - url: The endpoint; nil if the discovery document names no token endpoint.
    ///   - handle: The handle of a registered device, in place of the app's secret; nil for the secret.
    /// - Throws: `TransportError`, `CancellationError`; ``ClientError`` `badAnswer` without an endpoint.
    func post(
        _ url: String?, _ form: [(name: String, value: String)], _ metadata: ProviderMetadata, handle: String? = nil,
        deadline: Duration = .seconds(12)
    ) async throws -> ProviderConnection.Reply {
        guard let url else { throw Self.missing("token_endpoint") }
        let proof = metadata.proof(clientID: registration.clientID, secret: handle ?? registration.clientSecret)
        return try await connection.post(
            url, form + proof.form, authorization: proof.authorization, deadline: deadline)
    }

    /// Asks for tokens.
    ///
    /// - Parameters:
    ///   - form: The grant.
    ///   - wrong: The error for `invalid_grant`.
    ///   - handle: The handle of a registered device, in place of the app's secret; nil for the secret.
    /// - Returns: The answer. Whether there are tokens in the answer is not decided yet.
    /// - Throws: ``ClientError``, `CancellationError`.
    func reply(
        to form: [(name: String, value: String)], wrong: ClientError, handle: String? = nil
    ) async throws -> ProviderConnection.Reply {
        let metadata = try await metadata()
        let reply: ProviderConnection.Reply
        do { reply = try await post(metadata.tokenEndpoint, form, metadata, handle: handle) } catch let error
            as TransportError
        {
            throw ClientError(error)
        }
        if reply.refusal == "invalid_grant" { throw wrong }
        if reply.refusal == "mfa_required" { throw Self.secondFactor(reply) }
        return reply
    }

    /// The claims of the id token among new tokens, after all checks; nil if there is none, and none was asked for.
    ///
    /// - Parameters:
    ///   - nonce: The nonce that the id token must have; nil if the grant has none.
    ///   - serverTime: The time of the server's clock when it answered; nil if the answer does not say.
    func claims(
        of answer: TokenAnswer, nonce: String?, serverTime: Date?, _ metadata: ProviderMetadata
    ) async throws -> JSONValue? {
        let claims = try await answer.idToken.asyncMap {
            try await self.claims(of: $0, nonce: nonce, answer.accessToken, serverTime: serverTime, metadata)
        }
        guard claims != nil || !registration.scopes.contains("openid") else {
            throw ClientError.badAnswer("The server gave no id token, although 'openid' was asked for.")
        }
        return claims
    }

    private static func secondFactor(_ reply: ProviderConnection.Reply) -> ClientError {
        let questions = reply.json?["challenge_questions"]?.texts.prefix(20).map { ShownText.plain($0) } ?? []
        return ClientError(
            .secondFactorRequired, "The user has a second factor.",
            advice: questions.isEmpty
                ? "Ask for the code of the authenticator app, and sign in with the code as well."
                : "Ask for the answers to the questions, and sign in with the answers as well.",
            questions: questions)
    }

    // MARK: Id tokens

    /// The claims of an id token, after all checks (OpenID Connect Core, sections 3.1.3.7 and 3.1.3.8).
    ///
    /// - Parameters:
    ///   - accessToken: The access token that came with the id token.
    ///   - serverTime: The time of the server's clock when it answered; nil if the answer does not say.
    /// - Throws: ``ClientError`` `badToken`, `clockWrong`.
    private func claims(
        of text: String, nonce: String?, _ accessToken: String, serverTime: Date?, _ metadata: ProviderMetadata
    ) async throws -> JSONValue {
        let token: JSONWebToken
        do { token = try JSONWebToken(text) } catch { throw ClientError.badToken(error.message) }
        let now = clock()
        let rules = IDTokenRules(
            issuer: metadata.issuer, clientID: registration.clientID, nonce: nonce, accessToken: accessToken,
            skew: Self.skew)
        switch rules.problem(with: token, now: now) {
        case nil: break
        case .times(let text)?: throw Self.wrongTime(text, now: now, serverTime)
        case let problem?: throw ClientError.badToken(problem.message)
        }
        guard try await isSigned(token) else {
            throw ClientError.badToken("The signature of the token is not that of the server.")
        }
        return token.claims
    }

    /// What the id token of a renewal proves.
    enum RenewedIdentity {
        /// The same user; nil if the answer has no id token.
        case same(idToken: String?)
        /// Nothing, for this reason. The user stays who they are.
        case unproven(ClientError)
    }

    /// Checks the id token of a renewal (OpenID Connect Core, section 12.2).
    ///
    /// - Parameter subject: The user who signed in; nil if the server did not say.
    /// - Throws: ``ClientError`` `badToken` if the token names another user, so that the new access token may be that user's.
    ///   `CancellationError`.
    func identity(
        in answer: TokenAnswer, of subject: String?, _ serverTime: Date?, _ metadata: ProviderMetadata
    ) async throws -> RenewedIdentity {
        guard let text = answer.idToken else { return .same(idToken: nil) }
        // A token that cannot be verified must not make the tokens of two users one account either.
        if let subject, let named = (try? JSONWebToken(text))?.claims["sub"], named.text != subject {
            throw ClientError(
                .badToken, "The server has renewed the tokens with an id token of another user ('sub').",
                advice: "The user stays signed in, and can sign out. Ask the server's administrator.")
        }
        do {
            _ = try await claims(of: text, nonce: nil, answer.accessToken, serverTime: serverTime, metadata)
            return .same(idToken: text)
        } catch let error as ClientError {
            return .unproven(error)
        }
    }

    private static func wrongTime(_ text: String, now: Date, _ serverTime: Date?) -> ClientError {
        guard let serverTime, abs(now.timeIntervalSince(serverTime)) > skew else { return .badToken(text) }
        let amount = TokenTimes.amount(now.timeIntervalSince(serverTime))
        return ClientError(
            .clockWrong,
            "The clock of this device is \(amount) \(now < serverTime ? "behind" : "ahead of") the server's.",
            advice: "Set the clock of this device, and sign in again.")
    }

    private func isSigned(_ token: JSONWebToken) async throws -> Bool {
        if token.algorithm == .hs256 {
            // A shorter secret can be guessed from one token (RFC 7518, section 3.2).
            guard let secret = registration.clientSecret, secret.utf8.count >= 32 else {
                throw ClientError.badToken(
                    "The token is signed with a shared secret, and the app has none of 32 bytes.")
            }
            let keys = VerificationKeySet([VerificationKey(sharedSecret: Array(secret.utf8))])
            return try token.isSigned(by: keys, allowing: [.hs256])
        }
        do {
            return try await documents.isSigned(token, allowing: SignatureAlgorithm.published)
        } catch let problem as ProviderDocuments.Problem {
            throw Self.error(problem)
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
