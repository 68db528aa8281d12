import Roster
import RosterREST
import RosterSignIn
import RosterText

/// The token services of Oracle Mobile and Social, which give its SDK a token for a name and a password. The tokens are those of
/// OAuth's endpoints, so that they work everywhere.
///
/// The client proves itself in `X-IDAAS-REST-AUTHORIZATION`, with its secret or with the handle of a registered device.
enum TokenServicesAPI {
    private static let services: Set<String> = [
        "jwtauthentication", "oamauthentication", "mobileoamauthentication", "mobilejwtauthentication",
        "jwtoamauthentication",
    ]
    private static let prefix = "X-Idaas-Rest-"

    static let authenticate = endpoint("Get a token of a user or a client.", body: .object) { call in
        let body = try call.json()
        let client = try knownClient(of: call)
        return .later {
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
                    (request, principal) = (exchanging(token), try user(of: token, client, call))
                } else {
                    request = TokenRequest(.password(try login(body)))
                }
            default:
                throw RequestError(.badRequest, "Tokens of that type are not given here: USERTOKEN or CLIENTTOKEN.")
            }
            let tokens = try await tokens(request, client, call)
            return answer(kind == "CLIENTTOKEN" ? kind : "USERTOKEN", tokens.accessToken, principal)
        }
    }

    static let register = endpoint(
        "Register a device: a handle that its app proves itself with.", body: .object
    ) { call in
        let body = try call.json()
        let client = try client(of: call)
        guard let app = body["clientId"]?.text ?? client?.id else {
            throw RequestError(.badRequest, "Say which app it is: 'clientId'.")
        }
        // As in the app's profile, the app's name is as good as its client id.
        let id = try call.oauth.clients.app(app, in: nil)?.clientID ?? app
        return .later {
            guard call.arguments[0].hasPrefix("mobile") else {
                throw RequestError(.badRequest, "Devices register with the mobile services.")
            }
            guard body[prefix + "New-Token-Type-To-Create"]?.text ?? "CLIENTREGHANDLE" == "CLIENTREGHANDLE" else {
                throw RequestError(.badRequest, "Who registers gets a CLIENTREGHANDLE.")
            }
            let login = try login(body)
            let profile = try profile(body)
            let registered = try await refused {
                try await call.oauth.deviceRegistration.register(
                    login, profile, clientID: id, by: client?.proof ?? .named(clientID: id),
                    from: call.origin)
            }
            return answer("CLIENTREGHANDLE", registered.handle, registered.name)
        }
    }

    /// The resource is an audience, or that of a Webgate's challenge, whose `request-ctx` is the application context.
    static let access = endpoint("Get a token for one resource, for a token of a user.", body: .object) { call in
        let body = try call.json()
        let client = try knownClient(of: call)
        return .later {
            let context = body[prefix + "Application-Context"]?.text
            let resource = body[prefix + "Application-Resource"]?.text
            guard body[prefix + "Subject-Type"]?.text == "TOKEN", let token = body[prefix + "Subject-Value"]?.text,
                context != nil || resource != nil
            else { throw RequestError(.badRequest, "Send Subject-Type TOKEN, Subject-Value and Application-Resource.") }
            var targets = resource.map { [$0] } ?? []
            if let context {
                // A resource behind a Webgate is a resource of this server.
                try call.context.checkWebgateContext(context, of: client.id, for: resource)
                targets = [call.oauth.issuer]
            }
            let tokens = try await tokens(exchanging(token, for: targets), client, call)
            return answer("ACCESSTOKEN", tokens.accessToken, nil)
        }
    }

    static let end = endpoint("End a token, and all that was given with it.", terminate)

    static let endInfo = endpoint("The same, at the address that tells what a token is worth.", terminate)

    static let info = endpoint("Ask what a token is worth.") { call in
        let client = try knownClient(of: call)
        let text = try token(of: call)
        return .later {
            let answer = try await refused {
                try await call.oauth.introspection.introspect(text, by: client.proof).json
            }
            guard answer["active"] == true else { throw notAlive }
            return .json([
                "X-Idaas-Rest-Token-Type": answer["preferred_username"] == nil ? "CLIENTTOKEN" : "USERTOKEN",
                "X-Idaas-Rest-Provider-Type": "JWT", "X-Idaas-Rest-User-Principal": answer["username"] ?? .null,
                "exp": answer["exp"] ?? .null,
            ])
        }
    }

    private static let notAlive = RequestError(.badRequest, "The token is wrong, has expired, or was ended.")

    /// The token in a request that asks about a token or ends it.
    private static func token(of call: Call) throws -> String {
        guard let text = try call.parameter(prefix + "Subject-Value"),
            try call.parameter(prefix + "Subject-Type") ?? "TOKEN" == "TOKEN"
        else { throw RequestError(.badRequest, "Give the token as \(prefix)Subject-Value.") }
        return text
    }

    /// `terminateToken` of the SDK.
    @Sendable
    private static func terminate(_ call: Call) throws -> Reply {
        let client = try knownClient(of: call)
        let text = try token(of: call)
        return .done {
            let hasEnded = try await refused {
                try await call.oauth.introspection.terminate(text, by: client.proof, from: call.origin)
            }
            guard hasEnded else { throw notAlive }
        }
    }

    private static func endpoint(
        _ summary: String, body: Endpoint.Body? = nil, _ handler: @escaping @Sendable (Call) throws -> Reply
    ) -> Endpoint {
        Endpoint(summary, body: body) { call in
            guard services.contains(call.arguments[0]) else {
                throw RequestError(.notFound, "There is no token service of that name.")
            }
            _ = try call.authorization()  // refuses secrets that others could read along
            return try handler(call)
        }
    }

    /// A client, with its secret or with the handle of a registered device.
    private struct Client {
        let id: String
        let proof: ClientProof
    }

    private static func client(of call: Call) throws -> Client? {
        guard let (scheme, text) = try call.context.credentials(of: call.request) else { return nil }
        guard scheme == "basic", let pair = BasicCredentials(text) else { throw ServiceContext.notAuthenticated }
        return Client(id: pair.name, proof: ClientProof(authorization: "Basic " + text))
    }

    private static func knownClient(of call: Call) throws -> Client {
        guard let client = try client(of: call) else { throw ServiceContext.notAuthenticated }
        return client
    }

    private static func tokens(_ request: TokenRequest, _ client: Client, _ call: Call) async throws -> Tokens {
        try await refused {
            try await call.oauth.tokenEndpoint.tokens(request, by: client.proof, from: call.origin)
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
    private static func user(of token: String, _ client: Client, _ call: Call) throws -> String {
        let oauth = call.oauth
        guard let (_, name) = try oauth.deviceRegistration.userToken(token, givenTo: client.id) else {
            oauth.audit.record(
                .refused, nil, nil, from: call.origin, method: "access_token",
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

    /// The facts about the device in a body, without those that a registration does not keep.
    private static func profile(_ body: JSONValue) throws -> DeviceProfile {
        do {
            return try DeviceProfile(body["deviceProfile"].flatMap { $0.isNull ? nil : $0 } ?? [:])
        } catch {
            throw RequestError(.badRequest, error.text)
        }
    }

    private static func answer(_ kind: String, _ token: String, _ principal: String?) -> HTTPResponse {
        .json([
            "X-Idaas-Rest-Token-Type": .string(kind), "X-Idaas-Rest-Token-Value": .string(token),
            "X-Idaas-Rest-Provider-Type": "JWT", "X-Idaas-Rest-User-Principal": .text(principal),
        ])
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
