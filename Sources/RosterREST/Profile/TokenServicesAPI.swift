import Roster
import RosterSignIn
import RosterWire

/// The token services of Mobile and Social: a name and a password for a token, as its SDK asks. The tokens are those that
/// OAuth's endpoints give, so that they work everywhere.
///
/// The client proves itself in `X-IDAAS-REST-AUTHORIZATION`. Handles of registered devices (`register`) and tokens for
/// Webgates (`access`) are not given here.
enum TokenServicesAPI {
    private static let base = "/oic_rest/rest/{service}"
    private static let services: Set<String> = [
        "jwtauthentication", "oamauthentication", "mobileoamauthentication", "mobilejwtauthentication",
        "jwtoamauthentication",
    ]
    private static let prefix = "X-Idaas-Rest-"

    static let routes: [Route] = [
        Route(
            "POST", base + "/authenticate", "Get a token of a user or a client.", style: .profile, access: .everyone,
            body: ["type": "object"]
        ) { exchange in
            try checkService(exchange)
            let body = try exchange.json()
            let client = try client(of: exchange)
            return .later { try await authenticate(exchange, body, client) }
        },
        Route(
            "GET", base + "/tokens/info", "Ask what a token is worth.", style: .profile, access: .everyone
        ) { exchange in
            try checkService(exchange)
            let client = try client(of: exchange)
            guard let text = try exchange.parameter(prefix + "Subject-Value"),
                try exchange.parameter(prefix + "Subject-Type") ?? "TOKEN" == "TOKEN"
            else { throw RequestError(.badRequest, "Give the token as \(prefix)Subject-Value.") }
            return .later {
                let answer = try await refused {
                    try await exchange.context.oauth.introspect(Form([("token", text)]), authorization: client)
                }
                guard answer["active"] == true else {
                    throw RequestError(.badRequest, "The token is wrong, has expired, or was ended.")
                }
                return .json([
                    "X-Idaas-Rest-Token-Type": answer["preferred_username"] == nil ? "CLIENTTOKEN" : "USERTOKEN",
                    "X-Idaas-Rest-Provider-Type": "JWT", "X-Idaas-Rest-User-Principal": answer["username"] ?? .null,
                    "exp": answer["exp"] ?? .null,
                ])
            }
        },
    ]

    private static func checkService(_ exchange: Exchange) throws {
        guard services.contains(exchange.arguments[0]) else {
            throw RequestError(.notFound, "There is no token service of that name.")
        }
    }

    /// The client's proof as the token endpoint takes it.
    private static func client(of exchange: Exchange) throws -> String {
        _ = try exchange.authorization()  // refuses secrets that others could read along
        guard let (scheme, credentials) = try ServiceContext.credentials(of: exchange.request), scheme == "basic" else {
            throw ServiceContext.notAuthenticated
        }
        return "Basic " + credentials
    }

    private static func authenticate(
        _ exchange: Exchange, _ body: JSONValue, _ client: String
    ) async throws -> HTTPResponse {
        func text(_ name: String) -> String? { body[prefix + name]?.text }
        let kind = text("New-Token-Type-To-Create") ?? "USERTOKEN"
        var form: [(name: String, value: String)]
        switch kind {
        case "CLIENTTOKEN": form = [("grant_type", "client_credentials")]
        case "USERTOKEN", "USERTOKEN::JWTUT":
            guard text("Subject-Type") == "USERCREDENTIAL", let name = text("Subject-Username"),
                let password = text("Subject-Password")
            else {
                throw RequestError(
                    .badRequest,
                    "A user's token is given for USERCREDENTIAL with Subject-Username and Subject-Password.")
            }
            form = [("grant_type", "password"), ("username", name), ("password", password)]
            if let otp = text("Subject-OTP") { form.append(("otp", otp)) }
        default: throw RequestError(.badRequest, "Tokens of that type are not given here: USERTOKEN or CLIENTTOKEN.")
        }
        let fields = try Form(form)
        let answer = try await refused {
            try await exchange.context.oauth.tokens(fields, authorization: client, from: exchange.request.peer)
        }
        return .json([
            "X-Idaas-Rest-Token-Type": .string(kind == "CLIENTTOKEN" ? kind : "USERTOKEN"),
            "X-Idaas-Rest-Token-Value": answer["access_token"] ?? .null, "X-Idaas-Rest-Provider-Type": "JWT",
            "X-Idaas-Rest-User-Principal": text("Subject-Username").map { .string($0) } ?? .null,
        ])
    }

    /// A refusal of OAuth's in this interface's terms: who is not let in is told nothing more.
    private static func refused(_ work: () async throws -> JSONValue) async throws -> JSONValue {
        do {
            return try await work()
        } catch let error as OAuthError {
            switch error.code {
            case .invalidClient, .invalidGrant, .secondFactorRequired:
                throw RequestError(.notAuthenticated, error.text)
            case .unauthorizedClient: throw RequestError(.notPermitted, error.text)
            default: throw RequestError(.badRequest, error.text)
            }
        }
    }
}
