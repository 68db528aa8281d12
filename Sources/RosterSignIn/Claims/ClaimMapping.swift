public import Roster
package import RosterText

/// The claims about a user that an application gets, as on Cloud Access Manager's *Claim Mapping* page.
///
/// Each claim has rules in order: if the user has a role, or always, send the values of a user attribute or a fixed value.
///
/// ```swift
/// var settings = BackendSettings()
/// settings.claims = ClaimMapping(claims: [
///     .init("name", [.attribute(.displayName)]),
///     .init("permission", [.value("create", ifRole: "Admin"), .value("read", ifRole: "Users")]),
/// ])
/// ```
///
/// The mapping is a JSON object in the JSON form of the settings:
///
/// ```json
/// {
///   "claims": [
///     {"name": "name", "rules": [{"attribute": "displayName"}]},
///     {"name": "permission", "mode": "UseAllRulesMatched", "rules": [
///       {"role": "Admin", "value": "create"}, {"role": "Users", "value": "read"}]}
///   ],
///   "sendRoleClaim": true,
///   "roleClaimName": "urn:cam/sso/role"
/// }
/// ```
///
/// All fields but a claim's `name` and `rules` are optional. Their names are our own. Without a `roleClaimName` the roles are in the claim
/// `role`, or in Cloud Access Manager's `urn:cam/sso/role` if a claim `role` has rules.
public struct ClaimMapping: Sendable, Hashable {
    /// The choice among a claim's rules.
    public enum RuleMode: String, Sendable, CaseIterable {
        /// The values of all rules that match, in order: "Use all rules matched".
        case allMatched = "UseAllRulesMatched"
        /// The values of the first rule that matches, even if its attribute has none.
        case firstMatch = "UseFirstRuleMatched"
    }

    /// A rule of a claim: the values to send, and the role that a user must have.
    public struct Rule: Sendable, Hashable {
        /// The values to send.
        public enum Source: Sendable, Hashable {
            /// The values of an attribute of the user. They are sent, so they must not be secrets.
            case attribute(AttributeName)
            /// A fixed text.
            case value(String)
        }
        /// The role that the user must have, spelled as the directory has it; nil for all users.
        public var role: String?
        /// The values to send.
        public var source: Source

        /// Sends the values of an attribute.
        ///
        /// - Parameters:
        ///   - name: The attribute.
        ///   - role: The role that the user must have; nil for all users.
        public static func attribute(_ name: AttributeName, ifRole role: String? = nil) -> Rule {
            Rule(role: role, source: .attribute(name))
        }

        /// Sends a fixed text.
        ///
        /// - Parameters:
        ///   - text: The text.
        ///   - role: The role that the user must have; nil for all users.
        public static func value(_ text: String, ifRole role: String? = nil) -> Rule {
            Rule(role: role, source: .value(text))
        }
    }

    /// A claim and its rules.
    public struct Claim: Sendable, Hashable {
        /// The name of the claim, which is not one of ``ClaimMapping/reservedNames``.
        public var name: String
        /// The choice among the rules; all that match by default.
        public var mode: RuleMode
        /// The rules in their order, at least one.
        public var rules: [Rule]

        /// Makes a claim.
        public init(_ name: String, _ rules: [Rule], mode: RuleMode = .allMatched) {
            (self.name, self.rules, self.mode) = (name, rules, mode)
        }
    }

    /// The claims that describe the token itself. They cannot be mapped.
    public static let reservedNames: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "client_id", "scope", "nonce", "at_hash", "c_hash",
        "auth_time", "acr", "amr", "cnf", "act", "may_act", "sid",
    ]

    /// The claims in the order in which they are sent.
    public var claims: [Claim]
    /// The claim with the user's roles; nil if it is not sent (`sendRoleClaim`).
    public var roleClaimName: String?

    /// A mapping that sends all roles of the user in the claim `role`, whatever scopes the app asks for. The step to schema 25 gives
    /// this mapping to each backend that has no other one, because those backends sent all roles before.
    public static let allRoles = ClaimMapping(claims: [], roleClaimName: "role")

    /// Makes a mapping.
    ///
    /// - Parameters:
    ///   - claims: The claims in the order in which they are sent, each name once.
    ///   - roleClaimName: The claim with the user's roles; nil if it is not sent.
    public init(claims: [Claim], roleClaimName: String? = "role") {
        (self.claims, self.roleClaimName) = (claims, roleClaimName)
    }

    /// Reads the JSON form.
    ///
    /// - Parameter path: The path in a larger document, for errors.
    /// - Throws: `DirectoryError` `invalidInput` with the path of the field that is wrong, unknown or missing, such as
    ///   `claims[1].rules[0].attribute`; also for a claim that is reserved or occurs twice.
    package init(_ json: JSONValue, at path: String = "") throws {
        var root = try DocumentObject(json, at: path)
        let claims = try root.array("claims")?.map { try Claim($0.value, at: $0.path) } ?? []
        let sendsRoles = try root.boolean("sendRoleClaim") ?? true
        let usualName = claims.contains { $0.name == "role" } ? "urn:cam/sso/role" : "role"
        let roleClaimName = try root.text("roleClaimName") ?? usualName
        try root.finish()
        self.claims = claims
        self.roleClaimName = sendsRoles ? roleClaimName : nil
        try check(at: path)
    }

    /// Refuses a claim that is reserved, occurs twice or has no rule.
    func check(at path: String) throws {
        let prefix = path.isEmpty ? "" : path + "."
        if let roleClaimName { try Claim.check(name: roleClaimName, at: prefix + "roleClaimName") }
        var seen = Set([roleClaimName].compactMap { $0 })
        for (index, claim) in claims.enumerated() {
            let place = "\(prefix)claims[\(index)]"
            try Claim.check(name: claim.name, at: place + ".name")
            guard !claim.rules.isEmpty else {
                throw DocumentObject.problem(place + ".rules", "is empty.", "Give a rule, or remove the claim.")
            }
            guard seen.insert(claim.name).inserted else {
                throw DocumentObject.problem(
                    place + ".name", "is the name of another claim, or of the claim with the roles.",
                    "Put the rules in one claim, or change roleClaimName or sendRoleClaim.")
            }
        }
    }

    /// The JSON form, which reads as the same mapping.
    package var json: JSONValue {
        let claims = claims.map { claim in
            let rules = claim.rules.map { rule in
                var members = rule.role.map { [JSONValue.Member("role", .string($0))] } ?? []
                switch rule.source {
                case .attribute(let name): members.append(.init("attribute", .string(name.rawValue)))
                case .value(let text): members.append(.init("value", .string(text)))
                }
                return JSONValue.object(members)
            }
            return JSONValue.object([
                .init("name", .string(claim.name)), .init("mode", .string(claim.mode.rawValue)),
                .init("rules", .array(rules)),
            ])
        }
        var members = [
            JSONValue.Member("claims", .array(claims)), .init("sendRoleClaim", .boolean(roleClaimName != nil)),
        ]
        if let roleClaimName { members.append(.init("roleClaimName", .string(roleClaimName))) }
        return .object(members)
    }

    /// The claims about a user, in order. A claim without values is left out, a single value is written alone, and several values as an
    /// array without duplicates. Roles are always an array.
    ///
    /// - Parameter attribute: Returns the values of an attribute of the user. They are sent, so they must not be secrets.
    package func members(
        roles: [String], attribute: (String) throws -> [JSONValue]
    ) rethrows -> [JSONValue.Member] {
        let held = Set(roles)
        var members: [JSONValue.Member] = []
        for claim in claims {
            var rules = claim.rules.filter { rule in rule.role.map(held.contains) ?? true }
            if claim.mode == .firstMatch { rules = Array(rules.prefix(1)) }
            let values = try rules.flatMap { rule -> [JSONValue] in
                switch rule.source {
                case .attribute(let name): try attribute(name.rawValue).filter { !$0.isNull }
                case .value(let text): [JSONValue.string(text)]
                }
            }.withoutRepetitions
            guard let first = values.first else { continue }
            members.append(.init(claim.name, values.count == 1 ? first : .array(values)))
        }
        if let roleClaimName, !roles.isEmpty {
            members.append(.init(roleClaimName, .array(roles.map { JSONValue.string($0) }.withoutRepetitions)))
        }
        return members
    }
}

extension ClaimMapping.Claim {
    fileprivate init(_ value: JSONValue, at path: String) throws {
        var object = try DocumentObject(value, at: path)
        name = try object.required(object.text("name"), "name")
        mode = try object.choice("mode", ClaimMapping.RuleMode.self) ?? .allMatched
        rules = try object.required(object.array("rules"), "rules").map {
            try ClaimMapping.Rule($0.value, at: $0.path)
        }
        try object.finish()
    }

    fileprivate static func check(name: String, at path: String) throws {
        guard ClaimMapping.reservedNames.contains(name) else { return }
        throw DocumentObject.problem(
            path, "is \(ShownText.quoted(name)), which says what the token is.", "Choose another name for the claim.")
    }
}

extension ClaimMapping.Rule {
    fileprivate init(_ value: JSONValue, at path: String) throws {
        var object = try DocumentObject(value, at: path)
        role = try object.text("role")
        let attribute = try object.text("attribute")
        let fixed = try object.text("value")
        try object.finish()
        switch (attribute, fixed) {
        case (let attribute?, nil): source = .attribute(AttributeName(attribute))
        case (nil, let fixed?): source = .value(fixed)
        default:
            throw DocumentObject.problem(
                path, "must have either attribute or value.", "Say what is sent: an attribute's values, or a fixed one."
            )
        }
    }
}

extension [JSONValue] {
    fileprivate var withoutRepetitions: [JSONValue] {
        var seen: Set<JSONValue> = []
        return filter { seen.insert($0).inserted }
    }
}
