import Foundation
import Roster
import RosterSignIn
import RosterText

/// The token services of Mobile and Social: a name and a password for a token, as its SDK asks. The tokens are those that
/// OAuth's endpoints give, so that they work everywhere.
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
                let oauth = exchange.context.oauth
                let answer = try await refused {
                    client.isHandle
                        ? try oauth.introspect(text, clientID: client.id, handle: client.secret)
                        : try await oauth.introspect(
                            Form([("token", text)]), authorization: client.authorization)
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

    /// The token that a request asks about or ends.
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
            let (oauth, peer) = (exchange.context.oauth, exchange.request.peer)
            let hasEnded = try await refused {
                client.isHandle
                    ? try await oauth.terminate(text, clientID: client.id, handle: client.secret, from: peer)
                    : try await oauth.terminate(text, authorization: client.authorization, from: peer)
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

    /// A client's proof.
    private struct Client {
        let id: String
        let secret: String
        /// As the token endpoint takes it.
        let authorization: String
        /// Whether it is the handle of a registered device, which is a token.
        var isHandle: Bool { secret.hasPrefix("eyJ") && secret.utf8.count { $0 == UInt8(ascii: ".") } == 2 }
    }

    private static func client(of exchange: Exchange) throws -> Client? {
        guard let (scheme, credentials) = try ServiceContext.credentials(of: exchange.request) else { return nil }
        guard scheme == "basic", let data = Base64.bytes(credentials),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { throw ServiceContext.notAuthenticated }
        return Client(
            id: String(text[..<colon]), secret: String(text[text.index(after: colon)...]),
            authorization: "Basic " + credentials)
    }

    /// Tokens for a client that proves itself in either way.
    private static func tokens(
        _ fields: [(name: String, value: String)], _ client: Client, _ exchange: Exchange
    ) async throws -> Tokens {
        let (form, oauth, peer) = (try Form(fields), exchange.context.oauth, exchange.request.peer)
        return try await refused {
            client.isHandle
                ? try await oauth.tokens(form, clientID: client.id, handle: client.secret, from: peer)
                : try await oauth.tokens(form, authorization: client.authorization, from: peer)
        }
    }

    /// The exchange of a user's token for another one that allows no more (RFC 8693), as a form of OAuth's.
    private static func exchanging(_ token: String) -> [(name: String, value: String)] {
        [
            ("grant_type", BackendSettings.Grant.tokenExchange.rawValue), ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ]
    }

    /// The name of the user of a token that a client brings in place of a password: one that was given to it.
    private static func user(of token: String, _ client: Client, _ exchange: Exchange) throws -> String {
        let oauth = exchange.context.oauth
        guard let (_, name) = try oauth.userToken(token, givenTo: client.id) else {
            oauth.tell(
                .refused, nil, nil, from: exchange.request.peer, means: "access_token",
                reason: OAuthError.Code.invalidGrant.rawValue)
            throw RequestError(
                .notAuthenticated, "The token is wrong, has expired, was ended, or is not a user's of this app.")
        }
        return name
    }

    /// The user's credentials as a form of OAuth's.
    private static func credentials(_ body: JSONValue) throws -> [(name: String, value: String)] {
        guard body[prefix + "Subject-Type"]?.text == "USERCREDENTIAL",
            let name = body[prefix + "Subject-Username"]?.text, let password = body[prefix + "Subject-Password"]?.text
        else {
            throw RequestError(
                .badRequest, "Send Subject-Type USERCREDENTIAL with Subject-Username and Subject-Password.")
        }
        var form = [(name: "username", value: name), ("password", password)]
        if let otp = (body[prefix + "Subject-OTP"] ?? body["otp"])?.text { form.append(("otp", otp)) }
        if let answers = body["kbaAnswers"] ?? body["kba_answers"] {
            form.append(("kba_answers", String(decoding: answers.bytes, as: UTF8.self)))
        }
        return form
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
        let form: [(name: String, value: String)]
        var principal = body[prefix + "Subject-Username"]?.text
        switch kind {
        case "CLIENTTOKEN": form = [("grant_type", "client_credentials")]
        case "USERTOKEN", "USERTOKEN::JWTUT":
            if body[prefix + "Subject-Type"]?.text == "TOKEN" {
                guard let token = body[prefix + "Subject-Value"]?.text else {
                    throw RequestError(.badRequest, "Send the token as Subject-Value.")
                }
                (form, principal) = (exchanging(token), try user(of: token, client, exchange))
            } else {
                form = [("grant_type", "password")] + (try credentials(body))
            }
        default: throw RequestError(.badRequest, "Tokens of that type are not given here: USERTOKEN or CLIENTTOKEN.")
        }
        let tokens = try await tokens(form, client, exchange)
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
        let form = try Form(credentials(body))
        let registered = try await refused {
            try await exchange.context.oauth.register(
                form, clientID: clientID, authorization: client?.authorization, from: exchange.request.peer)
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
        let tokens = try await tokens(exchanging(token) + [("resource", resource)], client, exchange)
        return answer("ACCESSTOKEN", tokens.accessToken, nil)
    }

    /// A refusal of OAuth's in this interface's terms: who is not let in is told nothing more.
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
