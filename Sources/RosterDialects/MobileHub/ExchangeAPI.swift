import Roster
import RosterREST
import RosterSignIn
import RosterText

/// The mobile cloud's interfaces that exchange a token of a trusted issuer for one of ours.
enum ExchangeAPI {
    static let exchange = Endpoint(
        "Exchange a JWT or a SAML assertion, sent as a bearer token, for a token of ours.",
        takesHead: false  // a request for the header alone must not use an assertion up
    ) { call in
        let token = try call.accessToken()
        let backend = try backend(call)
        return .later {
            let tokens = try await call.oauth.tokenExchange.exchange(
                token, for: backend, .unprovable, scope: nil, from: call.origin)
            // The form of the mobile cloud's document.
            return .json([
                "access_token": .string(tokens.accessToken), "token_type": "Bearer", "id_token": .null,
                "expires_in": .integer(tokens.lifetime),
            ])
        }
    }

    static let token = Endpoint(
        "Exchange a token of a trusted issuer (RFC 7523) for one of ours.", body: .object
    ) { call in
        let (form, proof) = try call.clientForm()
        return .later {
            var request = TokenRequest(form)
            request.possession = try call.possession()
            var answer = try await call.oauth.tokenExchange.assertionTokens(request, by: proof, from: call.origin).json
            // The mobile cloud's document has this member.
            answer["id_token"] = .null
            return .json(answer)
        }
    }

    /// The backend that `Oracle-Mobile-Backend-ID` names. The backend proves nothing, because the interface has no place for a
    /// secret, and its answer is for the user of the token. An issuer whose entry says `requireClientAuth: true` is refused here.
    private static func backend(_ call: Call) throws -> Backend {
        let ids = call.request.headers.values(of: MobileHub.backendField)
        guard ids.count == 1, let id = ids.first, id.utf8.count <= 128,
            let backend = try call.oauth.clients.backend(.backendID(id))
        else { throw OAuthError(.invalidClient, "Name the backend in the field Oracle-Mobile-Backend-ID.") }
        return backend
    }
}
