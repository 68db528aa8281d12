import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// Checks access tokens by asking the issuer, and remembers the answers for a short time.
struct IssuerCheck: Sendable {
    enum Endpoint: Sendable {
        /// User info, at the URL or at the one of the discovery document.
        case userInfo(String?)
        case introspection(audience: String, clientID: String, secret: String)
    }

    private let endpoint: Endpoint
    private let issuer: String
    private let skew: Double
    private let connection: IssuerConnection
    private let documents: ProviderDocuments
    private let cache: AnswerCache
    private let clock: @Sendable () -> Date

    init(
        _ endpoint: Endpoint, _ settings: BearerSettings, _ connection: IssuerConnection,
        _ documents: ProviderDocuments, clock: @escaping @Sendable () -> Date
    ) {
        (self.endpoint, issuer, self.clock) = (endpoint, settings.issuer, clock)
        (self.connection, self.documents) = (connection, documents)
        skew = Double(settings.clockSkew.components.seconds)
        cache = AnswerCache(lifetime: Double(settings.cacheLifetime.components.seconds), clock: clock)
    }

    /// The claims of a good token.
    ///
    /// - Throws: ``TokenProblem``.
    func claims(of text: String) async throws -> JSONValue {
        try await cache.claims(of: text) { try await ask(text) }
    }

    private func checkEnd(_ end: Date) throws {
        guard clock().timeIntervalSince(end) < skew else { throw TokenProblem(.invalidToken, "The token has ended.") }
    }

    /// Refuses claims that name another issuer or another API.
    private func check(_ claims: JSONValue, _ audience: String) throws {
        guard claims["iss"].map({ $0.text?.hasSameBytes(as: issuer) == true }) ?? true else {
            throw TokenProblem(.invalidToken, "The token is of another issuer.")
        }
        guard claims["aud"].map({ $0.texts.contains { $0.hasSameBytes(as: audience) } }) ?? true else {
            throw TokenProblem(
                .invalidToken,
                "The token is for another API: its 'aud' is \(claims["aud"].map(ShownText.value) ?? "").")
        }
    }

    private func ask(_ text: String) async throws -> (claims: JSONValue, end: Date?) {
        // The token may be a JWT. Nobody has verified its signature here, so its claims can only speak against the token.
        let own = (try? JSONWebToken(text))?.claims ?? [:]
        let ownEnd = BearerToken.end(of: own)
        if let ownEnd { try checkEnd(ownEnd) }
        if case .introspection(let audience, _, _) = endpoint { try check(own, audience) }
        let claims =
            switch endpoint {
            case .userInfo(let url): try await userInfo(text, url)
            case .introspection(let audience, let clientID, let secret):
                try await introspection(text, audience, clientID, secret)
            }
        let end = [BearerToken.end(of: claims), ownEnd].compactMap { $0 }.min()
        if let end { try checkEnd(end) }
        return (claims, end)
    }

    private func userInfo(_ text: String, _ url: String?) async throws -> JSONValue {
        var request = TransportRequest("GET", "")
        if let url {
            request.url = url
        } else {
            guard let found = try await documents.metadata().userInfoEndpoint else {
                throw Self.missing("userinfo_endpoint")
            }
            request.url = found
        }
        request.headers["Authorization"] = "Bearer " + text
        let answer = try await connection.send(request)
        switch answer.status {
        case 200:
            guard let claims = answer.json, claims["sub"]?.text?.isEmpty == false else {
                throw TokenProblem(.unavailable, "User info answered with no JSON object, or without 'sub'.")
            }
            return claims
        case 400, 401: throw TokenProblem(.invalidToken, "User info refused the token with status \(answer.status).")
        case 403: throw TokenProblem(.insufficientScope, "User info refused the token with status 403.")
        default: throw TokenProblem(.unavailable, "User info answered with status \(answer.status).")
        }
    }

    private func introspection(
        _ text: String, _ audience: String, _ clientID: String, _ secret: String
    ) async throws -> JSONValue {
        let metadata = try await documents.metadata()
        guard let url = metadata.introspectionEndpoint else { throw Self.missing("introspection_endpoint") }
        let proof = metadata.proof(clientID: clientID, secret: secret)
        var request = TransportRequest("POST", url)
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.headers["Authorization"] = proof.authorization
        request.body = Array(
            FormEncoding.text([("token", text), ("token_type_hint", "access_token")] + proof.form).utf8)
        let answer = try await connection.send(request)
        guard answer.status == 200, let claims = answer.json, case .boolean(let isActive)? = claims["active"] else {
            let advice = answer.status == 401 ? " Check the client's id and secret." : ""
            throw TokenProblem(
                .unavailable, "Introspection answered with status \(answer.status) and no result." + advice)
        }
        func refuse(_ reason: String) -> TokenProblem { TokenProblem(.invalidToken, reason) }
        guard isActive else { throw refuse("Introspection says that the token is not active.") }
        // A refresh token is active as well.
        guard claims["token_type"].map({ ["bearer", "dpop"].contains($0.text?.lowercased()) }) ?? true else {
            throw refuse(
                "The token is not an access token: its type is \(claims["token_type"].map(ShownText.value) ?? "").")
        }
        try check(claims, audience)
        return claims
    }

    private static func missing(_ name: String) -> IssuerConnection.Problem {
        IssuerConnection.Problem(
            description: "The issuer's discovery document names no '\(name)' with an https URL.")
    }
}
