import Foundation
import Roster
import RosterSignIn
import RosterText

/// The mobile cloud's interfaces for somebody who signed in elsewhere: a token of a trusted issuer in, one of ours out.
enum ExchangeAPI {
    static let routes: [Route] = [
        Route(
            "GET", "/mobile/platform/sso/exchange-token",
            "Exchange a JWT or a SAML assertion, sent as a bearer token, for a token of ours.", style: .oauth,
            access: .everyone, takesHead: false  // who only looks must not use an assertion up
        ) { exchange in
            let token = try exchange.accessToken()
            let backend = try backend(exchange)
            return .later {
                let tokens = try await exchange.context.oauth.exchange(
                    token, for: backend, proof: .impossible, scope: nil, from: exchange.request.peer)
                return .json(answer(tokens))
            }
        },
        Route(
            "POST", "/mobile/platform/auth/token", "Exchange a token of a trusted issuer (RFC 7523) for one of ours.",
            style: .oauth, access: .everyone, body: ["type": "object"]
        ) { exchange in
            let form = try exchange.form()
            let authorization = try exchange.authorization()
            return .later {
                var answer = try await exchange.context.oauth.assertionGrant(
                    form, authorization: authorization, from: exchange.request.peer
                ).json
                // The document writes it so.
                answer["id_token"] = .null
                return .json(answer)
            }
        },
    ]

    /// As the interface answers that has a document for it.
    private static func answer(_ tokens: Tokens) -> JSONValue {
        [
            "access_token": .string(tokens.accessToken), "token_type": "Bearer", "id_token": .null,
            "expires_in": .integer(tokens.lifetime),
        ]
    }

    /// The backend that `Oracle-Mobile-Backend-ID` names. It proves nothing here: the interface has no place for a
    /// secret, and what it gives is for the user of the token. An issuer's entry that writes out `requireClientAuth: true`
    /// refuses its tokens here.
    private static func backend(_ exchange: Exchange) throws -> Backend {
        let ids = exchange.request.headers.values(of: "Oracle-Mobile-Backend-ID")
        guard ids.count == 1, let id = ids.first, id.utf8.count <= 128,
            let backend = try exchange.context.oauth.clients.backend(.backendID(id))
        else { throw OAuthError(.invalidClient, "Name the backend in the field Oracle-Mobile-Backend-ID.") }
        return backend
    }
}
