package import Foundation
import RosterOpenID
import RosterText
public import RosterTransport

/// Validates the access tokens of requests to an API, after Cloud Access Manager's bearer middleware for OWIN.
///
/// Make one validator for an API and keep it, because the validator remembers the issuer's keys and answers. Copies share that memory.
/// A refusal is a ``BearerRefusal``, which knows the status and the challenge of the answer (RFC 6750).
public struct BearerValidator: Sendable {
    /// The settings that the validator was made with.
    public let settings: BearerSettings
    private let check: @Sendable (String) async throws -> JSONValue
    private let possession: PossessionCheck

    /// Makes a validator. Nothing is fetched until the first token comes.
    ///
    /// - Parameters:
    ///   - settings: The issuer, the way in which tokens are checked, and the accepted tokens.
    ///   - transport: The connections to the issuer, for example with authorities of their own. A transport that the app gives can
    ///     be shared, and is closed by the app.
    /// - Throws: ``BearerSettings/Problem`` for a setting that cannot be used.
    public init(_ settings: BearerSettings, transport: Transport = .shared) throws {
        try self.init(settings, transport: transport, clock: { Date() })
    }

    package init(
        _ settings: BearerSettings, transport: Transport, clock: @escaping @Sendable () -> Date
    ) throws {
        try settings.check()
        self.settings = settings
        possession = PossessionCheck(settings, clock: clock)
        let connection = IssuerConnection(transport: transport)
        let documents = ProviderDocuments(
            of: settings.issuer, discoveryRule: ReloadRule(minimumSeconds: 1, maximumSeconds: 3_600),
            keyRule: ReloadRule(minimumSeconds: 10, maximumSeconds: 900), clock: clock
        ) { try await connection.document($0, $1) }
        switch settings.method {
        case .keys(let audience):
            let keys = try KeyCheck(
                issuer: settings.issuer, audience: audience, algorithms: settings.knownAlgorithms(),
                skew: Double(settings.clockSkew.components.seconds), documents: documents, clock: clock)
            check = { try await keys.claims(of: $0) }
        case .userInfo(let endpoint):
            let issuer = IssuerCheck(.userInfo(endpoint), settings, connection, documents, clock: clock)
            check = { try await issuer.claims(of: $0) }
        case .introspection(let audience, let clientID, let secret):
            let issuer = IssuerCheck(
                .introspection(audience: audience, clientID: clientID, secret: secret), settings, connection,
                documents, clock: clock)
            check = { try await issuer.claims(of: $0) }
        }
    }

    /// Validates the token of a request.
    ///
    /// - Parameters:
    ///   - fields: The values of all `Authorization` fields of the request.
    ///   - query: The query of the request's URL. A token in the query is refused, because logs keep URLs.
    ///   - proofs: The values of all `DPoP` fields of the request (RFC 9449).
    ///   - method: The method of the request, in capital letters.
    ///   - path: The path of the request as it was sent, with a slash at its beginning.
    /// - Returns: What the token says.
    /// - Throws: ``BearerRefusal``; `CancellationError`.
    public func validate(
        authorization fields: [String], query: String = "", proofs: [String] = [], method: String = "",
        path: String = ""
    ) async throws -> BearerToken {
        var challenge = ChallengeForm(realm: settings.realm, metadata: resourceMetadataURL)
        let claims: JSONValue
        do {
            let (text, isBound) = try AuthorizationField.token(fields: fields, query: query)
            challenge.isBound = isBound
            claims = try await check(text)
            try possession.check(
                claims, text, isBound: isBound,
                proofs.map { PossessionProof.Sent($0, method: method, url: (settings.resource ?? "") + path) })
        } catch let problem as AuthorizationField.Problem {
            throw BearerRefusal(problem.code, problem.reason, challenge)
        } catch let problem as TokenProblem {
            throw BearerRefusal(problem.code, problem.reason, challenge, scopes: settings.scopes)
        }
        try Task.checkCancellation()
        guard let token = BearerToken(claims, settings, challenge) else {
            throw BearerRefusal(.invalidToken, "The token names nobody: it has no 'sub'.", challenge)
        }
        if case .userInfo = settings.method, token.scopes.isEmpty {
            throw BearerRefusal(
                .insufficientScope,
                "The issuer's user info does not tell scopes ('scope'). Use the method 'introspection' or 'keys'.",
                challenge, scopes: settings.scopes)
        }
        try token.authorize(scopes: Set(settings.scopes))
        return token
    }

    /// Validates the token of a request with at most one `Authorization` field.
    ///
    /// - Parameter field: The value of the field; nil for a request without one.
    /// - Returns: What the token says.
    /// - Throws: ``BearerRefusal``; `CancellationError`.
    public func validate(authorization field: String?) async throws -> BearerToken {
        try await validate(authorization: field.map { [$0] } ?? [])
    }
}

/// The reason why a token is refused, before the challenge is made.
struct TokenProblem: Error, Hashable {
    let code: BearerRefusal.Code
    let reason: String

    init(_ code: BearerRefusal.Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
