import Roster
import RosterREST
import RosterSignIn
import RosterText

/// The documents that an app reads before anybody has signed in: its profile, and the single sign-on agent of its service domain.
enum AppProfileAPI {
    /// The address of Mobile and Social, below which its services are.
    private static let base = "/oic_rest/rest"

    /// The answer to `setup` of Oracle's mobile SDK. It is public and holds no secret.
    static let read = Endpoint(
        "The profile of an app, by its client id or its name: where the services are, and the rules that the app keeps.",
        parameters: [
            text("osType", "The platform of the device, such as iOS. It is not kept."),
            text("osVer", "The version of the operating system. It is not kept."),
            text("clientSDKVersion", "The version of the client library. It is not kept."),
            text("serviceDomain", "The service domain that the app belongs to."),
        ], answer: .init(schema: OpenAPISchemas.reference("AppProfile"))
    ) { call in
        for name in ["osType", "osVer", "clientSDKVersion"] { _ = try bounded(name, call) }
        let domain = try bounded("serviceDomain", call)
        // An unknown app, a disabled app and an app of another domain cannot be told apart.
        guard let backend = try call.oauth.clients.app(call.arguments[0], in: domain) else {
            throw RequestError(.notFound, "There is no such app.")
        }
        return .now(.json(try profile(backend, call)))
    }

    /// The challenge address of an authentication scheme of Access Manager (`/mobilesso?serviceDomain=…` below `/oic_rest`): leads a
    /// browser to the agent app, which the device opens.
    static let signOn = Endpoint(
        "Lead a mobile browser to the single sign-on agent of a service domain.",
        parameters: [
            .init(
                name: "serviceDomain", summary: "The service domain.",
                schema: ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"], isRequired: true),
            .init(
                name: "resourceURL", summary: "The page of this server that the agent is to open afterwards: a path.",
                schema: [
                    "type": "string", "maxLength": 1_024, "pattern": "^/([!-.0-\\[\\]-~][!-\\[\\]-~]*)?$",
                ]),
        ], answer: .init(status: 302, schema: nil, hasLocation: true), canBeMissing: true
    ) { call in
        guard let domain = try bounded("serviceDomain", call) else {
            throw RequestError(.badRequest, "Name the service domain as 'serviceDomain'.")
        }
        guard let agent = try call.oauth.clients.agent(of: domain) else {
            throw RequestError(.notFound, "No app is the single sign-on agent of that service domain.")
        }
        var query: [(name: String, value: String)] = [
            ("oamsso", "true"), ("serviceDomain", domain), ("serverURL", call.context.baseURL),
        ]
        if let path = try bounded("resourceURL", call, length: 1_024) {
            // The agent opens the address in a browser, so it must not lead to other servers.
            guard path.utf8.first == UInt8(ascii: "/"), path.utf8.dropFirst().first != UInt8(ascii: "/"),
                path.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") })
            else {
                throw RequestError(
                    .badRequest, "'resourceURL' takes a path of this server, percent-encoded, such as /app.")
            }
            query.append(("resourceURL", call.context.baseURL + path))
        }
        return .now(HTTPResponse(302, headers: ["Location": "\(agent.urlScheme)://sso?\(FormEncoding.text(query))"]))
    }

    private static func text(_ name: String, _ summary: String) -> Endpoint.Parameter {
        .init(name: name, summary: summary, schema: ["type": "string", "maxLength": 128])
    }

    /// A parameter of bounded length; nil if it is missing or empty.
    private static func bounded(_ name: String, _ call: Call, length: Int = 128) throws -> String? {
        guard let value = try call.parameter(name), !value.isEmpty else { return nil }
        guard value.unicodeScalars.count <= length else {
            throw RequestError(.badRequest, "The parameter '\(name)' takes up to \(length) characters.")
        }
        return value
    }

    private static func profile(_ backend: Backend, _ call: Call) throws -> JSONValue {
        let (url, issuer) = (call.context.baseURL, call.oauth.issuer)
        let services = url + base
        let policy = backend.settings.app
        let agent = try policy.serviceDomain.flatMap { try call.oauth.clients.agent(of: $0) }
        return .object(
            [
                .init("application_id", .string(backend.clientID)), .init("name", .string(backend.name)),
                .init("version", .string(backend.version)),
                .init(
                    "endpoints",
                    [
                        "authentication": .string(services + "/mobilejwtauthentication/authenticate"),
                        "registration": .string(services + "/mobilejwtauthentication/register"),
                        "access": .string(services + "/mobilejwtauthentication/access"),
                        "user_profile": .string(services + "/userprofile/people"),
                        "roles": .string(services + "/userprofile/groups"),
                        "openid_issuer": .string(issuer),
                        "token_exchange": .string(url + "/mobile/platform/sso/exchange-token"),
                        "directory": .string(url + "/directory/v1"),
                    ]),
            ] + policy.members + [.init("sso_agent", .text(agent?.urlScheme))])
    }

    /// The schema, for `/openapi.json`, of the profile of an app.
    static let schema: JSONValue = {
        let endpoints = [
            "authentication", "registration", "access", "user_profile", "roles", "openid_issuer", "token_exchange",
            "directory",
        ]
        let properties: JSONValue = [
            "application_id": AppSchemas.text, "name": AppSchemas.text, "version": AppSchemas.text,
            "service_domain": AppSchemas.optionalText,
            "endpoints": [
                "type": "object", "required": .texts(endpoints),
                "properties": .object(endpoints.map { .init($0, ["type": "string", "format": "uri"]) }),
            ],
            "session_timeout_seconds": AppSchemas.optionalTimeout, "idle_timeout_seconds": AppSchemas.optionalTimeout,
            "maximum_login_attempts": AppSchemas.attempts, "offline": ["type": "boolean"],
            "crypto_scheme": AppSchemas.cryptoScheme,
            "required_claims": AppSchemas.claims, "sso_agent": AppSchemas.optionalText,
        ]
        return [
            "type": "object", "required": .texts(properties.members.map(\.name)), "properties": properties,
            "description": "The profile of an app. It is public and holds no secret.",
        ]
    }()
}
