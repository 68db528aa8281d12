import RosterSignIn
package import RosterText

/// The schemas in `/openapi.json` of the documents that apps and their administrators read and write.
package enum AppSchemas {
    static let components: [JSONValue.Member] = [
        .init("AppPolicy", policy), .init("WebgateChallenge", webgate), .init("Backend", backend),
        .init("Device", device),
    ]

    package static let text: JSONValue = ["type": "string"]
    package static let optionalText: JSONValue = ["type": ["string", "null"]]
    private static let timeout: JSONValue = [
        "type": "integer", "minimum": 0, "maximum": 31_536_000, "description": "In seconds; 0 for none.",
    ]
    package static let optionalTimeout: JSONValue = [
        "type": ["integer", "null"], "minimum": 0, "maximum": 31_536_000,
        "description": "In seconds; 0 for none, and null where the server leaves it to the app.",
    ]
    package static let attempts: JSONValue = ["type": "integer", "minimum": 1, "maximum": 100]
    package static let cryptoScheme: JSONValue = [
        "type": "string", "enum": .texts(AppPolicy.CryptoScheme.allCases.map(\.rawValue)),
    ]
    package static let claims: JSONValue = [
        "type": "array", "items": ["type": "string", "enum": .texts(DeviceProfile.Claim.allCases.map(\.rawValue))],
    ]
    private static let domain: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"]

    private static let policy: JSONValue = [
        "type": "object", "additionalProperties": false,
        "description": "The rules that an app reads in its profile. They take precedence over the app's own settings.",
        "properties": [
            "service_domain": domain, "session_timeout_seconds": timeout, "idle_timeout_seconds": timeout,
            "maximum_login_attempts": .object(attempts.members + [.init("default", 1)]),
            "offline": ["type": "boolean", "default": false],
            "crypto_scheme": .object(cryptoScheme.members + [.init("default", "scrypt")]),
            "required_claims": claims, "url_scheme": ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9+.-]{0,63}$"],
            "sso_priority": ["type": "integer", "minimum": 1, "maximum": 1_000],
        ],
    ]

    private static let webgate: JSONValue = [
        "type": "object", "additionalProperties": false, "required": ["name"],
        "description": "The challenge OAM-Auth to callers who name the backend and bring no token.",
        "properties": [
            "name": domain, "level": ["type": "integer", "minimum": 0, "maximum": 100, "default": 2],
        ],
    ]

    private static let backend: JSONValue = [
        "type": "object", "required": ["name"],
        "description": "A backend with its settings, whose other members are those of seeds.",
        "properties": [
            "name": text,
            "for": [
                "type": "string", "enum": .texts(BackendSettings.Purpose.allCases.map(\.rawValue)),
                "description": "What the backend is for, which gives the defaults of the other settings.",
            ],
            "app": OpenAPISchemas.reference("AppPolicy"),
            "webgate": OpenAPISchemas.reference("WebgateChallenge"),
        ],
    ]

    private static let device: JSONValue = {
        let facts = DeviceProfile.Claim.allCases.map { JSONValue.Member($0.rawValue, optionalText) }
        let properties: JSONValue = .object(
            [
                .init("id", text), .init("client_id", text), .init("name", text), .init("version", text),
                .init("created", text), .init("expires", text),
            ] + facts)
        return [
            "type": "object", "required": .texts(properties.members.map(\.name)), "properties": properties,
            "description": "A registered device: its app, and the facts that the app told.",
        ]
    }()
}
