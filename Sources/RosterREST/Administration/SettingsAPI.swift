import Roster
import RosterAdministration
import RosterSignIn
import RosterText

/// The endpoints with which administrators change the settings of the service while it runs: trusted issuers, their certificates,
/// identity providers, policies. A change takes effect at once. Entries of the documents that the server was started with are listed,
/// and cannot be changed here.
enum SettingsAPI {
    /// A collection of settings.
    struct Collection: Sendable {
        let name: String
        /// Whether the address has a type before the name of a setting.
        let hasTypes: Bool
        let listSummary: String
        let setSummary: String
        let deleteSummary: String

        static let issuers = Collection(
            name: "issuers", hasTypes: true,
            listSummary: "List the trusted issuers of tokens.",
            setSummary:
                "Trust an issuer, or change its entry: 'type' is jwt or saml, 'name' the issuer's name, and the body an entry of "
                + "the document of issuers.",
            deleteSummary: "Trust an issuer no more.")
        static let certificates = Collection(
            name: "certificates", hasTypes: false,
            listSummary: "List the certificates of issuers.",
            setSummary: "Store certificates under a name: 'certificate' has one or more in PEM.",
            deleteSummary: "Take the certificates of a name away.")
        static let providers = Collection(
            name: "providers", hasTypes: true,
            listSummary: "List the identity providers, without their secrets.",
            setSummary:
                "Add a provider, or change its entry: 'type' is oidc or social, and the body an entry of the document of "
                + "providers. Without the secret, the stored one stays; null removes it.",
            deleteSummary: "Take a provider away. Its users cannot sign in with it any more.")
        static let policies = Collection(
            name: "policies", hasTypes: false, listSummary: "List the policies with the values that apply.",
            setSummary:
                "Set a policy to a 'value': allow_private_addresses, dynamic_registration, Security_AllowOrigin, "
                + "Security_AuthTokenConfiguration, Security_TokenExchangeTimeoutSecs, Security_TokenExchangeTimeoutPolicy, token_settings, allow_bare_basic, client_metadata_hosts, organization_name, organization_color or organization_logo.",
            deleteSummary: "Let a policy have its standard value again.")

        /// The type and the name in the address of a setting.
        fileprivate func place(_ call: Call) -> (type: String?, name: String) {
            (hasTypes ? call.arguments.first : nil, call.arguments.last ?? "")
        }
    }

    static func list(_ collection: Collection) -> Endpoint {
        Endpoint(collection.listSummary) { $0.answering(ListSettings(collection.name)) }
    }

    static func set(_ collection: Collection) -> Endpoint {
        Endpoint(collection.setSummary, body: .object, answer: .init(others: [201])) { call in
            let (type, name) = collection.place(call)
            let new = SetSetting(name, type: type, in: collection.name, to: JSONDocument(try call.json()))
            return .later {
                let answer = try await call.administration.run(new)
                return .json(answer["setting"] ?? [:], status: answer["is_new"] == true ? 201 : 200)
            }
        }
    }

    /// Sets several policies, all of them or none.
    static let setPolicies = Endpoint(
        "Set several policies in one transaction: an object with their names and values. null gives a policy its standard value again.",
        body: .object, answer: .none
    ) { $0.done(SetPolicies(JSONDocument(try $0.json()))) }

    /// Refuses a value for the origins that may call the service if it is wrong, or if the service was started with one.
    static func check(_ policy: JSONValue.Member, _ context: ServiceContext) throws {
        guard policy.name != ServicePolicy.allowOrigin.rawValue || context.givenCrossOrigin == nil else {
            throw DirectoryError(
                .alreadyExists, "The server was started with a policy of that name, which counts.",
                advice: "Change it in the server's options, or take it out there first.")
        }
        try CrossOriginPolicy.check(policy)
    }

    /// Tries an entry before it is stored.
    static func test(_ collection: Collection) -> Endpoint {
        Endpoint(
            "Test an entry of \(collection.name), of the type in the address, without storing it: fetch the documents that it names, and "
                + "say what is wrong. Nothing is wrong where 'ok' is true.",
            body: .object, answer: .init(schema: trialSchema)
        ) { call in
            call.answering(
                TestSetting(type: call.arguments[0], in: collection.name, JSONDocument(try call.json())))
        }
    }

    private static let trialSchema: JSONValue = [
        "type": "object", "required": ["ok", "findings"],
        "properties": [
            "ok": ["type": "boolean"],
            "findings": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["subject"],
                    "properties": [
                        "subject": [
                            "type": "string", "enum": .texts(TrialFinding.Subject.allCases.map(\.rawValue)),
                        ],
                        "url": ["type": "string"], "problem": ["type": "string"],
                    ],
                ],
            ],
        ],
    ]

    static func delete(_ collection: Collection) -> Endpoint {
        Endpoint(collection.deleteSummary, answer: .none) { call in
            let (type, name) = collection.place(call)
            return call.done(DeleteSetting(name, type: type, in: collection.name))
        }
    }
}
