import Foundation
import Roster
import RosterSignIn
import RosterText

/// The token services of Oracle Mobile and Social, which give its SDK a token for a name and a password. The tokens are those of
/// OAuth's endpoints, so that they work everywhere.
///
/// The client proves itself in `X-IDAAS-REST-AUTHORIZATION`, with its secret or with the handle of a registered device.
enum TokenServicesAPI {
    private static let base = "/oic_rest/rest/{service}"
    private static let services: Set<String> = [
        "jwtauthentication", "oamauthentication", "mobileoamauthentication", "mobilejwtauthentication",
        "jwtoamauthentication",
    ]
    private static let prefix = "X-Idaas-Rest-"

    static let routes: [Route] = [
        route("POST", "authenticate", "Get a token of a user or a client.") { exchange in
            let body = try exchange.json()
            guard let client = try client(of: exchange) else { throw ServiceContext.notAuthenticated }
            return .later { try await authenticate(exchange, body, client) }
        },
        route("POST", "register", "Register a device: a handle that its app proves itself with.") { exchange in
            let body = try exchange.json()
            let client = try client(of: exchange)
            guard let id = body["clientId"]?.text ?? client?.id else {
                throw RequestError(.badRequest, "Say which app it is: 'clientId'.")
            }
            return .later { try await register(exchange, body, id, client) }
        },
        route("POST", "access", "Get a token for one resource, for a token of a user.") { exchange in
            let body = try exchange.json()
            guard let client = try client(of: exchange) else { throw ServiceContext.notAuthenticated }
            return .later { try await access(exchange, body, client) }
        },
        route("DELETE", "tokens", "End a token, and all that was given with it.", terminate),
        route("DELETE", "tokens/info", "The same, at the address that tells what a token is worth.", terminate),
        route("GET", "tokens/info", "Ask what a token is worth.") { exchange in
            guard let client = try client(of: exchange) else { throw ServiceContext.notAuthenticated }
            let text = try token(of: exchange)
            return .later {
                let answer = try await refused {
                    try await exchange.context.oauth.introspect(text, by: client.proof).json
                }
                guard answer["active"] == true else { throw notAlive }
                return .json([
                    "X-Idaas-Rest-Token-Type": answer["preferred_username"] == nil ? "CLIENTTOKEN" : "USERTOKEN",
                    "X-Idaas-Rest-Provider-Type": "JWT", "X-Idaas-Rest-User-Principal": answer["username"] ?? .null,
                    "exp": answer["exp"] ?? .null,
                ])
            }
        },
    ]

    private static let notAlive = RequestError(.badRequest, "The token is wrong, has expired, or was ended.")

    /// The token in a request that asks about a token or ends it.
    private static func token(of exchange: Exchange) throws -> String {
        guard let text = try exchange.parameter(prefix + "Subject-Value"),
            try exchange.parameter(prefix + "Subject-Type") ?? "TOKEN" == "TOKEN"
        else { throw RequestError(.badRequest, "Give the token as \(prefix)Subject-Value.") }
        return text
    }

    /// `terminateToken` of the SDK.
    private static func terminate(_ exchange: Exchange) throws -> Reply {
        guard let client = try client(of: exchange) else { throw ServiceContext.notAuthenticated }
        let text = try token(of: exchange)
        return .later {
            let hasEnded = try await refused {
                try await exchange.context.oauth.terminate(text, by: client.proof, from: exchange.request.peer)
            }
            guard hasEnded else { throw notAlive }
            return HTTPResponse(204)
        }
    }

    private static func route(
        _ method: String, _ name: String, _ summary: String, _ handler: @escaping @Sendable (Exchange) throws -> Reply
    ) -> Route {
        Route(
            method, "\(base)/\(name)", summary, style: .profile, access: .everyone,
            body: method == "POST" ? ["type": "object"] : nil
        ) { exchange in
            guard services.contains(exchange.arguments[0]) else {
                throw RequestError(.notFound, "There is no token service of that name.")
            }
            _ = try exchange.authorization()  // refuses secrets that others could read along
            return try handler(exchange)
        }
    }

    /// A client, with its secret or with the handle of a registered device.
    private struct Client {
        let id: String
        let proof: ClientProof
    }

    private static func client(of exchange: Exchange) throws -> Client? {
        guard let (scheme, text) = try ServiceContext.credentials(of: exchange.request) else { return nil }
        guard scheme == "basic", let pair = BasicCredentials(text) else { throw ServiceContext.notAuthenticated }
        // A handle is a JWT; a secret is not.
        let isHandle =
            pair.password.hasPrefix("eyJ") && pair.password.utf8.count { $0 == UInt8(ascii: ".") } == 2
        return Client(
            id: pair.name,
            proof: isHandle
                ? .handle(clientID: pair.name, handle: pair.password) : ClientProof(authorization: "Basic " + text))
    }

    private static func tokens(
        _ request: TokenRequest, _ client: Client, _ exchange: Exchange
    ) async throws -> Tokens {
        try await refused {
            try await exchange.context.oauth.tokens(request, by: client.proof, from: exchange.request.peer)
        }
    }

    /// The exchange of a user's token for another one that allows no more (RFC 8693).
    private static func exchanging(_ token: String, for resources: [String] = []) -> TokenRequest {
        TokenRequest(
            .exchange(
                TokenExchangeRequest(
                    subjectToken: token, subjectTokenType: TokenExchangeRequest.accessToken, targets: resources)))
    }

    /// The name of the user of a token that a client sends in place of a password. The token must have been issued to the client.
    private static func user(of token: String, _ client: Client, _ exchange: Exchange) throws -> String {
        let oauth = exchange.context.oauth
        guard let (_, name) = try oauth.userToken(token, givenTo: client.id) else {
            oauth.audit.record(
                .refused, nil, nil, from: exchange.request.peer, method: "access_token",
                reason: OAuthError.Code.invalidGrant.rawValue)
            throw RequestError(
                .notAuthenticated, "The token is wrong, has expired, was ended, or is not a user's of this app.")
        }
        return name
    }

    /// The user's name and password in a body.
    private static func login(_ body: JSONValue) throws -> Login {
        guard body[prefix + "Subject-Type"]?.text == "USERCREDENTIAL",
            let name = body[prefix + "Subject-Username"]?.text, !name.isEmpty,
            let password = body[prefix + "Subject-Password"]?.text, !password.isEmpty
        else {
            throw RequestError(
                .badRequest, "Send Subject-Type USERCREDENTIAL with Subject-Username and Subject-Password.")
        }
        var proof = SecondFactorProof(code: (body[prefix + "Subject-OTP"] ?? body["otp"])?.text)
        if let json = body["kbaAnswers"] ?? body["kba_answers"] {
            guard let answers = SecondFactorProof.answers(json) else {
                throw RequestError(.badRequest, SecondFactorProof.notAnswers.text)
            }
            proof.answers = answers
        }
        return Login(name: name, password: password, proof: proof)
    }

    private static func answer(_ kind: String, _ token: String, _ principal: String?) -> HTTPResponse {
        .json([
            "X-Idaas-Rest-Token-Type": .string(kind), "X-Idaas-Rest-Token-Value": .string(token),
            "X-Idaas-Rest-Provider-Type": "JWT",
            "X-Idaas-Rest-User-Principal": principal.map { .string($0) } ?? .null,
        ])
    }

    private static func authenticate(
        _ exchange: Exchange, _ body: JSONValue, _ client: Client
    ) async throws -> HTTPResponse {
        let kind = body[prefix + "New-Token-Type-To-Create"]?.text ?? "USERTOKEN"
        let request: TokenRequest
        var principal = body[prefix + "Subject-Username"]?.text
        switch kind {
        case "CLIENTTOKEN": request = .clientCredentials()
        case "USERTOKEN", "USERTOKEN::JWTUT":
            if body[prefix + "Subject-Type"]?.text == "TOKEN" {
                guard let token = body[prefix + "Subject-Value"]?.text else {
                    throw RequestError(.badRequest, "Send the token as Subject-Value.")
                }
                (request, principal) = (exchanging(token), try user(of: token, client, exchange))
            } else {
                request = TokenRequest(.password(try login(body)))
            }
        default: throw RequestError(.badRequest, "Tokens of that type are not given here: USERTOKEN or CLIENTTOKEN.")
        }
        let tokens = try await tokens(request, client, exchange)
        return answer(kind == "CLIENTTOKEN" ? kind : "USERTOKEN", tokens.accessToken, principal)
    }

    private static func register(
        _ exchange: Exchange, _ body: JSONValue, _ clientID: String, _ client: Client?
    ) async throws -> HTTPResponse {
        guard exchange.arguments[0].hasPrefix("mobile") else {
            throw RequestError(.badRequest, "Devices register with the mobile services.")
        }
        guard body[prefix + "New-Token-Type-To-Create"]?.text ?? "CLIENTREGHANDLE" == "CLIENTREGHANDLE" else {
            throw RequestError(.badRequest, "Who registers gets a CLIENTREGHANDLE.")
        }
        let login = try login(body)
        let registered = try await refused {
            try await exchange.context.oauth.register(
                login, clientID: clientID, by: client?.proof ?? .named(clientID: clientID),
                from: exchange.request.peer)
        }
        return answer("CLIENTREGHANDLE", registered.handle, registered.name)
    }

    private static func access(
        _ exchange: Exchange, _ body: JSONValue, _ client: Client
    ) async throws -> HTTPResponse {
        guard body[prefix + "Subject-Type"]?.text == "TOKEN", let token = body[prefix + "Subject-Value"]?.text,
            let resource = body[prefix + "Application-Resource"]?.text
        else {
            throw RequestError(
                .badRequest, "Send Subject-Type TOKEN, Subject-Value and Application-Resource.")
        }
        let tokens = try await tokens(exchanging(token, for: [resource]), client, exchange)
        return answer("ACCESSTOKEN", tokens.accessToken, nil)
    }

    /// Turns a refusal of OAuth into an error of this interface, which says less.
    private static func refused<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as OAuthError {
            switch error.code {
            case .invalidClient, .invalidGrant, .secondFactorRequired:
                throw RequestError(.notAuthenticated, error.text, questions: error.questions)
            case .unauthorizedClient: throw RequestError(.notPermitted, error.text)
            default: throw RequestError(.badRequest, error.text)
            }
        }
    }
}
