import Foundation
import Roster
import RosterSignIn
import RosterText

/// The mobile cloud's interfaces that exchange a token of a trusted issuer for one of ours.
enum ExchangeAPI {
    static let routes: [Route] = [
        Route(
            "GET", "/mobile/platform/sso/exchange-token",
            "Exchange a JWT or a SAML assertion, sent as a bearer token, for a token of ours.", style: .oauth,
            access: .everyone, takesHead: false  // a request for the header alone must not use an assertion up
        ) { exchange in
            let token = try exchange.accessToken()
            let backend = try backend(exchange)
            return .later {
                let tokens = try await exchange.context.oauth.exchange(
                    token, for: backend, .unprovable, scope: nil, from: exchange.request.peer)
                return .json(answer(tokens))
            }
        },
        Route(
            "POST", "/mobile/platform/auth/token", "Exchange a token of a trusted issuer (RFC 7523) for one of ours.",
            style: .oauth, access: .everyone, body: ["type": "object"]
        ) { exchange in
            let form = try exchange.form()
            let proof = ClientProof(authorization: try exchange.authorization(), form: form)
            return .later {
                var answer = try await exchange.context.oauth.assertionTokens(
                    TokenRequest(form), by: proof, from: exchange.request.peer
                ).json
                // The mobile cloud's document has this member.
                answer["id_token"] = .null
                return .json(answer)
            }
        },
    ]

    /// The answer in the form of the mobile cloud's document.
    private static func answer(_ tokens: Tokens) -> JSONValue {
        [
            "access_token": .string(tokens.accessToken), "token_type": "Bearer", "id_token": .null,
            "expires_in": .integer(tokens.lifetime),
        ]
    }

    /// The backend that `Oracle-Mobile-Backend-ID` names. The backend proves nothing, because the interface has no place for a
    /// secret, and its answer is for the user of the token. An issuer whose entry says `requireClientAuth: true` is refused here.
    private static func backend(_ exchange: Exchange) throws -> Backend {
        let ids = exchange.request.headers.values(of: ServiceContext.backendField)
        guard ids.count == 1, let id = ids.first, id.utf8.count <= 128,
            let backend = try exchange.context.oauth.clients.backend(.backendID(id))
        else { throw OAuthError(.invalidClient, "Name the backend in the field Oracle-Mobile-Backend-ID.") }
        return backend
    }
}
