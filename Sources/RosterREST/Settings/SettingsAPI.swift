import Foundation
import Roster
import RosterCrypto
import RosterSignIn
import RosterText

/// The endpoints with which administrators change the settings of the service while it runs: trusted issuers, their certificates,
/// identity providers, policies. A change takes effect at once. Entries of the documents that the server was started with are listed,
/// and cannot be changed here.
enum SettingsAPI {
    /// A collection of settings.
    struct Collection: Sendable {
        let name: String
        /// The kinds of setting by the type in the address; a collection of one kind has no type.
        let kinds: [(type: String?, kind: StoredSetting.Kind)]
        let listSummary: String
        let setSummary: String
        let deleteSummary: String

        static let issuers = Collection(
            name: "issuers", kinds: [("jwt", .jwtIssuer), ("saml", .samlIssuer)],
            listSummary: "List the trusted issuers of tokens.",
            setSummary:
                "Trust an issuer, or change its entry: 'type' is jwt or saml, 'name' the issuer's name, and the body an entry of "
                + "the document of issuers.",
            deleteSummary: "Trust an issuer no more.")
        static let certificates = Collection(
            name: "certificates", kinds: [(nil, .certificate)],
            listSummary: "List the certificates of issuers.",
            setSummary: "Store certificates under a name: 'certificate' has one or more in PEM.",
            deleteSummary: "Take the certificates of a name away.")
        static let providers = Collection(
            name: "providers", kinds: [("oidc", .provider), ("social", .socialProvider)],
            listSummary: "List the identity providers, without their secrets.",
            setSummary:
                "Add a provider, or change its entry: 'type' is oidc or social, and the body an entry of the document of "
                + "providers. Without the secret, the stored one stays; null removes it.",
            deleteSummary: "Take a provider away. Its users cannot sign in with it any more.")
        static let policies = Collection(
            name: "policies", kinds: [(nil, .policy)], listSummary: "List the policies with the values that apply.",
            setSummary:
                "Set a policy to a 'value': allow_private_addresses, dynamic_registration, Security_AllowOrigin, "
                + "Security_AuthTokenConfiguration, Security_TokenExchangeTimeoutSecs, Security_TokenExchangeTimeoutPolicy, token_settings, allow_bare_basic, client_metadata_hosts, organization_name, organization_color or organization_logo.",
            deleteSummary: "Let a policy have its standard value again.")

        /// The kind and the name in the address of a setting.
        fileprivate func setting(_ call: Call) throws -> (kind: StoredSetting.Kind, name: String) {
            let type = call.arguments.count > 1 ? call.arguments[0] : nil
            guard let kind = kinds.first(where: { $0.type == type })?.kind, let name = call.arguments.last else {
                let types = kinds.compactMap(\.type).joined(separator: " or ")
                throw RequestError(.notFound, "There is no such type of \(self.name). The address takes \(types).")
            }
            if kind == .policy { _ = try ServicePolicy(named: name) }
            return (kind, name)
        }
    }

    static func list(_ collection: Collection) -> Endpoint {
        Endpoint(collection.listSummary) { call in
            let (context, settings) = (call.context, call.oauth.settings)
            let stored = try call.view.read { transaction in
                try collection.kinds.map { ($0.type, $0.kind, try transaction.settings.all($0.kind)) }
            }
            return .later {
                let problems = settings.current.problems
                var shown: [JSONValue] = []
                for (type, kind, stored) in stored {
                    let given = try given(kind, context)
                    shown += given.map { entry($0, type, kind) }
                    shown += stored.map { setting in
                        let isHidden = given.contains { $0.name.hasSameBytes(as: setting.name) }
                        return entry(
                            setting, type,
                            problem: isHidden
                                ? "The server was started with an entry of that name, which counts."
                                : problems[setting.kind.rawValue + " " + setting.name])
                    }
                    if kind == .policy { shown += standardPolicies(besides: shown, context) }
                }
                return .json([collection.name: .array(shown)])
            }
        }
    }

    static func set(_ collection: Collection) -> Endpoint {
        Endpoint(collection.setSummary, body: .object, answer: .init(others: [201])) { call in
            let (kind, name) = try collection.setting(call)
            let body = try call.json()
            let (context, settings) = (call.context, call.oauth.settings)
            if kind == .policy { try check(JSONValue.Member(name, body["value"] ?? .null), context) }
            return .later {
                let isNew = try await settings.store(kind, name, body, in: call.view)
                let type = collection.kinds.first { $0.kind == kind }?.type
                let stored = try call.view.read { try $0.settings.all(kind) }.first { $0.name.hasSameBytes(as: name) }
                return .json(stored.map { entry($0, type, problem: nil) } ?? [:], status: isNew ? 201 : 200)
            }
        }
    }

    /// Sets several policies, all of them or none.
    static let setPolicies = Endpoint(
        "Set several policies in one transaction: an object with their names and values. null gives a policy its standard value again.",
        body: .object, answer: .none
    ) { call in
        let values = try call.json().members
        for member in values { try check(member, call.context) }
        let settings = call.oauth.settings
        return .done { try await settings.store(policies: values, in: call.view) }
    }

    /// Refuses a value for the origins that may call the service if it is wrong, or if the service was started with one.
    private static func check(_ policy: JSONValue.Member, _ context: ServiceContext) throws {
        guard policy.name == ServicePolicy.allowOrigin.rawValue else { return }
        guard context.givenCrossOrigin == nil else {
            throw DirectoryError(
                .alreadyExists, "The server was started with a policy of that name, which counts.",
                advice: "Change it in the server's options, or take it out there first.")
        }
        if let text = policy.value.text { _ = try CrossOriginPolicy(text) }
    }

    /// Tries an entry before it is stored.
    static func test(_ collection: Collection) -> Endpoint {
        Endpoint(
            "Test an entry of \(collection.name), of the type in the address, without storing it: fetch the documents that it names, and "
                + "say what is wrong. Nothing is wrong where 'ok' is true.",
            body: .object, answer: .init(schema: trialSchema)
        ) { call in
            guard let kind = collection.kinds.first(where: { $0.type == call.arguments[0] })?.kind else {
                throw RequestError(.notFound, "There is no such type of \(collection.name).")
            }
            let entry = try call.json()
            let relyingParty = call.oauth.relyingParty
            return .later {
                let findings = try await relyingParty.trial(of: kind, entry, in: call.view)
                return .json([
                    "ok": .boolean(findings.allSatisfy { $0.problem == nil }),
                    "findings": .array(
                        findings.map { finding in
                            var members = [JSONValue.Member("subject", .string(finding.subject.rawValue))]
                            if let url = finding.url { members.append(.init("url", .string(url))) }
                            if let problem = finding.problem { members.append(.init("problem", .string(problem))) }
                            return .object(members)
                        }),
                ])
            }
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
            let (kind, name) = try collection.setting(call)
            return .done { try await call.view.awaitWrite { try $0.settings.delete(kind, name) } }
        }
    }

    // MARK: Showing

    private static func given(_ kind: StoredSetting.Kind, _ context: ServiceContext) throws -> [GivenEntry] {
        var given = try context.oauth.settings.givenEntries(kind)
        if kind == .policy, let policy = context.givenCrossOrigin {
            given.append(GivenEntry(ServicePolicy.allowOrigin.rawValue, value: ["value": .string(policy.text)]))
        }
        return given
    }

    private static func entry(_ given: GivenEntry, _ type: String?, _ kind: StoredSetting.Kind) -> JSONValue {
        let members = Self.members(given.name, type, source: "file", hasSecret: given.hasSecret)
        return .object(members + shown(given.value, kind))
    }

    /// A stored setting. Certificates are shown by their subjects and ends.
    private static func entry(_ setting: StoredSetting, _ type: String?, problem: String?) -> JSONValue {
        var members = Self.members(setting.name, type, source: "directory", hasSecret: setting.hasSecret)
        members.append(.init("changed", .time(setting.changed)))
        if let problem { members.append(.init("problem", .string(problem))) }
        if setting.kind == .certificate, let text = setting.value["certificate"]?.text {
            let all = Certificate.all(in: Data(text.utf8))
            members.append(.init("subjects", .texts(all.map(\.subjectText))))
            members.append(.init("expires", .time(all.map(\.validity.upperBound).min())))
        }
        return .object(members + shown(setting.value, setting.kind))
    }

    /// The entry as a member of its own, so that it can be changed and sent back. Certificates and policies have one member.
    private static func shown(_ entry: JSONValue, _ kind: StoredSetting.Kind) -> [JSONValue.Member] {
        switch kind {
        case .certificate, .policy: entry.members
        case .jwtIssuer, .samlIssuer, .provider, .socialProvider: [.init("entry", entry)]
        }
    }

    private static func members(
        _ name: String, _ type: String?, source: String, hasSecret: Bool
    ) -> [JSONValue.Member] {
        var members = [JSONValue.Member("name", .string(name))]
        if let type { members.append(.init("type", .string(type))) }
        members.append(.init("source", .string(source)))
        if hasSecret { members.append(.init("has_secret", true)) }
        return members
    }

    /// The policies that nobody set.
    private static func standardPolicies(besides shown: [JSONValue], _ context: ServiceContext) -> [JSONValue] {
        let names = shown.compactMap { $0["name"]?.text }
        return ServicePolicy.allCases.filter { !names.contains($0.rawValue) }.map { policy in
            [
                "name": .string(policy.rawValue), "source": "standard",
                "value": context.oauth.settings.current.value(of: policy),
            ]
        }
    }
}
