import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// Checks access tokens by asking the issuer, and remembers the answers for a short time.
struct RemoteCheck: Sendable {
    enum Endpoint: Sendable {
        /// User info, at the URL or at the one of the discovery document.
        case userInfo(String?)
        case introspection(audience: String, clientID: String, secret: String)
    }

    private let endpoint: Endpoint
    private let issuer: String
    private let skew: Double
    private let documents: IssuerDocuments
    private let memory: AnswerMemory
    private let clock: @Sendable () -> Date

    init(
        _ endpoint: Endpoint, _ settings: BearerSettings, _ documents: IssuerDocuments,
        clock: @escaping @Sendable () -> Date
    ) {
        (self.endpoint, issuer, self.documents, self.clock) = (endpoint, settings.issuer, documents, clock)
        skew = Double(settings.clockSkew.components.seconds)
        memory = AnswerMemory(lifetime: Double(settings.cacheLifetime.components.seconds), clock: clock)
    }

    /// The claims of a good token.
    ///
    /// - Throws: ``TokenProblem``.
    func claims(of text: String) async throws -> JSONValue {
        try await memory.claims(of: text) { try await ask(text) }
    }

    private func ask(_ text: String) async throws -> (claims: JSONValue, end: Date?) {
        let claims =
            switch endpoint {
            case .userInfo(let url): try await userInfo(text, url)
            case .introspection(let audience, let clientID, let secret):
                try await introspection(text, audience, clientID, secret)
            }
        let ends = [BearerToken.end(of: claims), Self.ownEnd(of: text)].compactMap { $0 }
        guard let end = ends.min() else { return (claims, nil) }
        guard clock().timeIntervalSince(end) < skew else { throw TokenProblem(.invalidToken, "The token has ended.") }
        return (claims, end)
    }

    /// The end that a token in the form of a JWT says of itself, which is not verified here and can only shorten its use.
    private static func ownEnd(of text: String) -> Date? {
        (try? JSONWebToken(text)).flatMap { BearerToken.end(of: $0.claims) }
    }

    private func userInfo(_ text: String, _ url: String?) async throws -> JSONValue {
        var request = TransportRequest("GET", "")
        if let url { request.url = url } else { request.url = try await documents.endpoint("userinfo_endpoint") }
        request.headers["Authorization"] = "Bearer " + text
        let answer = try await documents.send(request)
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
        var request = TransportRequest("POST", try await documents.endpoint("introspection_endpoint"))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        // RFC 6749, section 2.3.1: both parts are encoded before they are joined.
        let pair = PercentEncoding.text(clientID) + ":" + PercentEncoding.text(secret)
        request.headers["Authorization"] = "Basic " + Base64.text(pair.utf8)
        request.body = Array("token=\(PercentEncoding.text(text))&token_type_hint=access_token".utf8)
        let answer = try await documents.send(request)
        guard answer.status == 200, let claims = answer.json, case .boolean(let isActive)? = claims["active"] else {
            let advice = answer.status == 401 ? " Check the client's id and secret." : ""
            throw TokenProblem(
                .unavailable, "Introspection answered with status \(answer.status) and no result." + advice)
        }
        func refuse(_ reason: String) -> TokenProblem { TokenProblem(.invalidToken, reason) }
        guard isActive else { throw refuse("Introspection says that the token is not active.") }
        // A refresh token is active as well.
        guard claims["token_type"].map({ $0.text?.lowercased() == "bearer" }) ?? true else {
            throw refuse(
                "The token is no bearer token: its type is \(claims["token_type"].map(ShownText.value) ?? "").")
        }
        guard claims["iss"].map({ $0.text?.hasSameBytes(as: issuer) == true }) ?? true else {
            throw refuse("The token is of another issuer.")
        }
        guard claims["aud"].map({ $0.texts.contains { $0.hasSameBytes(as: audience) } }) ?? true else {
            throw refuse("The token is for another API: its 'aud' is \(claims["aud"].map(ShownText.value) ?? "").")
        }
        return claims
    }
}
